"""Looks at all nodes at once over SSH, with one small program that changes nothing, and checks what it saw."""

from __future__ import annotations

import itertools
import json
import shlex
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from ipaddress import IPv4Interface
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from installer import bounded
from installer.cluster import Cluster, Node
from installer.preflight.access import finding, odd, pin_declared, refusal, ssh_arguments
from installer.preflight.checks import Finding, run_all
from installer.preflight.node_checks import CHECKS, NodeFacts, needed_bytes
from installer.preflight.seen import Seen
from installer.preflight.user_namespaces import check_user_namespaces
from installer.ssh.nodes import shown

LIMIT_S = 45.0
MOST_BYTES = 1 << 20  # of one answer; an honest one has some KiB
MOST_FINDINGS = 100  # of one node: what it says must not hide what is told of others
AT_ONCE = 32
_PROBE = Path(__file__).with_name("probe.py")
# Ansible uses this one too: looking for others would cost a connection per node.
_PYTHON = "/usr/bin/python3"
_NO_PYTHON, _OLD_PYTHON, _NO_SUDO = 90, 91, 92
# The probe comes on stdin and is not stored; each thing that can be missing before it has an exit code of its own.
_REMOTE = """\
test -x {python} || exit 90
{python} -c "import sys; sys.exit(sys.version_info < (3, 8))" || exit 91
if {sudo}; then sudo -n true 2>/dev/null || exit 92; exec sudo -n {python} - {wanted}; fi
exec {python} - {wanted}"""


def check_nodes(
    cluster: Cluster, nodes: Sequence[Node] | None = None, reruled: Collection[str] = frozenset()
) -> list[Finding]:
    """Return everything that is wrong with the nodes (all that are not left out). Changes nothing on them.

    Of `reruled` masters the firewall is about to be made anew: whom it does not let in yet is no fault.
    """
    chosen = [node for node in (cluster.nodes if nodes is None else nodes) if not node.left_out]
    if not chosen:
        return []
    pin_declared(cluster)
    with ThreadPoolExecutor(max_workers=min(AT_ONCE, len(chosen))) as pool:
        seen = list(pool.map(lambda node: _look(cluster, node), chosen))
    facts = of_no_fault([one for one in seen if isinstance(one, NodeFacts)], reruled)
    findings = [one for one in seen if isinstance(one, Finding)]
    for one in facts:
        findings += _judged(one)
    return findings + check_together(facts) + check_user_namespaces(cluster, facts)


def _judged(facts: NodeFacts) -> list[Finding]:
    found = run_all(CHECKS, "", facts)
    told = [finding(facts.node, one.check, one.title, one.evidence, one.remedy, one.severity) for one in found]
    more = [odd(facts.node, f"by it there are {len(told)} findings")] if len(told) > MOST_FINDINGS else []
    return told[:MOST_FINDINGS] + more


def of_no_fault(facts: Sequence[NodeFacts], reruled: Collection[str]) -> list[NodeFacts]:
    """Leave out silent masters where a firewall of ours may be what is silent: it learns of a newcomer by `apply`."""
    ours = {one.node.name for one in facts if one.installed}

    def waits(one: NodeFacts, place: str) -> bool:
        named = [node.name for node in one.cluster.masters if place.rpartition(":")[0] == str(node.address)]
        return any(name in reruled or (name in ours and not one.installed) for name in named)

    return [
        replace(
            one,
            seen=one.seen | {"unreachable": [pair for pair in one.seen["unreachable"] if not waits(one, pair[0])]},
        )
        for one in facts
    ]


def check_together(facts: Sequence[NodeFacts]) -> list[Finding]:
    """Return what is wrong with several nodes that are each fine: one machine named twice, no way between subnets."""
    findings = []
    for key, title in (("machine_id", "machine-id"), ("product_uuid", "product UUID")):
        same: defaultdict[str, list[NodeFacts]] = defaultdict(list)
        for one in facts:
            # Containers have no hardware of their own: they show that of the machine below.
            if one.seen[key] and not (key == "product_uuid" and one.seen["container"]):
                same[one.seen[key]].append(one)
        for value, group in same.items():
            for first, second in itertools.pairwise(group):
                findings.append(
                    finding(
                        second.node,
                        f"node.{key}",
                        "not a machine of its own",
                        f"its {title} {value} is that of node `{first.node.name}` too",
                        "If both are one machine, name it once. If one is a copy of the other, give it an identity "
                        "of its own: rm /etc/machine-id && systemd-machine-id-setup, and new SSH host keys.",
                    )
                )
    return findings + _subnets(facts)


def _subnets(facts: Sequence[NodeFacts]) -> list[Finding]:
    networks = {one.node.name: _network(one) for one in facts}
    findings = []
    for one in facts[1:]:
        here, first = networks[one.node.name], networks[facts[0].node.name]
        if here is None or first is None or here == first:
            continue
        evidence = f"it is in {here}, node `{facts[0].node.name}` in {first}"
        if one.cluster.network.across_subnets == "refuse":
            remedy = "Put the nodes into one subnet, or allow tunnels: `network.across_subnets: ipip`."
            findings.append(finding(one.node, "node.subnets", "subnets", evidence, remedy))
        elif not one.seen["features"]["ipip"]:
            remedy = "Load the kernel's module for IPIP tunnels (`modprobe ipip`), or put the nodes into one subnet."
            findings.append(finding(one.node, "node.subnets", "no tunnel between subnets", evidence, remedy))
    return findings


def _network(facts: NodeFacts) -> str | None:
    interfaces = [IPv4Interface(network) for network in facts.seen["networks"]]
    return next((str(own.network) for own in interfaces if str(own.ip) == str(facts.node.address)), None)


def _look(cluster: Cluster, node: Node) -> NodeFacts | Finding:
    ssh = cluster.ssh_of(node)
    # A master in maintenance may be switched off: that must not keep anybody from mending the cluster without it.
    peers = [other for other in cluster.masters if other != node and not other.left_out]
    wanted: dict[str, list[Any]] = {
        "directories": sorted(needed_bytes(cluster, node)),
        "devices": [disk.device for disk in node.data_disks],
        "peers": [[str(other.address), cluster.ssh_of(other).port] for other in peers],
    }
    remote = _REMOTE.format(
        python=_PYTHON, sudo="true" if ssh.uses_sudo else "false", wanted=shlex.quote(json.dumps(wanted))
    )
    command = [*ssh_arguments(cluster, node), f"sh -c {shlex.quote(remote)}"]
    sent = time.time()
    try:
        code, output, errors = bounded.run(command, _PROBE.read_bytes(), LIMIT_S, MOST_BYTES)
    except bounded.TooMuch:
        return odd(node, f"it has more than {MOST_BYTES >> 10} KiB")
    except bounded.TimedOut:
        return finding(
            node,
            "ssh.slow",
            "does not answer in time",
            f"{node.address} was asked for {LIMIT_S:.0f} s",
            "Sign in and see what it is busy with: a disk or a network file system that hangs, mostly (`dmesg`).",
        )
    took = time.time() - sent
    if code:
        return _failure(cluster, node, code, errors)
    try:
        seen = _understood(output, wanted["directories"], wanted["devices"])
    except ValueError as error:
        return odd(node, str(error))
    return NodeFacts(cluster, node, seen.model_dump(), _skew(seen.clock, sent, took))


def _understood(said: str, directories: Collection[str], devices: Collection[str]) -> Seen:
    """Return what a node says if it is what it was asked for. Raises ValueError."""
    try:
        # Not by pydantic: each of its errors would have a copy of the whole.
        content = json.loads(said)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"it is no JSON object: {shown(said, 200)}")
    try:
        seen = Seen.model_validate(content)
    except ValidationError as error:
        where = {".".join(map(str, one["loc"])) for one in error.errors(include_input=False, include_url=False)}
        raise ValueError(shown(", ".join(sorted(where)), 200)) from None
    if sorted(one.path for one in seen.directories) != sorted(directories):
        raise ValueError("directories")
    if not set(seen.missing_devices) <= set(devices):
        raise ValueError("missing_devices")
    return seen


def _skew(clock: float, sent: float, took: float) -> float:
    """Return how far the node's clock is off: what lies within the time of the question is no error of the clock."""
    if sent <= clock <= sent + took:
        return 0.0
    return clock - sent if clock < sent else clock - (sent + took)


def _failure(cluster: Cluster, node: Node, code: int, said: str) -> Finding:
    user = cluster.ssh_of(node).user
    if code == _NO_PYTHON:
        return finding(node, "node.python", "Python", f"there is no {_PYTHON}", "Install it: apt-get install python3.")
    if code == _OLD_PYTHON:
        return finding(node, "node.python", "Python", f"{_PYTHON} is older than 3.8", "Install Python 3.8 or later.")
    if code == _NO_SUDO:
        return finding(
            node,
            "ssh.sudo",
            "sudo",
            f"user `{user}` may not become root without a password",
            f"On the node: echo '{user} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/atoll",
        )
    if code == 255:
        return refusal(cluster, node, said)
    end = " | ".join(said.strip().splitlines()[-3:])
    return finding(
        node,
        "node.probe",
        "cannot be looked at",
        f"the probe ended with exit code {code}: {end}",
        "Sign in to the node and see whether Python and /proc work there.",
    )
