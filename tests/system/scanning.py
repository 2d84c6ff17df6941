"""What programs somewhere on the nodes' network try: a scan of sockets of nodes, of Services and of pods."""

from __future__ import annotations

import json
from typing import Any

from installer.cluster import Cluster
from installer.cluster.listeners import Binds, Who
from installer.cluster.ports import listeners, of_node, who, who_ipv6
from installer.services.listening import Socket
from tests.system.harness import Atoll
from tests.system.test_28_access import listening as pod_ports

# Tries every target, [label, address, port, protocol]; prints as JSON which labels were reached, and its addresses.
SCAN = """
import json, socket, sys
from concurrent.futures import ThreadPoolExecutor

TARGETS = json.loads(%r)
NAME = b"\\x0akubernetes\\x07default\\x03svc\\x07cluster\\x05local\\x00"
QUERY = bytes.fromhex("abcd01000001000000000000") + NAME + bytes.fromhex("00010001")

def reached(target):
    label, address, port, protocol = target
    kind = socket.SOCK_DGRAM if protocol == "udp" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, kind) as one:
        one.settimeout(1.5)
        try:
            scope = (0, socket.if_nametoindex("eth0")) if ":" in address else ()
            one.connect((address, port, *scope))
            if protocol == "udp":
                one.send(QUERY)
                one.recv(512)
        except OSError:
            return None
    return label

with ThreadPoolExecutor(64) as pool:
    found = [label for label in pool.map(reached, TARGETS) if label]
with open("/proc/net/if_inet6") as stream:
    inet6 = [line.split()[-1] for line in stream]
print("SCANNED " + json.dumps({"reached": sorted(found), "inet6": inet6}), flush=True)
"""
Target = tuple[str, str, int, str]


def scan(targets: list[Target]) -> str:
    return SCAN % json.dumps(targets)


def scanned(text: str) -> dict[str, Any]:
    (line,) = [line for line in text.splitlines() if line.startswith("SCANNED ")]
    found: dict[str, Any] = json.loads(line.removeprefix("SCANNED "))
    return found


def of_nodes(cluster: Cluster, listening: dict[str, list[Socket]], addresses: dict[str, str]) -> list[Target]:
    """Each socket of each node that is more than loopback, and each forwarded port of the table."""
    found: set[Target] = set()
    for node in cluster.nodes:
        address = addresses[node.name]
        for socket in listening[node.name]:
            if not socket.loopback:
                found.add((f"{node.name} {socket.port}/{socket.protocol}", address, socket.port, socket.protocol))
        for row in of_node(cluster, node):
            if row.binds is Binds.FORWARDED:
                found.add((f"{node.name} {row.first}/tcp", address, row.first, "tcp"))
    return sorted(found)


def further_addresses(atoll: Atoll, cluster: Cluster) -> dict[str, list[str]]:
    """What else a node answers at over IPv4: on the bridge of its pods it is their gateway."""
    found = {}
    for node in cluster.nodes:
        links = json.loads(atoll.node(node.name, "ip", "-json", "-4", "address", "show", "scope", "global").out)
        found[node.name] = sorted({one["local"] for link in links for one in link["addr_info"]} - {node.address})
    return found


def at_further(cluster: Cluster, listening: dict[str, list[Socket]], further: dict[str, list[str]]) -> list[Target]:
    """Each socket of each node at each of these addresses, which is the last word of the label."""
    return [
        (f"{label} {address}", address, port, protocol)
        for name, addresses in further.items()
        for address in addresses
        for label, _, port, protocol in of_nodes(cluster, listening, dict.fromkeys(further, address))
        if label.split()[0] == name
    ]


def of_services(services: list[dict[str, Any]]) -> list[Target]:
    """Each port of each Service that has an address of its own: others lead to pods, which are tried, too."""
    found: list[Target] = []
    for item in services:
        name = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        for port in item["spec"]["ports"]:
            protocol = port["protocol"].lower()
            if item["spec"]["clusterIP"] != "None":
                found.append((f"{name} {port['port']}/{protocol}", item["spec"]["clusterIP"], port["port"], protocol))
    return found


def of_pods(atoll: Atoll) -> list[Target]:
    """Each declared TCP port of each pod of the system: of some no Service tells."""
    found = sorted(pod_ports(atoll).items())
    return [(f"{name} {port} at {target}", target.rpartition(":")[0], port, "tcp") for target, (name, port) in found]


def nodes_may(cluster: Cluster, target: Target) -> bool:
    """Whether the table lets a node come to this port of another node, or of a Service."""
    label, _, port, protocol = target
    place = label.split()[0]
    if "/" in place:
        rows = [row for row in listeners(cluster) if row.binds is Binds.PODS and row.program == place]
    else:
        rows = [row for row in of_node(cluster, cluster.node(place)) if row.binds in (Binds.NODE, Binds.FORWARDED)]
    fits = [row for row in rows if row.protocol == protocol and row.has(port)]
    return any({Who.NODES, Who.EVERYBODY} & {*who(cluster, row)} for row in fits)


def tasks_may(cluster: Cluster, targets: list[Target]) -> set[str]:
    """Where tasks may come by the table, and the pods that the Services behind it lead to, at the same port."""
    rows = [row for row in listeners(cluster) if Who.TASKS in row.who]
    names = {f"{row.program} {row.first}/{row.protocol}" for row in rows}
    ports = {(row.program.rpartition("/")[2], row.first, row.protocol) for row in rows}
    pods = {label for label, _, port, protocol in targets if (label.split()[0], port, protocol) in ports}
    assert pods, "no pod of a name service is among what is tried"
    return names | pods


def allowed(cluster: Cluster, ipv6: bool = False) -> set[str]:
    """What everybody may come to, by the table."""
    asked = who_ipv6 if ipv6 else who
    return {
        f"{node.name} {row.first}/{row.protocol}"
        for node in cluster.nodes
        for row in of_node(cluster, node)
        if Who.EVERYBODY in asked(cluster, row)
    }


def link_local(atoll: Atoll, name: str) -> str:
    """The address of a node on the nodes' network that it has over IPv6 without being told."""
    (link,) = json.loads(atoll.node(name, "ip", "-json", "-6", "address", "show", "dev", "eth0").out)
    return str(link["addr_info"][0]["local"])
