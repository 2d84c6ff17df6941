"""Enrolment: what host key each server shows, whether it is the pinned one, and pinning it once a person says so."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from installer.cluster import Cluster, Node, known_hosts, own_key
from installer.preflight import known_hosts as pins
from installer.preflight.access import changed, pattern, pin_declared, refusal, ssh_arguments
from installer.preflight.checks import Finding
from installer.preflight.errors import PreflightError
from installer.preflight.ssh import ensure_cluster_key

State = Literal["pinned", "new", "changed", "unreachable"]


@dataclass(frozen=True)
class Shown:
    """The host key that a node shows, beside the pinned one."""

    node: str
    address: str
    state: State
    key: str = ""
    evidence: str = ""
    remedy: str = ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key that it shows; empty if it shows none."""
        return pins.fingerprint(self.key) if self.key else ""

    def to_json(self) -> dict[str, str]:
        """Return it as plain data."""
        return {**asdict(self), "fingerprint": self.fingerprint}


def prepare(cluster: Cluster) -> None:
    """Make the cluster's own SSH key if it has none, and pin the host keys that cluster.yaml itself names."""
    ensure_cluster_key(own_key(cluster), cluster.name)
    pin_declared(cluster)


def look(cluster: Cluster, nodes: Sequence[Node]) -> list[Shown]:
    """Ask every node for its host key, all at once; nothing is pinned."""
    pinned = pins.read(known_hosts(cluster))
    with ThreadPoolExecutor(max_workers=min(32, max(1, len(nodes)))) as pool:
        return list(pool.map(lambda node: _look(cluster, node, pinned.get(pattern(cluster, node))), nodes))


def pin(cluster: Cluster, shown: Sequence[Shown]) -> None:
    """Pin the new keys among these. A changed one is never replaced: it has to be forgotten first."""
    new = {pattern(cluster, cluster.node(one.node)): one.key for one in shown if one.state == "new"}
    pins.write(known_hosts(cluster), {**new, **pins.read(known_hosts(cluster))})


def forget(cluster: Cluster, nodes: Sequence[Node]) -> list[str]:
    """Take the pinned keys of these nodes away; return the names of those that had one."""
    declared = [node.name for node in nodes if node.host_key]
    if declared:
        raise PreflightError(
            f"cluster.yaml itself names the host key of {', '.join(declared)}",
            "Change `host_key` of the node there; it has the last word.",
        )
    pinned = pins.read(known_hosts(cluster))
    gone = [node.name for node in nodes if pinned.pop(pattern(cluster, node), None)]
    pins.write(known_hosts(cluster), pinned)
    return gone


def _look(cluster: Cluster, node: Node, pinned: str | None) -> Shown:
    key, said = _offered(cluster, node)
    address = str(node.address)
    if not key:
        return _trouble(node, "unreachable", refusal(cluster, node, said))
    if pinned is None:
        return Shown(node.name, address, "new", key)
    if pinned != key:
        return _trouble(node, "changed", changed(cluster, node, pins.fingerprint(key)), key)
    return Shown(node.name, address, "pinned", key)


def _trouble(node: Node, state: State, finding: Finding, key: str = "") -> Shown:
    return Shown(node.name, str(node.address), state, key, f"{finding.title}: {finding.evidence}", finding.remedy)


def _offered(cluster: Cluster, node: Node) -> tuple[str, str]:
    """Return the key that the node shows and what `ssh` said; the same way in as later, through a jump host too."""
    with tempfile.TemporaryDirectory(prefix="atoll-enrol-") as folder:
        shown = Path(folder, "known_hosts")
        # No way to sign in is tried: the key exchange before it is all that is wanted.
        options = {
            "UserKnownHostsFile": str(shown),
            "StrictHostKeyChecking": "accept-new",
            "PreferredAuthentications": "none",
            "HashKnownHosts": "no",
        }
        command = [*ssh_arguments(cluster, node, **options), "true"]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False
            )
        except subprocess.TimeoutExpired:
            return "", "no answer within 30 s"
        return next(iter(pins.read(shown).values()), ""), done.stderr
