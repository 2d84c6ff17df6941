"""A host on the nodes' network without credentials, a task of a user, and a node, try all nodes, Services and pods.

What there is to try is found on the nodes (`ss`) and by the API, never from a list; who may come is the table of ports.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import Cluster, load
from installer.cluster.listeners import Binds, Listener, Who
from installer.cluster.ports import listeners, of_node, who, who_ipv6
from installer.services.listening import ASKED, Socket, row_of, understood
from tests.system.harness import CLUSTER_FILE, Atoll, Portal, wait_for
from tests.system.jobs import log
from tests.system.people import Browser, people
from tests.system.scanning import (
    Target,
    allowed,
    at_further,
    further_addresses,
    nodes_may,
    of_nodes,
    of_pods,
    of_services,
    scan,
    scanned,
    tasks_may,
)
from tests.system.scanning import link_local as link_local_of
from tests.system.test_28_access import OPEN

ROGUE, ADDRESS = "atoll-rogue", "10.79.0.199"
LINKS = ("rogue0", "eth0")
# Asks for measurements, by http and by https with each certificate of a node; prints what it got or why not.
ASK = """
import ssl, urllib.request

PKI = "/etc/atoll/pki/"
for shown in ("http", "", "node", "kubelet"):
    context = ssl._create_unverified_context()
    if shown not in ("http", ""):
        context.load_cert_chain(PKI + shown + ".crt", PKI + shown + ".key")
    scheme = "http" if shown == "http" else "https"
    try:
        with urllib.request.urlopen(f"{scheme}://%s:9100/metrics", timeout=5, context=context) as answer:
            print(answer.status, len(answer.read()))
    except OSError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return load(CLUSTER_FILE)


@pytest.fixture(scope="module")
def listening(atoll: Atoll, cluster: Cluster) -> dict[str, list[Socket]]:
    return {node.name: list(understood(atoll.node(node.name, *ASKED).out)) for node in cluster.nodes}


@pytest.fixture(scope="module")
def link_local(atoll: Atoll, cluster: Cluster) -> dict[str, str]:
    return {node.name: link_local_of(atoll, node.name) for node in cluster.nodes}


@pytest.fixture(scope="module")
def further(atoll: Atoll, cluster: Cluster) -> dict[str, list[str]]:
    found = further_addresses(atoll, cluster)
    assert found["master1"], "it has no bridge of pods"
    assert found["worker1"]
    return found


@pytest.fixture(scope="module")
def services(atoll: Atoll) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = atoll.kubectl("get", "services", "-A", "-o", "json").json["items"]
    return found


@pytest.fixture(scope="module")
def rogue(atoll: Atoll, cluster: Cluster) -> Iterator[None]:
    def ip(*words: str, ok: bool = True) -> None:
        subprocess.run(["ip", *words], check=ok, capture_output=True)

    assert cluster.lab is not None
    ip("netns", "delete", ROGUE, ok=False)
    ip("link", "delete", LINKS[0], ok=False)
    ip("netns", "add", ROGUE)
    try:
        ip("link", "add", LINKS[0], "type", "veth", "peer", "name", LINKS[1], "netns", ROGUE)
        ip("link", "set", LINKS[0], "master", cluster.lab.bridge, "up")
        inside = ("-n", ROGUE)
        ip(*inside, "address", "add", f"{ADDRESS}/24", "dev", LINKS[1])
        ip(*inside, "link", "set", LINKS[1], "up")
        # A node as its router: pods and services are no secret of the nodes.
        for network in (cluster.network.pod_network, cluster.network.service_network):
            ip(*inside, "route", "add", network, "via", cluster.first_master.address)
        tentative = ["ip", "-n", ROGUE, "-6", "address", "show", "dev", LINKS[1], "scope", "link", "-tentative"]
        wait_for(
            "an address of the link",
            lambda: "fe80" in subprocess.run(tentative, check=True, capture_output=True, text=True).stdout,
            10,
        )
        yield
    finally:
        ip("netns", "delete", ROGUE, ok=False)


def come(targets: list[Target]) -> set[str]:
    argv = ["ip", "netns", "exec", ROGUE, sys.executable, "-c", scan(targets)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60)
    return set(scanned(done.stdout)["reached"])


def test_everything_that_listens_on_a_node_has_a_row(
    atoll: Atoll, cluster: Cluster, listening: dict[str, list[Socket]]
) -> None:
    strays = {
        (name, socket)
        for name, seen in listening.items()
        for socket in seen
        if row_of(of_node(cluster, cluster.node(name)), socket) is None
    }
    assert strays == set()
    told = atoll("status", "--ports", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0,)).json
    assert told["rows"]
    assert told["without_row"] == told["silent"] == []


def test_every_service_has_a_row(cluster: Cluster, services: list[dict[str, Any]]) -> None:
    def row(name: str, port: int, protocol: str) -> Listener | None:
        fits = (each for each in listeners(cluster) if each.binds is Binds.PODS and each.program == name)
        return next((each for each in fits if (each.first, each.protocol) == (port, protocol)), None)

    found = [label for label, *_ in of_services(services)]
    assert found
    assert [
        label
        for label, _, port, protocol in of_services(services)
        if not label.startswith("vc-") and row(label.split()[0], port, protocol) is None
    ] == []


@pytest.mark.feature(307)
@pytest.mark.usefixtures("rogue")
def test_a_host_without_credentials_comes_only_where_everybody_may(
    cluster: Cluster, listening: dict[str, list[Socket]], services: list[dict[str, Any]], link_local: dict[str, str]
) -> None:
    addresses = {node.name: node.address for node in cluster.nodes}
    everything = of_nodes(cluster, listening, addresses)
    assert {label for label, *_ in everything} >= allowed(cluster)
    assert come([*everything, *of_services(services)]) == allowed(cluster)
    assert come(of_nodes(cluster, listening, link_local)) == allowed(cluster, ipv6=True)


@pytest.mark.usefixtures("rogue")
def test_a_host_without_credentials_comes_to_no_pod_by_whichever_node(
    atoll: Atoll, cluster: Cluster, listening: dict[str, list[Socket]], further: dict[str, list[str]]
) -> None:
    """Not to the portal's, nor to the name service's: strangers have addresses of nodes to come to, and no others."""
    pods = of_pods(atoll)
    assert {label.split()[0] for label, *_ in pods} >= {"database", "gateway", "kube-dns", "kube-state-metrics"}
    assert come(pods) == set()
    # The first master was the router of all; now each pod's own node is.
    parts = {
        node["metadata"]["name"]: node["spec"]["podCIDR"]
        for node in atoll.kubectl("get", "nodes", "-o", "json").json["items"]
    }
    for node in cluster.nodes:
        route = ["ip", "-n", ROGUE, "route", "replace", parts[node.name], "via", node.address]
        subprocess.run(route, check=True, capture_output=True)
    assert come(pods) == set()
    # The same way leads to the address that a node has on the bridge of its pods: there, too.
    assert come(at_further(cluster, listening, further)) == set()


DOOR = """
apiVersion: v1
kind: Service
metadata: {name: site-door, namespace: atoll-system}
spec:
  type: NodePort
  selector: {app.kubernetes.io/name: gateway}
  ports: [{port: 443, targetPort: %s}]
"""


@pytest.fixture
def door(atoll: Atoll, tmp_path: Path) -> Iterator[int]:
    """A port of all nodes that leads to a pod that takes whoever comes: somebody made it by the API."""
    gateway = atoll.kubectl("get", "pods", "-n", "atoll-system", "-l", "app.kubernetes.io/name=gateway", "-o", "json")
    (target,) = [
        port["containerPort"]
        for container in gateway.json["items"][0]["spec"]["containers"]
        for port in container["ports"]
        if port.get("hostPort") == 443
    ]
    file = tmp_path / "door.yaml"
    file.write_text(DOOR % target)
    atoll.kubectl("apply", "-f", str(file))
    try:
        made = atoll.kubectl("get", "service", "-n", "atoll-system", "site-door", "-o", "json").json
        yield int(made["spec"]["ports"][0]["nodePort"])
    finally:
        atoll.kubectl("delete", "-f", str(file))


@pytest.mark.usefixtures("rogue")
def test_a_port_that_leads_to_a_pod_is_named_and_leads_no_stranger_there(
    atoll: Atoll, cluster: Cluster, door: int
) -> None:
    """It has no socket, so `ss` knows nothing of it."""
    targets = [(node.name, node.address, door, "tcp") for node in cluster.nodes]

    def comes_from_a_node() -> set[str]:
        return set(scanned(atoll.node("storage1", "python3", "-c", scan(targets)).out)["reached"])

    wait_for("the door leads somewhere", lambda: comes_from_a_node() >= {"master1", "worker1"}, 20)
    assert come(targets) == set()
    told = atoll("status", "--ports", "-f", str(CLUSTER_FILE), "-o", "json", ok=(1,)).json["without_row"]
    assert {(one["node"], one["port"], one["program"]) for one in told} == {
        (node.name, door, "atoll-system/site-door") for node in cluster.nodes
    }


@pytest.mark.timeout(180)
def test_a_node_that_is_no_master_comes_where_the_table_lets_nodes_come(
    atoll: Atoll,
    cluster: Cluster,
    listening: dict[str, list[Socket]],
    services: list[dict[str, Any]],
    link_local: dict[str, str],
    further: dict[str, list[str]],
) -> None:
    """What is on that very node is not asked: it comes to itself by `lo`, and to its own pods for their probes.

    So a Service that has a pod there is left out, too: it leads now to that one, now to another.
    """
    here = "worker1"
    assert not cluster.node(here).is_master

    def elsewhere(addresses: dict[str, str]) -> list[Target]:
        return [each for each in of_nodes(cluster, listening, addresses) if each[0].split()[0] != here]

    running = atoll.kubectl("get", "pods", "-A", "-o", "json").json["items"]
    own = {pod["status"].get("podIP") for pod in running if pod["spec"].get("nodeName") == here}
    led_here = {
        f"{item['metadata']['namespace']}/{item['metadata'].get('labels', {}).get('kubernetes.io/service-name')}"
        for item in atoll.kubectl("get", "endpointslices", "-A", "-o", "json").json["items"]
        if any(each.get("nodeName") == here for each in item.get("endpoints") or ())
    }
    known = [
        *elsewhere({node.name: node.address for node in cluster.nodes}),
        *(each for each in of_services(services) if each[0].split()[0] not in led_here and each[0][:3] != "vc-"),
    ]
    six: list[Target] = [("fe80 " + label, *rest) for label, *rest in elsewhere(link_local)]  # type: ignore[misc]
    pods = [each for each in of_pods(atoll) if each[1] not in own]
    bridges = [each for each in at_further(cluster, listening, further) if each[0].split()[0] != here]
    found = scanned(atoll.node(here, "python3", "-c", scan([*known, *six, *pods, *bridges])).out)
    expected = {target[0] for target in known if nodes_may(cluster, target)}
    assert expected >= {"default/kubernetes 443/tcp", "worker2 10250/tcp", "master1 6443/tcp", "master1 443/tcp"}
    # The kernel takes no segment of BGP without the password's signature, from whomever.
    expected -= {f"{node.name} 179/tcp" for node in cluster.nodes}
    expected |= {"fe80 " + label for label in allowed(cluster, ipv6=True) if label.split()[0] != here}
    # The policies let everybody who is not a stranger come to names and to the portal, at the pods, too.
    expected |= {label for label, *_ in pods if (label.split()[0], int(label.split()[1])) in OPEN}
    at_bridges = {label for label, *_ in bridges}
    assert set(found["reached"]) - at_bridges == expected
    assert set(found["reached"]) & at_bridges, "a node comes there, so that strangers do not says something"
    beyond = {target[0] for target in bridges if not nodes_may(cluster, target)}
    assert set(found["reached"]) & beyond == set()


# What the rules drop on its way in is never confirmed, so the kernel remembers nothing of it. An answer says less:
# a program that is let in may be silent. From a port that nothing else uses.
SEND = """
import json, socket, sys

for address, port in json.loads(sys.argv[1]):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as one:
        one.bind(("", %d))
        scope = (0, socket.if_nametoindex("eth0")) if ":" in address else ()
        one.sendto(b"?", (address, port, *scope))
"""
FROM = 40199


def remembered(atoll: Atoll, node: str) -> set[tuple[str, int]]:
    """Family and port of datagrams of the rogue that this node took."""
    found = set()
    for family in ("ipv4", "ipv6"):
        words = ("conntrack", "-L", "-f", family, "-p", "udp", "--orig-port-src", str(FROM))
        for line in atoll.node(node, *words).out.splitlines():
            ports = [word.removeprefix("dport=") for word in line.split() if word.startswith("dport=")]
            found |= {(family, int(port)) for port in ports[:1]}
    return found


@pytest.mark.usefixtures("rogue")
def test_a_datagram_of_a_host_without_credentials_is_taken_only_where_everybody_may_come(
    atoll: Atoll, cluster: Cluster, listening: dict[str, list[Socket]], link_local: dict[str, str]
) -> None:
    tried = 0
    for node in cluster.nodes:
        ports = sorted({one.port for one in listening[node.name] if one.protocol == "udp"})
        # One where nothing listens, and one of a Service: they go the same way in.
        ports += [port for port in (53, 9) if port not in ports]
        targets = [(address, port) for address in (node.address, link_local[node.name]) for port in ports]
        argv = ["ip", "netns", "exec", ROGUE, sys.executable, "-c", SEND % FROM, json.dumps(targets)]
        subprocess.run(argv, check=True, capture_output=True, timeout=60)
        open_to_all = {
            (family, row.first)
            for family, asked in (("ipv4", who), ("ipv6", who_ipv6))
            for row in of_node(cluster, node)
            if row.protocol == "udp" and row.first in ports and Who.EVERYBODY in asked(cluster, row)
        }
        assert remembered(atoll, node.name) == open_to_all, node.name
        tried += len(targets)
    assert tried >= 4 * len(cluster.nodes)


@pytest.mark.usefixtures("rogue")
def test_what_a_node_takes_of_datagrams_is_remembered(atoll: Atoll, cluster: Cluster) -> None:
    """Else the silence of before says nothing: the same datagram is seen where the rules are away for a moment."""
    node = cluster.node("worker1")
    opened = f"insert rule inet atoll input udp sport {FROM} udp dport 9 accept"
    atoll.node(node.name, "nft", opened)
    try:
        target = json.dumps([(node.address, 9)])
        argv = ["ip", "netns", "exec", ROGUE, sys.executable, "-c", SEND % FROM, target]
        subprocess.run(argv, check=True, capture_output=True, timeout=60)
        assert ("ipv4", 9) in remembered(atoll, node.name)
    finally:
        atoll.node(node.name, "nft", "-f", "/etc/atoll/firewall.nft")
    atoll.node(node.name, "conntrack", "-D", "-p", "udp", "--orig-port-src", str(FROM), ok=(0, 1))


@pytest.mark.usefixtures("rogue")
def test_a_session_of_bgp_without_the_password_and_routes_of_a_stranger_are_refused(
    atoll: Atoll, cluster: Cluster, listening: dict[str, list[Socket]]
) -> None:
    bound = {socket.port for seen in listening.values() for socket in seen if socket.program == "kube-router"}
    assert bound == {179, 20244, 20245}, "GoBGP's gRPC listens"
    # From a node, which the firewall lets in: the segment without a signature never becomes a connection.
    dial = f"import socket; socket.create_connection(({cluster.node('worker2').address!r}, 179), 3)"
    refused = atoll.node("worker1", "python3", "-c", dial, ok=(1,))
    assert "TimeoutError" in refused.out + refused.err
    routes = atoll.node("worker1", "ip", "route", "show", "proto", "17").out
    assert routes.count("10.244.") == len(cluster.nodes) - 1


def test_measurements_of_a_node_are_answered_to_prometheus_only(atoll: Atoll, cluster: Cluster) -> None:
    plain, *refused = atoll.node("worker1", "python3", "-c", ASK % cluster.node("worker2").address).out.splitlines()
    assert "400" in plain
    assert len(refused) == 3
    assert all("_ssl.c" in line for line in refused), refused  # the alert, or the end of the connection before it


def test_a_task_comes_nowhere_but_to_the_name_service_in_both_families(
    atoll: Atoll,
    portal: Portal,
    cluster: Cluster,
    listening: dict[str, list[Socket]],
    services: list[dict[str, Any]],
    link_local: dict[str, str],
    further: dict[str, list[str]],
) -> None:
    """From its program's first instruction on: at nodes, at Services, and at the pods' own addresses.

    Of the registry its port is tried: who comes to none writes nothing there. What those may do there whom the port is
    open to, the nodes, test_56 asks. Over UDP only a name service answers what is asked here, so of other programs the
    silence says nothing; the policy of a task names the ports that it opens for both protocols.
    """
    addresses = {node.name: node.address for node in cluster.nodes}
    six = [("fe80 " + label, *rest) for label, *rest in of_nodes(cluster, listening, link_local)]
    targets: list[Any] = [*of_nodes(cluster, listening, addresses), *six, *of_services(services)]
    targets += at_further(cluster, listening, further) + of_pods(atoll)
    assert {label.split()[0] for label, *_ in targets} >= {"database", "jobs", "files", "api", "kube-dns"}
    assert {port for _, _, port, _ in targets} >= {22, 2379, 5443, 6443, 7444, 10250, 24007}
    with people(atoll, portal) as make, contextlib.closing((user := make("scanner")).browser()) as client:
        browser = Browser(user, client)
        task = browser.run(atoll, "rogue", scan(targets))
        browser.wait_state(task, {"finished"}, 120)
        found = scanned(log(browser, task))
    assert set(found["reached"]) == tasks_may(cluster, targets)
    assert set(found["inet6"]) <= {"lo"}, "the pod has an IPv6 address"
    for node in cluster.nodes:
        links = atoll.node(node.name, "cat", "/proc/net/if_inet6").out
        assert "kube-bridge" not in links
