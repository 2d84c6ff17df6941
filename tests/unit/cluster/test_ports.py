"""The table of ports: what follows from it for a node, and what no row may allow."""

from __future__ import annotations

import pytest

from installer.cluster import TREE, Cluster, load, loads
from installer.cluster.listeners import Binds, Who
from installer.cluster.ports import firewall, listeners, of_node, who, who_ipv6

NETWORKS = "firewall: {administrators: [10.1.0.0/16], open_tcp: [9182], open_udp: [161]}\n"
# What the seeds of this table were: nobody but nodes may come there, whatever else changes.
OF_NODES = {"24009", "179", "5443"}


@pytest.fixture
def cluster() -> Cluster:
    return load(TREE / "cluster.example.yaml")


def told(cluster: Cluster, name: str) -> dict[str, list[str]]:
    return {f"{row['ports']}/{row['protocol']}": row["from"] for row in firewall(cluster, cluster.node(name))["accept"]}


def test_what_nodes_say_to_each_other_is_for_nodes(cluster: Cluster) -> None:
    found = {row.ports: row.who for row in listeners(cluster) if row.ports in OF_NODES}
    assert found == dict.fromkeys(OF_NODES, (Who.NODES,))
    assert {row.who for row in listeners(cluster) if row.first in (2379, 2380)} == {(Who.MASTERS,)}


def test_glusterd_whose_visitors_may_become_peers_is_for_storage_nodes(cluster: Cluster) -> None:
    assert {row.who for row in listeners(cluster) if row.program == "glusterd"} == {(Who.STORAGE,)}
    rules = firewall(cluster, cluster.node("storage1"))
    assert rules["storage"] == [node.address for node in cluster.storage_nodes]
    assert [row["from"] for row in rules["accept"] if row["ports"] == "24007"] == [["storage"]]


def test_a_node_opens_what_is_on_it_and_nothing_else(cluster: Cluster) -> None:
    worker, master, storage = (set(told(cluster, name)) for name in ("worker1", "master1", "storage1"))
    assert worker == {"22/tcp", "179/tcp", "9100/tcp", "10250/tcp"}
    assert master - worker == {"2379/tcp", "2380/tcp", "6443/tcp", "7444/tcp"}
    assert storage - worker == {"24007/tcp", "24009/tcp", "5443/tcp"}


def test_everybody_comes_to_the_portal_and_to_what_administrators_use_until_their_networks_are_named(
    cluster: Cluster,
) -> None:
    def open_to_all(cluster: Cluster) -> set[str]:
        return {f"{row.ports}/{row.protocol}" for row in listeners(cluster) if who(cluster, row) == (Who.EVERYBODY,)}

    assert open_to_all(cluster) == {"22/tcp", "80/tcp", "443/tcp", "6443/tcp"}
    narrow = loads(
        "name: a\nnodes: [{name: m, address: 10.0.0.1, roles: [master, storage]}]\n" + NETWORKS, installed=False
    )
    assert open_to_all(narrow) == {"80/tcp", "443/tcp", "9182/tcp", "161/udp"}
    assert told(narrow, "m")["22/tcp"] == ["nodes", "administrators"]


def test_over_ipv6_nobody_comes_where_not_everybody_may(cluster: Cluster) -> None:
    assert {row.first for row in listeners(cluster) if who_ipv6(cluster, row)} == {22, 6443}


def test_tasks_come_to_the_name_service_alone(cluster: Cluster) -> None:
    assert {row.program for row in listeners(cluster) if Who.TASKS in row.who} == {"kube-system/kube-dns"}


def test_each_port_of_a_node_has_one_row(cluster: Cluster) -> None:
    for node in cluster.nodes:
        rows = of_node(cluster, node)
        assert all(row.binds is not Binds.PODS for row in rows)
        open_rows = [row for row in rows if row.binds is not Binds.LOOPBACK]
        for one in open_rows:
            assert [other for other in open_rows if other.has(one.first) and other.protocol == one.protocol] == [one]


def test_a_driver_brings_its_rows() -> None:
    local = loads(
        "name: a\nnodes: [{name: m, address: 10.0.0.1, roles: [master, worker]}]\nstorage: {driver: local}\n",
        installed=False,
    )
    assert not {row.first for row in listeners(local)} & {24007, 24009}
