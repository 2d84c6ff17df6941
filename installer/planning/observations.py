"""What was seen of a cluster, for the planner. Made by `installer.running.observe`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Record:
    """What `atoll_record` wrote when a phase had succeeded.

    With `begun` somebody has worked on the phase since, and its end was never seen: what it left is not known to be
    what the record says, but it does stand.
    """

    input_hash: str
    version: str = ""
    at: str = ""
    begun: bool = False


@dataclass(frozen=True)
class Managed:
    """What the probe of a phase found: whether everything is as the phase left it, and what is not."""

    ok: bool
    drifted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Seen:
    """Records and probes of one node, or of the cluster as a whole.

    A phase in `managed` without a record has begun and never ended.
    """

    reachable: bool = True
    records: Mapping[str, Record] = field(default_factory=dict)
    managed: Mapping[str, Managed] = field(default_factory=dict)
    kubernetes: str = ""  # version of the control plane that stands on this master
    certificates_end: str = ""  # the day on which the first of kubeadm's certificates on this master ends
    problem: str = ""  # why it is not reachable, in words
    known: bool = True  # False: it could not be looked at, and nothing is remembered of it


@dataclass(frozen=True)
class Observations:
    """All that was seen. A node that is not in it has never been looked at: nothing is known to be on it."""

    nodes: Mapping[str, Seen] = field(default_factory=dict)
    cluster: Seen = field(default_factory=Seen)

    def node(self, name: str) -> Seen:
        """Return what was seen of a node."""
        return self.nodes.get(name, Seen())
