"""The rules that nodes of the reference topology get, loaded into a name space of the test's own: who comes where."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from installer import packages

from .conftest import Rendered, Rendering

OWN_NAME_SPACE = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--")
PORTS = [22, 179, 2379, 6443, 9100, 10250, 20244, 24007, 24009, 50051]
FILE = "/etc/atoll/firewall.nft"
# A pod may have the network of its node, or one of its own.
CHAINS = ["input", "forward"]
EVERYBODY = ["node", "master", "pod", "stranger"]
# What passes the node, one way at a time: whose packets a pod sees, who sees a pod's.
COMING, GOING = "packets come to a pod of", "packets of a pod come to"


@pytest.fixture(scope="session")
def rules(rendered: Rendered) -> dict[str, str]:
    packages.install("firewall", print)
    return {file.host: str(file.text) for file in rendered.files if file.dest == FILE}


@functools.cache
def comes(rules: str) -> dict[str, Any]:
    program = Path(__file__).with_name("firewalled.py")
    argv = [*OWN_NAME_SPACE, sys.executable, str(program), *map(str, PORTS)]
    done = subprocess.run(argv, input=rules, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_rules_of_every_node_are_valid_and_can_be_loaded_again(rules: dict[str, str]) -> None:
    assert sorted(rules) == ["master1", "storage1", "worker1", "worker2"]
    for text in rules.values():
        for given in (text, text + text):
            argv = [*OWN_NAME_SPACE, "nft", "--check", "--file", "-"]
            done = subprocess.run(argv, input=given, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def test_a_stranger_comes_only_where_everybody_may_in_both_families(rules: dict[str, str]) -> None:
    for node, allowed in (("master1", [22, 6443]), ("storage1", [22]), ("worker1", [22])):
        found = comes(rules[node])
        assert (found["stranger"], found["ipv6"]) == (allowed, allowed), node


def test_nodes_masters_and_pods_come_where_the_table_lets_them(rules: dict[str, str]) -> None:
    storage, master = comes(rules["storage1"]), comes(rules["master1"])
    assert storage["node"] == [22, 179, 9100, 10250, 24009], "a node comes to glusterd, where it may become a peer"
    assert storage["pod"] == [22, 9100, 10250]
    assert master["master"] == [22, 179, 2379, 6443, 9100, 10250]
    assert master["node"] == [22, 179, 6443, 9100, 10250]


@pytest.mark.parametrize("chain", CHAINS)
def test_a_node_is_no_router_to_pods_and_services_for_strangers(rules: dict[str, str], chain: str) -> None:
    found = comes(rules["worker1"])
    assert found[f"{chain} to a pod"] == ["node", "master", "pod"]
    assert found[f"{chain} to a service"] == ["node", "master", "pod"]


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize(("port", "everybody"), [(443, ["master1"]), (31080, [])])
def test_a_port_that_leads_to_a_pod_leads_a_stranger_there_only_if_the_table_has_it(
    rules: dict[str, str], port: int, everybody: list[str], chain: str
) -> None:
    """It has no socket: whoever makes such a port by the API would open it to all."""
    for node in ("master1", "worker1"):
        found = comes(rules[node])[f"{chain} by a port that leads to a pod {port}"]
        assert found == ["node", "master", "pod", *(["stranger"] if node in everybody else [])]


def test_packets_come_to_a_pod_only_of_whom_the_table_lets_and_go_to_everybody(rules: dict[str, str]) -> None:
    for node, by in (("master1", EVERYBODY), ("worker1", ["node", "master", "pod"])):
        found = comes(rules[node])
        assert (found[COMING], found[GOING]) == (by, EVERYBODY), node


@pytest.fixture(scope="session")
def shut_out(rendering: Rendering) -> dict[str, str]:
    """The rules of those who have shut the node out."""
    return {file.host: str(file.text) for file in rendering("fenced").files if file.dest == FILE}


def test_a_node_that_is_shut_out_comes_nowhere(shut_out: dict[str, str], rules: dict[str, str]) -> None:
    """Where everybody may come, neither; tests/system has what it had begun before."""
    assert sorted(shut_out) == ["master1", "storage1", "worker1"]
    for node, text in shut_out.items():
        found = comes(text)
        assert found["node"] == [], f"it comes to {node}"
        assert [name for name, came in found.items() if " " in name and "node" in came] == []
        assert found["stranger"] == comes(rules[node])["stranger"]


def test_no_packet_goes_on_from_or_to_a_node_that_is_shut_out(shut_out: dict[str, str]) -> None:
    """Each way by itself: where one is closed, no connection comes to be, and the other may be open."""
    for node, text in shut_out.items():
        found = comes(text)
        assert "node" not in found[COMING], f"{node} hands a pod its packets"
        assert "node" not in found[GOING], f"{node} hands it packets of a pod"
        assert found[GOING] == [who for who in EVERYBODY if who != "node"]
    # Not because strangers are kept out, too.
    assert comes(shut_out["master1"])[COMING] == ["master", "pod", "stranger"]


# What an administrator and a distribution may have there, in both families, beside names that are ours in another one.
OTHERS = """
table inet site {
    set trusted { type ipv4_addr; flags interval; elements = { 192.0.2.0/24, 198.51.100.7 }; }
    map ports { type inet_service : verdict; elements = { 22 : accept, 8443 : drop }; }
    chain input {
        type filter hook input priority 5; policy accept;
        ip saddr @trusted tcp dport vmap @ports
        tcp dport 9999 counter packets 7 bytes 420 reject comment "not ours"
    }
}
table ip atoll {
    chain input { type filter hook input priority -10; policy accept; tcp dport 1234 drop; }
    chain translated { type nat hook prerouting priority dstnat; udp dport 53 dnat to 192.0.2.53:5353; }
}
"""
UNIT = "/etc/systemd/system/atoll-firewall.service"
# In a name space of its own: the ruleset after each step, with the handles of all that is in it.
STEPS = """
set -eu
{ nft --file others.nft; nft --handle list ruleset; } > before
for step in started again reloaded stopped; do
    sh -eu "$step" > "$step.said" 2>&1
    nft --handle list ruleset > "after-$step"
done
"""


def of_others(ruleset: str) -> str:
    """The ruleset without the table of Atoll: from its first line to the bracket that ends it."""
    return re.sub(r"^table inet atoll \{.*?^\}\n", "", ruleset, flags=re.MULTILINE | re.DOTALL)


def test_tables_of_others_are_left_alone_by_whatever_the_unit_does(
    rules: dict[str, str], rendered: Rendered, tmp_path: Path
) -> None:
    for node, text in rules.items():
        (unit,) = [str(file.text) for file in rendered.files if (file.host, file.dest) == (node, UNIT)]
        commands = dict(re.findall(r"^Exec(Start|Reload|Stop)=-?(/usr/sbin/nft .*)$", unit, re.MULTILINE))
        assert commands.keys() == {"Start", "Reload", "Stop"}, unit
        steps = zip(("started", "again", "reloaded", "stopped"), ("Start", "Start", "Reload", "Stop"), strict=True)
        for step, what in steps:
            (tmp_path / step).write_text(commands[what].replace(FILE, "ours.nft"))
        (tmp_path / "ours.nft").write_text(text)
        (tmp_path / "others.nft").write_text(OTHERS)
        done = subprocess.run(
            [*OWN_NAME_SPACE, "sh", "-c", STEPS], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        before = (tmp_path / "before").read_text()
        assert before.count("table ") == 2
        for step in ("started", "again", "reloaded"):
            after = (tmp_path / f"after-{step}").read_text()
            assert after != before, f"{node}: nothing was loaded"
            assert of_others(after) == before, f"{node}, {step}: tables of others were touched"
        assert (tmp_path / "after-stopped").read_text() == before, f"{node}: what is taken away takes more with it"


def test_without_rules_everybody_comes_everywhere() -> None:
    found = comes("")
    assert found["stranger"] == found["ipv6"] == PORTS
    assert found["input to a service"] == found["forward to a service"] == EVERYBODY
    assert found[COMING] == found[GOING] == EVERYBODY
