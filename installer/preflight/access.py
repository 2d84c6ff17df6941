"""How each node of a cluster is reached, and what OpenSSH says when it is not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from installer.cluster import Cluster, Node, known_hosts
from installer.cluster.given import ssh_key
from installer.preflight.checks import Finding, Severity
from installer.ssh import known_hosts as pins
from installer.ssh.nodes import shown
from installer.ssh.options import JumpHost, jump_options

CONNECT_S = 8
_FINGERPRINT = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")


def ssh_arguments(cluster: Cluster, node: Node, gates: Path | None = None, /, **options: str) -> list[str]:
    """Return `ssh` with everything but the command: the cluster's key, the pinned host key, never a question.

    `gates` is the file with the key of the jump host, if it is another one than that of the pinned keys.
    """
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
        **options,
    }
    key = ssh_key(cluster, node)
    flags = [word for name, value in wanted.items() for word in ("-o", f"{name}={value}")]
    flags += jump_options(ssh.jump, key, gates or known_hosts(cluster), CONNECT_S)
    return ["ssh", "-T", *flags, "-i", str(key), "-p", str(ssh.port), f"{ssh.user}@{node.address}"]


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
    place, login = f"{node.address} port {ssh.port}", f"{ssh.user}@{node.address}"
    gate = JumpHost.parse(ssh.jump) if ssh.jump else None
    if gate and (told := _of_jump_host(said, gate)):
        said, place, login = told, f"the jump host {gate.host} port {gate.port}", gate.target
    else:
        gate = None
    if "IDENTIFICATION HAS CHANGED" in said:
        return changed(cluster, node, (_FINGERPRINT.findall(said) or ["another one"])[0], gate)
    if "host key is known" in said:
        or_else = "" if gate else ", or write `host_key` for the node in cluster.yaml"
        return finding(
            node,
            "ssh.host_key",
            "host key",
            f"nobody has said yet that the key of {place} is the right one",
            f"Compare and pin it: `./atoll enrol {node.name}`{or_else}.",
        )
    if "Permission denied" in said or "Too many authentication failures" in said:
        key = ssh_key(cluster, node)
        user = login.rpartition("@")[0]
        return finding(
            node,
            "ssh.key",
            "SSH key",
            f"{place} does not accept the key {key}" + (f" for user `{user}`" if user else ""),
            f"Append the line in {key}.pub to ~{user}/.ssh/authorized_keys there, or correct `ssh.user`, `ssh.jump` "
            "and `ssh.key_file` in cluster.yaml.",
        )
    # "UNKNOWN" is the pipe to a jump host: what closed it stands in the lines before.
    reasons = [line for line in said.strip().splitlines() if "UNKNOWN port" not in line]
    reason = reasons[-1] if reasons else "no answer"
    return finding(
        node,
        "ssh.reachable",
        "does not answer",
        f"{place}: {reason}",
        f"See that the machine is on and its SSH server runs (`ssh {login}`), that no firewall is "
        "between, and that `address`, `ssh.port` and `ssh.jump` are right. `maintenance: true` leaves a node out.",
    )


def _of_jump_host(said: str, gate: JumpHost) -> str:
    """Return what `ssh` said of the jump host: the lines up to the last one with its name; nothing if none has it."""
    name = re.compile(rf"(?<![\w.-]){re.escape(gate.host)}(?![\w-])", re.IGNORECASE)
    lines = said.strip().splitlines()
    of_it = [number for number, line in enumerate(lines) if name.search(line)]
    return "\n".join(lines[: of_it[-1] + 1]) if of_it else ""


def changed(cluster: Cluster, node: Node, offered: str, gate: JumpHost | None = None) -> Finding:
    """Return the finding for a node, or its jump host, that shows another host key than the pinned one."""
    shower, named = (gate.host, gate.pattern) if gate else (str(node.address), node.name)
    pinned = pins.read(known_hosts(cluster)).get(gate.pattern if gate else pattern(cluster, node))
    before = pins.fingerprint(pinned) if pinned else "none"
    return finding(
        node,
        "ssh.host_key",
        "host key has changed",
        f"{shower} shows {offered}, pinned is {before}",
        "Somebody may be in between, or the machine was installed anew. Only if you know that it was: "
        f"`./atoll enrol --forget {named}`, then `./atoll enrol {node.name}`.",
    )


def finding(node: Node, check: str, title: str, evidence: str, remedy: str, severity: Severity = "error") -> Finding:
    """Return a finding about a node; what a node said in it is cut, and stays one line."""
    return Finding(check, title, severity, f"node `{node.name}`", _line(evidence), _line(remedy))


def odd(node: Node, said: str, place: str = "") -> Finding:
    """Return the finding about a node, or what is at another place before it, whose answer is not believed."""
    place = place or str(node.address)
    remedy = (
        f"Look at {place} itself: a shell that says something as it starts (~/.bashrc), or somebody has changed what "
        "answers there. `maintenance: true` leaves a node out."
    )
    return finding(node, "ssh.odd", "is not believed", f"the answer of {place} is not understood: {said}", remedy)


def _line(text: str) -> str:
    return shown(" ".join(text.splitlines()))


def names(nodes: Sequence[Node]) -> str:
    """Return the names of nodes for a message."""
    return ", ".join(node.name for node in nodes)
