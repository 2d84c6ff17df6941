"""How each node of a cluster is reached, and what OpenSSH says when it is not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from installer.cluster import Cluster, Node, known_hosts, own_key
from installer.preflight import known_hosts as pins
from installer.preflight.checks import Finding, Severity

CONNECT_S = 8
_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


def ssh_arguments(cluster: Cluster, node: Node, **options: str) -> list[str]:
    """Return `ssh` with everything but the command: the cluster's key, the pinned host key, never a question."""
    ssh = cluster.ssh_of(node)
    wanted = {
        "BatchMode": "yes",
        "ConnectTimeout": str(CONNECT_S),
        "GlobalKnownHostsFile": "/dev/null",
        "IdentitiesOnly": "yes",
        "LogLevel": "ERROR",
        "StrictHostKeyChecking": "yes",
        "UpdateHostKeys": "no",
        "UserKnownHostsFile": str(known_hosts(cluster)),
        **({"ProxyJump": ssh.jump} if ssh.jump else {}),
        **options,
    }
    flags = [word for name, value in wanted.items() for word in ("-o", f"{name}={value}")]
    return ["ssh", "-T", *flags, "-i", str(key_file(cluster, node)), "-p", str(ssh.port), f"{ssh.user}@{node.address}"]


def key_file(cluster: Cluster, node: Node) -> Path:
    """Return the private key with which we sign in to the node."""
    return Path(cluster.ssh_of(node).key_file or own_key(cluster))


def pattern(cluster: Cluster, node: Node) -> str:
    """Return how the node stands in the file of pinned keys."""
    return pins.host_pattern(str(node.address), cluster.ssh_of(node).port)


def pin_declared(cluster: Cluster) -> None:
    """Pin the host keys that cluster.yaml itself names; it has the last word."""
    declared = {pattern(cluster, node): " ".join(node.host_key.split()[:2]) for node in cluster.nodes if node.host_key}
    pinned = pins.read(known_hosts(cluster))
    if {**pinned, **declared} != pinned:
        pins.write(known_hosts(cluster), {**pinned, **declared})


def refusal(cluster: Cluster, node: Node, said: str) -> Finding:
    """Return what the errors of `ssh` mean, and what to do about them."""
    ssh = cluster.ssh_of(node)
    place = f"{node.address} port {ssh.port}"
    if "IDENTIFICATION HAS CHANGED" in said:
        return changed(cluster, node, (_FINGERPRINT.findall(said) or ["another one"])[0])
    if "host key is known" in said:
        return finding(
            node,
            "ssh.host_key",
            "host key",
            f"nobody has said yet that the key of {place} is the right one",
            f"Compare and pin it: `./atoll enrol {node.name}`, or write `host_key` for the node in cluster.yaml.",
        )
    if "Permission denied" in said or "Too many authentication failures" in said:
        key = key_file(cluster, node)
        return finding(
            node,
            "ssh.key",
            "SSH key",
            f"{place} does not accept the key {key} for user `{ssh.user}`",
            f"Append the line in {key}.pub to ~{ssh.user}/.ssh/authorized_keys on the node, or correct `ssh.user` and "
            "`ssh.key_file` in cluster.yaml.",
        )
    reason = said.strip().splitlines()[-1] if said.strip() else "no answer"
    return finding(
        node,
        "ssh.reachable",
        "does not answer",
        f"{place}: {reason}",
        f"See that the node is on and its SSH server runs (`ssh {ssh.user}@{node.address}`), that no firewall is "
        "between, and that `address` and `ssh.port` are right. `maintenance: true` leaves a node out.",
    )


def changed(cluster: Cluster, node: Node, offered: str) -> Finding:
    """Return the finding for a node that shows another host key than the pinned one."""
    pinned = pins.read(known_hosts(cluster)).get(pattern(cluster, node))
    before = pins.fingerprint(pinned) if pinned else "none"
    return finding(
        node,
        "ssh.host_key",
        "host key has changed",
        f"{node.address} shows {offered}, pinned is {before}",
        "Somebody may be in between, or the machine was installed anew. Only if you know that it was: "
        f"`./atoll enrol --forget {node.name}`, then `./atoll enrol {node.name}`.",
    )


def finding(node: Node, check: str, title: str, evidence: str, remedy: str, severity: Severity = "error") -> Finding:
    """Return a finding about reaching a node."""
    return Finding(check, title, severity, f"node `{node.name}`", evidence, remedy)


def names(nodes: Sequence[Node]) -> str:
    """Return the names of nodes for a message."""
    return ", ".join(node.name for node in nodes)
