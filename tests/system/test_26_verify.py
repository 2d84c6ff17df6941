"""Each part of the installed cluster is broken: `./atoll verify` names it on its node. Mended, it is silent again."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from installer.planning.phases import PHASES
from installer.testing.bench import record
from tests.system.breaks import TOGETHER, Break
from tests.system.harness import CLUSTER_FILE, Atoll, wait_for


def broken(atoll: Atoll, phases: set[str], code: tuple[int, ...] = (0, 1)) -> list[dict[str, Any]]:
    asked = [word for phase in sorted(phases) for word in ("--phase", phase)]
    ran = atoll("verify", "-f", str(CLUSTER_FILE), *asked, "-o", "json", ok=code, timeout_s=300)
    found: list[dict[str, Any]] = ran.finished["failures"]
    assert ran.code == (1 if found else 0)
    return found


def mend(atoll: Atoll, breaks: list[Break]) -> None:
    for one in breaks:
        if one.mend_it:
            atoll.node(one.node, "sh", "-c", one.mend_it)
    if not all(one.mend_it for one in breaks):
        atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json")


def test_nothing_is_broken_and_it_is_said(atoll: Atoll) -> None:
    ran = atoll("verify", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0, 1))
    assert ran.finished["failures"] == []
    record("verify", ran.seconds, "s", "lab, 4 nodes")
    runs = atoll("runs", "list", "-f", str(CLUSTER_FILE), "-o", "json").json["runs"]
    assert (runs[0]["verb"], runs[0]["state"], runs[0]["changed"]) == ("verify", "succeeded", 0)
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json").json["steps"] == []


# Those of nodes and of Kubernetes say whether `verify` looks at all; two minutes for the others are left to `--all`.
LONG = {"what others stand on": pytest.mark.long}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("group", [pytest.param(group, marks=LONG.get(group, ())) for group in TOGETHER])
def test_what_is_broken_is_named_until_it_is_mended(atoll: Atoll, group: str) -> None:
    breaks = TOGETHER[group]
    phases = {one.phase for one in breaks}
    done: list[Break] = []
    try:
        for one in breaks:
            done.append(one)
            atoll.node(one.node, "sh", "-c", one.break_it)
        told = broken(atoll, phases, (1,))
    finally:
        mend(atoll, done)
    assert {failure["phase"] for failure in told} == phases
    assert all(failure["remedy"] for failure in told)
    for one in breaks:
        where = one.node if one.phase not in OF_CLUSTER else "master1"
        said = [each["message"] for each in told if (each["phase"], each["node"]) == (one.phase, where)]
        assert any(re.search(one.says, message) for message in said), (one.phase, told)
    # All that the next test breaks, too: it begins with what is sound.
    every = {one.phase for each in TOGETHER.values() for one in each}
    wait_for(f"{group} are sound again", lambda: broken(atoll, every) == [], 240)


OF_CLUSTER = {phase.name for phase in PHASES if phase.on == "cluster"}


def test_a_node_deleted_from_cluster_yaml_is_named_and_not_forgotten(atoll: Atoll) -> None:
    before = CLUSTER_FILE.read_text("utf-8")
    content = yaml.safe_load(before)
    content["nodes"] = [node for node in content["nodes"] if node["name"] != "worker2"]
    CLUSTER_FILE.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    try:
        made = atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(1,)).json
        assert [node for node, _ in made["leaving"]] == ["worker2"]
        assert "Node `worker2`" in atoll("plan", "-f", str(CLUSTER_FILE), ok=(1,)).out
        refused = atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json", ok=(69,))
        assert "`worker2`" in refused.out
    finally:
        CLUSTER_FILE.write_text(before, "utf-8")
    assert "worker2" in (atoll.state / "cluster.yaml").read_text("utf-8")
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json").json["steps"] == []
