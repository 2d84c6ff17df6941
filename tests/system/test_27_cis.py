"""The checks of the CIS benchmark on the installed cluster: nothing fails unexplained, and a key left open is named."""

from __future__ import annotations

from typing import Any

from tests.system.harness import CLUSTER_FILE, Atoll

# What kube-bench leaves to people, as the benchmark does.
MANY = {"3.1": 3, "5.1": 13, "5.2": 12, "5.3": 2, "5.4": 2, "5.5": 1, "5.6": 4}
MANUAL = {"1.2.20", "3.2.2"} | {f"{part}.{number}" for part, many in MANY.items() for number in range(1, many + 1)}
KEY = "/etc/kubernetes/pki/apiserver.key"


def asked(atoll: Atoll, *arguments: str, code: int) -> dict[str, Any]:
    ran = atoll("verify", "--cis", "-f", str(CLUSTER_FILE), "-o", "json", *arguments, ok=(code,))
    last = ran.events[-1]
    assert last["event"] == "cis", ran.out[-2000:]
    return last


def test_no_check_fails_unexplained_and_every_waiver_is_needed(atoll: Atoll) -> None:
    found = asked(atoll, code=0)
    assert found["failures"] == found["silent"] == found["notes"] == []
    assert found["passed"] > 100, "most of the checks are asked, of every node"
    assert found["passed_of"].keys() >= {"1", "2", "3", "4"}, "masters, etcd, what is configured for both, nodes"
    assert all(one["reason"] and one["end"] for one in found["waived"])
    assert {one["check"] for one in found["manual"]} == MANUAL, "to be looked at by hand"


def test_a_key_that_all_may_read_is_named_with_its_check_and_node(atoll: Atoll) -> None:
    atoll.node("master1", "chmod", "644", KEY)
    try:
        found = asked(atoll, "--node", "master1", code=1)
    finally:
        atoll.node("master1", "chmod", "600", KEY)
    assert [(one["node"], one["check"]) for one in found["failures"]] == [("master1", "1.1.21")]
    assert asked(atoll, "--node", "master1", code=0)["failures"] == []
