"""What listens on the nodes, by `ss` there, held against the table of ports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from installer.cluster import Cluster, Node
from installer.cluster.listeners import Binds, Listener
from installer.cluster.ports import listeners, of_node, who, who_ipv6
from installer.services.access import Access
from installer.services.forwarding import of_pods, of_services
from installer.services.forwarding import without_row as forwarded_without_row
from installer.services.kubernetes_api import KubernetesUnavailable
from installer.ssh.nodes import NodeNotBelieved, NodeUnreachable, SshNode, ask_all, shown

ASKED = ("ss", "--no-header", "--tcp", "--udp", "--listening", "--numeric", "--processes")
MOST_BYTES = 1 << 20
MOST_SOCKETS = 2000
_LINE = re.compile(
    r"""(?P<protocol>tcp|udp) \s+ (?:LISTEN|UNCONN) \s+ \d+ \s+ \d+ \s+
    (?P<address>\*|[0-9.]+|\[[0-9A-Fa-f:.]+\])(?:%[^\s:]+)?:(?P<port>\d{1,5}) \s+ \S+ (?P<rest>.*)""",
    re.VERBOSE | re.ASCII,
)
_PROGRAM = re.compile(r'\(\("([^"]*)"')
HIGHEST_PORT = 65535
_LOOPBACK = ("127.", "[::1]", "[::ffff:127.")


@dataclass(frozen=True)
class Socket:
    """A socket that listens."""

    protocol: str
    address: str
    port: int
    program: str

    @property
    def loopback(self) -> bool:
        """Whether only the node itself can reach it."""
        return self.address.startswith(_LOOPBACK)


def understood(text: str) -> Iterator[Socket]:
    """Read the output of `ss`. Raises ValueError for a line that it does not say: who answers there hides something."""
    for line in text.splitlines():
        found = _LINE.fullmatch(line.rstrip())
        if found is None or int(found["port"]) > HIGHEST_PORT or not line.replace("\t", " ").isprintable():
            raise ValueError(f"`ss` says no such line: {shown(line, 200)}")
        program = _PROGRAM.search(found["rest"])
        yield Socket(found["protocol"], found["address"], int(found["port"]), program[1] if program else "")


def row_of(rows: list[Listener], socket: Socket) -> Listener | None:
    """Return the row that speaks of a socket: one that listens on loopback may do less than its row."""
    for row in rows:
        fits = row.protocol == socket.protocol and row.has(socket.port)
        if fits and (row.binds is Binds.NODE or socket.loopback) and row.program in ("", socket.program):
            return row
    return None


def sockets(access: Access) -> dict[str, list[Socket] | NodeUnreachable]:
    """Ask all nodes what listens. Of one whose answer is not understood nothing counts, and the others are told."""

    def ask(node: SshNode) -> list[Socket]:
        code, output, errors = node.ask(ASKED, most_bytes=MOST_BYTES)
        if code != 0:
            raise NodeUnreachable(node.name, shown(errors))
        try:
            found = list(understood(output))
        except ValueError as error:
            raise NodeNotBelieved(node.name, str(error)) from None
        if len(found) > MOST_SOCKETS:
            raise NodeNotBelieved(node.name, f"more than {MOST_SOCKETS} sockets listen there")
        return found

    return ask_all(access.nodes("all"), ask)


def without_row(cluster: Cluster, node: Node, seen: list[Socket]) -> list[Socket]:
    """Return what listens on a node, and no row speaks of."""
    rows = of_node(cluster, node)
    return [socket for socket in seen if row_of(rows, socket) is None]


def table(access: Access) -> dict[str, Any]:
    """Return the table and what listens or leads to pods without a row: the JSON form of `status --ports`."""
    cluster = access.cluster
    unlisted, silent = [], []
    try:
        forwards = [*of_services(access.kubernetes.services()), *of_pods(access.kubernetes.pods())]
    except KubernetesUnavailable as error:
        forwards = []
        silent.append({"node": "", "message": f"Which ports lead to pods is not known: {error.message}"})
    for name, seen in sockets(access).items():
        if isinstance(seen, NodeUnreachable):
            silent.append({"node": name, "message": str(seen)})
            continue
        unlisted += [
            {"node": name, "protocol": one.protocol, "address": one.address, "port": one.port, "program": one.program}
            for one in without_row(cluster, cluster.node(name), seen)
        ]
    for node in cluster.members:
        unlisted += [
            {"node": node.name, "protocol": one.protocol, "address": one.address, "port": one.port, "program": one.of}
            for one in forwarded_without_row(cluster, node, forwards)
        ]
    rows = [
        {
            "what": row.what,
            "program": row.program,
            "protocol": row.protocol,
            "ports": row.ports,
            "binds": str(row.binds),
            "on": row.on,
            "who": [str(one) for one in who(cluster, row)],
            "callers": list(row.callers),
            "who_ipv6": [str(one) for one in who_ipv6(cluster, row)],
            "sensitive": row.sensitive,
        }
        for row in listeners(cluster)
    ]
    return {"firewall": cluster.firewall.enabled, "rows": rows, "without_row": unlisted, "silent": silent}
