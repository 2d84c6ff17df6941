"""Ports of nodes that lead to pods are found by the API and held against the table of ports."""

from __future__ import annotations

from typing import Any

import pytest

from installer.cluster import TREE, Cluster, load, loads
from installer.services.forwarding import Forward, of_pods, of_services, without_row


def service(name: str, ports: list[dict[str, Any]], **spec: Any) -> dict[str, Any]:
    return {"metadata": {"namespace": "site", "name": name}, "spec": {"ports": ports, **spec}, "status": {}}


def pod(name: str, node: str | None, ports: list[dict[str, Any]], **spec: Any) -> dict[str, Any]:
    containers = [{"name": "c"}, {"name": "d", "ports": ports}]
    named = {"metadata": {"namespace": "atoll-system", "name": name}}
    return {**named, "spec": {"nodeName": node, "containers": containers, **spec}}


SERVICES = [
    service("inner", [{"port": 80}]),
    service("door", [{"port": 80, "nodePort": 31080}, {"port": 53, "nodePort": 31053, "protocol": "UDP"}]),
    service("outside", [{"port": 8443}], externalIPs=["192.0.2.7"]),
    {
        **service("balanced", [{"port": 9000, "nodePort": 31900}], healthCheckNodePort=31901),
        "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.8"}, {"hostname": "a.example"}]}},
    },
]
PODS = [
    pod("gateway", "master1", [{"containerPort": 8443, "hostPort": 443}, {"containerPort": 9}]),
    pod("stray", "worker1", [{"containerPort": 1, "hostPort": 443, "hostIP": "10.77.0.21", "protocol": "UDP"}]),
    pod("of-the-node", "worker1", [{"containerPort": 7, "hostPort": 7}], hostNetwork=True),
    pod("waits", None, [{"containerPort": 8, "hostPort": 8}]),
]


@pytest.fixture
def cluster() -> Cluster:
    return load(TREE / "cluster.example.yaml")


def test_what_every_node_forwards_for_services_is_found() -> None:
    assert list(of_services(SERVICES)) == [
        Forward("", "tcp", "*", 31080, "site/door"),
        Forward("", "udp", "*", 31053, "site/door"),
        Forward("", "tcp", "192.0.2.7", 8443, "site/outside"),
        Forward("", "tcp", "*", 31900, "site/balanced"),
        Forward("", "tcp", "192.0.2.8", 9000, "site/balanced"),
        Forward("", "tcp", "*", 31901, "site/balanced"),
    ]


def test_what_a_node_forwards_for_its_pods_is_found() -> None:
    assert list(of_pods(PODS)) == [
        Forward("master1", "tcp", "*", 443, "atoll-system/gateway"),
        Forward("worker1", "udp", "10.77.0.21", 443, "atoll-system/stray"),
    ]


def test_the_portals_port_on_masters_has_a_row_and_none_elsewhere(cluster: Cluster) -> None:
    seen = [*of_services(SERVICES[:2]), *of_pods(PODS)]
    assert [each.of for each in without_row(cluster, cluster.node("master1"), seen)] == ["site/door", "site/door"]
    assert {each.port for each in without_row(cluster, cluster.node("worker1"), seen)} == {31080, 31053, 443}


def test_the_portals_port_is_the_gateways_alone(cluster: Cluster) -> None:
    """Another Service with its number, at an address from outside, is not what the row speaks of."""
    other = {**service("balanced", [{"port": 443}]), "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.8"}]}}}
    (named,) = without_row(cluster, cluster.node("master1"), [*of_services([other]), *of_pods(PODS[:1])])
    assert (named.of, named.port) == ("site/balanced", 443)


def test_a_port_that_an_administrator_opened_has_a_row() -> None:
    text = "name: a\nnodes: [{name: m, address: 10.0.0.1, roles: [master, storage]}]\nfirewall: {open_tcp: [31080]}\n"
    opened = loads(text, installed=False)
    assert [each.port for each in without_row(opened, opened.nodes[0], of_services(SERVICES[:2]))] == [31053]
