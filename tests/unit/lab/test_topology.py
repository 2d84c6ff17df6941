"""Needs nothing. What a lab is to be is worked out from cluster.yaml."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from installer.cluster import Cluster, loads, reference
from installer.lab import LabError
from installer.lab.base import recipe_hash
from installer.lab.disks import REAL, binds
from installer.lab.network import _hardware_address, _walls
from installer.lab.state import Made
from installer.lab.topology import lab_of


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path))
    return reference()


def test_the_reference_topology_is_a_lab_of_four_nodes(cluster: Cluster, tmp_path: Path) -> None:
    lab = lab_of(cluster)
    assert [(node.name, node.address) for node in lab.nodes] == [
        ("master1", "10.77.0.11"),
        ("worker1", "10.77.0.21"),
        ("worker2", "10.77.0.22"),
        ("storage1", "10.77.0.31"),
    ]
    assert (lab.bridge, lab.address, lab.prefix) == ("atoll0", "10.77.0.1", 24)
    assert lab.known_hosts == tmp_path / "demo/ssh/known_hosts"
    assert lab.node("worker1").key_file == tmp_path / "demo/ssh/id_ed25519"
    assert lab.node("worker1").cgroup == "atoll-lab/demo/worker1"


def test_names_of_links_are_short_and_differ_between_nodes_and_labs(cluster: Cluster) -> None:
    nodes = lab_of(cluster).nodes
    links = {node.link for node in (*nodes, *(replace(node, cluster="other") for node in nodes))}
    assert len(links) == 8
    assert all(len(link) <= 15 for link in links)
    addresses = {_hardware_address(node.machine) for node in nodes}
    assert len(addresses) == 4
    assert all(int(address[:2], 16) & 3 == 2 for address in addresses)  # locally administered, not a group


def test_a_node_has_its_own_size_else_that_of_all(tmp_path: Path) -> None:
    text = """
name: sized
lab: {memory: 2Gi, nodes: {b: {memory: 512Mi, cpus: 0.5}}}
ssh: {user: admin, port: 2222}
nodes:
  - {name: a, address: 10.77.0.5, roles: [master]}
  - {name: b, address: 10.77.0.6, roles: [worker, storage], ssh: {user: root}}
"""
    lab = lab_of(loads(text, installed=False))
    a, b = lab.nodes
    assert (a.memory_bytes, a.cpus, a.user, a.port) == (2 << 30, None, "admin", 2222)
    assert (b.memory_bytes, b.cpus, b.user, b.port) == (512 << 20, 0.5, "root", 2222)


def test_servers_are_no_lab(cluster: Cluster) -> None:
    with pytest.raises(LabError, match="servers, not a lab"):
        lab_of(cluster.model_copy(update={"lab": None}))


def test_an_unknown_node_is_answered_with_those_there_are(cluster: Cluster) -> None:
    with pytest.raises(LabError) as error:
        lab_of(cluster).node("worker9")
    assert "master1, worker1, worker2, storage1" in str(error.value)


def test_nodes_made_before_stay_in_the_books_when_they_leave_the_file(cluster: Cluster) -> None:
    lab = lab_of(cluster)
    before = Made.of(lab, None)
    after = Made.of(replace(lab, nodes=lab.nodes[:1]), before)
    assert after.nodes == before.nodes


def test_what_needs_a_real_file_system_is_bound_into_the_node(cluster: Cluster) -> None:
    node = lab_of(cluster).nodes[0]
    assert set(binds(node).values()) == set(REAL)
    assert all(folder.is_relative_to(node.directory / "disk") for folder in binds(node))


def test_the_walls_stand_in_both_directions() -> None:
    rules = _walls("atoll0")
    assert 'iifname "atoll0" oifname != "atoll0" drop' in rules
    assert 'oifname "atoll0" iifname != "atoll0" drop' in rules


def test_the_base_root_is_found_again_by_its_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    before = recipe_hash()
    assert recipe_hash() == before
    monkeypatch.setattr("installer.lab.base.PACKAGES", ("systemd",))
    assert recipe_hash() != before
