"""What a row of the table of ports says; `ports.py` has the table, a driver adds rows of its own (`drivers.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Place = Literal["all", "masters", "storage", "registry"]
Protocol = Literal["tcp", "udp"]
LAST_PORT = 65535


class Binds(StrEnum):
    """Where a program listens."""

    NODE = "node"  # the node's addresses, or all
    LOOPBACK = "loopback"
    PODS = "pod network"  # a Service; a node comes to the pods that run on it anyway, for their probes
    FORWARDED = "node, forwarded"  # a port of the node that leads to a pod


class Who(StrEnum):
    """Who may come. Nodes and pods are known by their IPv4 addresses, so over IPv6 only everybody may come anywhere."""

    EVERYBODY = "everybody"
    ADMINISTRATORS = "administrators"  # from the networks of `firewall.administrators`; without any: everybody
    NODES = "nodes"
    MASTERS = "masters"
    STORAGE = "storage"
    PODS = "pods"  # those of the system, as far as network policies let them; a task is none of them
    TASKS = "tasks"


@dataclass(frozen=True)
class Listener:
    """Something that listens: on ports of nodes, or as a Service of the cluster (`program` is its namespace/name)."""

    what: str
    program: str  # as the kernel names the process: its first 15 letters
    first: int
    last: int = 0  # of a range; 0: `first` alone
    protocol: Protocol = "tcp"
    binds: Binds = Binds.NODE
    on: Place = "all"
    who: tuple[Who, ...] = ()  # empty: nobody but the node itself
    callers: tuple[str, ...] = ()  # of the pods of the system these alone, by `app.kubernetes.io/name`; empty: all

    @property
    def ports(self) -> str:
        """The port, or first and last of the range."""
        return f"{self.first}-{self.last}" if self.last else str(self.first)

    @property
    def sensitive(self) -> bool:
        """Whether some may come and neither strangers nor tasks are meant: who comes there is a part of the cluster."""
        return bool(self.who) and not {Who.EVERYBODY, Who.TASKS} & {*self.who}

    def has(self, port: int) -> bool:
        """Say whether a port is one of these."""
        return self.first <= port <= (self.last or self.first)
