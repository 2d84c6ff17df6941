"""The rules that nodes of the reference topology get, loaded into a name space of the test's own: who comes where."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from installer import packages

from .conftest import Rendered

OWN_NAME_SPACE = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--")
PORTS = [22, 179, 2379, 6443, 9100, 10250, 20244, 24007, 49152, 50051]
FILE = "/etc/atoll/firewall.nft"


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
    assert storage["node"] == [22, 179, 9100, 10250, 24007, 49152, 50051]  # the last lies among the ports of bricks
    assert storage["pod"] == [22, 9100, 10250]
    assert master["master"] == [22, 179, 2379, 6443, 9100, 10250]
    assert master["node"] == [22, 179, 6443, 9100, 10250]


def test_a_node_is_no_router_to_pods_and_services_for_strangers(rules: dict[str, str]) -> None:
    found = comes(rules["worker1"])
    assert found["to a pod"] == ["node", "master", "pod"]
    assert found["to a service"] == ["node", "master", "pod"]


def test_without_rules_everybody_comes_everywhere() -> None:
    found = comes("")
    assert found["stranger"] == found["ipv6"] == PORTS
    assert found["to a service"] == ["node", "master", "pod", "stranger"]
