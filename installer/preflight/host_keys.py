"""Enrolment: what host key each server shows, whether it is the pinned one, and pinning it once a person says so."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from installer import bounded
from installer.cluster import Cluster, Node, known_hosts, own_key
from installer.preflight.access import CONNECT_S, changed, odd, pattern, pin_declared, refusal, ssh_arguments
from installer.preflight.checks import Finding
from installer.preflight.errors import PreflightError
from installer.ssh import known_hosts as pins
from installer.ssh.keys import ensure_cluster_key
from installer.ssh.options import JumpHost, pinned_options

State = Literal["pinned", "new", "changed", "unreachable"]
LIMIT_S = 30.0
MOST_BYTES = 64 << 10  # of what is said on the way to a key: warnings and errors of `ssh`, a banner
TOO_MUCH = f"it has more than {MOST_BYTES >> 10} KiB"


@dataclass(frozen=True)
class Shown:
    """The host key that a node, or a jump host before nodes, shows, beside the pinned one."""

    node: str
    address: str
    state: State
    key: str = ""
    evidence: str = ""
    remedy: str = ""
    jump: bool = False  # then `node` is how the jump host stands among the pinned keys

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


def jump_hosts(cluster: Cluster, nodes: Sequence[Node]) -> dict[str, Node]:
    """Return the jump hosts before these nodes, as they stand among the pinned keys, each with a node behind it."""
    return {gate.pattern: node for node in reversed(nodes) if (gate := _gate(cluster, node))}


def look(cluster: Cluster, nodes: Sequence[Node]) -> list[Shown]:
    """Ask every jump host and node for its host key, all at once; nothing is pinned."""
    pinned = pins.read(known_hosts(cluster))
    gates = jump_hosts(cluster, nodes)
    with (
        tempfile.TemporaryDirectory(prefix="atoll-enrol-") as folder,
        ThreadPoolExecutor(max_workers=min(32, max(1, len(nodes)))) as pool,
    ):
        on_the_way = list(pool.map(lambda node: _look_at_jump_host(cluster, node, pinned), gates.values()))
        # The way to the nodes leads through jump hosts that nobody has agreed to yet: only keys are asked for there.
        ways = Path(folder, "known_hosts")
        pins.write(ways, {**{one.node: one.key for one in on_the_way if one.state == "new"}, **pinned})
        behind = pool.map(lambda node: _look(cluster, node, pinned.get(pattern(cluster, node)), ways), nodes)
        return [*on_the_way, *behind]


def pin(cluster: Cluster, shown: Sequence[Shown]) -> None:
    """Pin the new keys among these. A changed one is never replaced: it has to be forgotten first."""
    new = {
        one.node if one.jump else pattern(cluster, cluster.node(one.node)): one.key
        for one in shown
        if one.state == "new"
    }
    pins.write(known_hosts(cluster), {**new, **pins.read(known_hosts(cluster))})


def forget(cluster: Cluster, nodes: Sequence[Node], gates: Sequence[str] = ()) -> list[str]:
    """Take the pinned keys of these nodes and jump hosts away; return the names of those that had one."""
    declared = [node.name for node in nodes if node.host_key]
    if declared:
        raise PreflightError(
            f"cluster.yaml itself names the host key of {', '.join(declared)}",
            "Change `host_key` of the node there; it has the last word.",
        )
    pinned = pins.read(known_hosts(cluster))
    gone = [node.name for node in nodes if pinned.pop(pattern(cluster, node), None)]
    gone += [gate for gate in gates if pinned.pop(gate, None)]
    pins.write(known_hosts(cluster), pinned)
    return gone


def _gate(cluster: Cluster, node: Node) -> JumpHost | None:
    jump = cluster.ssh_of(node).jump
    return JumpHost.parse(jump) if jump else None


def _look(cluster: Cluster, node: Node, pinned: str | None, ways: Path) -> Shown:
    def ssh(**options: str) -> list[str]:
        return [*ssh_arguments(cluster, node, ways, **options), "true"]

    address = str(node.address)
    try:
        key, said = _offered(ssh)
    except bounded.TooMuch:
        return _trouble(node, "unreachable", odd(node, TOO_MUCH))
    if not key:
        return _trouble(node, "unreachable", refusal(cluster, node, said))
    if pinned is None:
        return Shown(node.name, address, "new", key)
    if pinned != key:
        return _trouble(node, "changed", changed(cluster, node, pins.fingerprint(key)), key)
    return Shown(node.name, address, "pinned", key)


def _look_at_jump_host(cluster: Cluster, behind: Node, pinned: Mapping[str, str]) -> Shown:
    gate = JumpHost.parse(str(cluster.ssh_of(behind).jump))

    def ssh(**options: str) -> list[str]:
        flags = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
        return ["ssh", "-T", *flags, *pinned_options(known_hosts(cluster)), "-p", str(gate.port), gate.target, "true"]

    try:
        key, said = _offered(ssh)
        trouble = None if key else refusal(cluster, behind, said)
    except bounded.TooMuch:
        key, trouble = "", odd(behind, TOO_MUCH, f"the jump host {gate.host}")
    state: State = "unreachable" if not key else "new" if gate.pattern not in pinned else "pinned"
    if key and pinned.get(gate.pattern, key) != key:
        state, trouble = "changed", changed(cluster, behind, pins.fingerprint(key), gate)
    evidence, remedy = (f"{trouble.title}: {trouble.evidence}", trouble.remedy) if trouble else ("", "")
    return Shown(gate.pattern, gate.host, state, key, evidence, remedy, jump=True)


def _trouble(node: Node, state: State, finding: Finding, key: str = "") -> Shown:
    return Shown(node.name, str(node.address), state, key, f"{finding.title}: {finding.evidence}", finding.remedy)


def _offered(ssh: Callable[..., list[str]]) -> tuple[str, str]:
    """Return the key that a machine shows and what `ssh` said; the same way in as later, through a jump host too.

    Raises TooMuch.
    """
    with tempfile.TemporaryDirectory(prefix="atoll-enrol-") as folder:
        shown = Path(folder, "known_hosts")
        # No way to sign in is tried: the key exchange before it is all that is wanted.
        command = ssh(
            BatchMode="yes",
            ConnectTimeout=str(CONNECT_S),
            LogLevel="ERROR",
            UserKnownHostsFile=str(shown),
            StrictHostKeyChecking="accept-new",
            PreferredAuthentications="none",
            HashKnownHosts="no",
        )
        try:
            _, _, said = bounded.run(command, b"", LIMIT_S, MOST_BYTES)
        except bounded.TimedOut:
            return "", f"no answer within {LIMIT_S:.0f} s"
        return next(iter(pins.read(shown).values()), ""), said
