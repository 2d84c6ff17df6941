"""Ports of nodes that lead to pods: they have no socket there, so it is the API that knows of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from installer.cluster import Cluster, Node
from installer.cluster.listeners import Binds, Listener
from installer.cluster.ports import of_node

EVERY_NODE = ""
ANY_ADDRESS = "*"
_HOME = "atoll-system/"


@dataclass(frozen=True)
class Forward:
    """A port that leads to a pod: of `node`, or of every node; `of` is the namespace/name of the Service or pod."""

    node: str
    protocol: str
    address: str
    port: int
    of: str


def of_services(services: Iterable[dict[str, Any]]) -> Iterator[Forward]:
    """Yield what Services have every node forward: their node ports, and their ports at addresses from outside."""
    for item in services:
        name = _name(item)
        spec = item["spec"]
        led = item.get("status", {}).get("loadBalancer", {}).get("ingress") or ()
        outside = {*(spec.get("externalIPs") or ()), *(each["ip"] for each in led if each.get("ip"))}
        for port in spec.get("ports") or ():
            protocol = str(port.get("protocol", "TCP")).lower()
            if port.get("nodePort"):
                yield Forward(EVERY_NODE, protocol, ANY_ADDRESS, int(port["nodePort"]), name)
            for address in sorted(outside):
                yield Forward(EVERY_NODE, protocol, address, int(port["port"]), name)
        if spec.get("healthCheckNodePort"):
            yield Forward(EVERY_NODE, "tcp", ANY_ADDRESS, int(spec["healthCheckNodePort"]), name)


def of_pods(pods: Iterable[dict[str, Any]]) -> Iterator[Forward]:
    """Yield what pods have their node forward. One with the node's own network listens there itself."""
    for item in pods:
        spec = item["spec"]
        if spec.get("hostNetwork") or not spec.get("nodeName"):
            continue
        for container in (*(spec.get("initContainers") or ()), *spec["containers"]):
            for port in container.get("ports") or ():
                if port.get("hostPort"):
                    protocol = str(port.get("protocol", "TCP")).lower()
                    address = port.get("hostIP") or ANY_ADDRESS
                    yield Forward(spec["nodeName"], protocol, address, int(port["hostPort"]), _name(item))


def without_row(cluster: Cluster, node: Node, forwards: Iterable[Forward]) -> list[Forward]:
    """Return what this node forwards, and neither the table nor what an administrator opened speaks of.

    A row of the table is for the pods of its program, one that an administrator opened for whatever is there.
    """
    rows = [row for row in of_node(cluster, node) if row.binds is Binds.FORWARDED or not row.program]
    return [
        each
        for each in forwards
        if each.node in (EVERY_NODE, node.name) and not any(_speaks(row, each) for row in rows)
    ]


def _speaks(row: Listener, of: Forward) -> bool:
    theirs = not row.program or of.of.startswith(_HOME + row.program)
    return theirs and row.protocol == of.protocol and row.has(of.port)


def _name(item: dict[str, Any]) -> str:
    return f"{item['metadata']['namespace']}/{item['metadata']['name']}"
