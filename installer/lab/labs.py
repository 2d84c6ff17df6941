"""The verbs of a lab: up, status, down, power off and start of a node, a command in a node."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from installer.cluster import places
from installer.cluster.schema import Cluster
from installer.lab import cgroups, disks, network, nodes, state
from installer.lab.base import base_root
from installer.lab.errors import LabError, system_errors_told
from installer.lab.topology import LAB_CGROUPS, Lab, LabNode, lab_cgroup, lab_of
from installer.packages import install
from installer.progress.stages import Progress
from installer.ssh import known_hosts
from installer.ssh.keys import banner, ensure_cluster_key


@dataclass(frozen=True)
class NodeStatus:
    """A node as it is now."""

    name: str
    address: str
    state: str
    ssh: bool
    pid: int | None
    in_file: bool


@system_errors_told()
def up(cluster: Cluster, progress: Progress) -> list[str]:
    """Start every node of the cluster that does not run; return their names. Raises LabError."""
    lab = lab_of(cluster)
    _need_root()
    install("lab", progress.say)
    with progress.stage("lab"), state.locked(lab.name):
        _prepare(lab)
        base = base_root(progress)
        _repair_cables(lab)
        waiting = [node for node in lab.nodes if nodes.state_of(node) != "running"]
        if waiting:
            with progress.stage("nodes start", len(waiting)):
                _each(
                    waiting,
                    lambda it: nodes.boot(it, lab.bridge, base),
                    lambda it: progress.advance(it.name),
                )
        for node in lab.nodes:
            cgroups.make(node.cgroup, node.memory_bytes, node.cpus)  # a size that changed holds at once
            disks.admit(node)  # the key is another one when the cluster's state was thrown away
            nodes.wait_for_ssh(node)  # one that a killed run started may still be on its way
        _pin(lab)
        return [node.name for node in waiting]


def down(cluster: Cluster, progress: Progress | None = None) -> None:
    """Remove the lab of this cluster with all its nodes and their disks, whatever is left of it."""
    lab = lab_of(cluster)
    _remove(lab.name, state.Made.of(lab, None), progress or Progress())


def down_by_name(name: str, progress: Progress) -> None:
    """Remove a lab of which nobody has the cluster.yaml any more. Raises LabError with the labs there are."""
    there = state.labs()
    if name not in there:
        raise LabError(f"this machine has no lab `{name}`", f"its labs are: {', '.join(there) or 'none'}")
    _remove(name, state.Made("", str(places.known_hosts(name)), {}), progress)


@system_errors_told()
def _remove(name: str, wanted: state.Made, progress: Progress) -> None:
    """Remove what stands of a lab; `wanted` is what cluster.yaml says, for what the lab's own books do not tell."""
    _need_root()
    with progress.stage("lab down"), state.locked(name):
        made = state.read(name) or wanted
        gone = state.nodes(name)
        _each(gone, nodes.remove, lambda node: progress.advance(f"{node.name} is gone"))
        cgroups.remove(lab_cgroup(name))
        bridge = network.bridge_of(name) or made.bridge
        if bridge:
            network.remove_bridge(name, bridge)
        _unpin(made, {*made.nodes.values(), *wanted.nodes.values()})
        state.forget(name)
        state.reset_machine()
        with state.claiming():
            cgroups.remove_if_empty(LAB_CGROUPS)


@system_errors_told()
def remove_node(cluster: Cluster, name: str) -> None:
    """Remove one node with its disk; the others stay."""
    _need_root()
    with state.locked(cluster.name):
        node = _made_node(cluster.name, name)
        nodes.remove(node)
        made = state.read(cluster.name)
        if made:
            _unpin(made, {node.address})
            left = {other: address for other, address in made.nodes.items() if other != name}
            state.write(cluster.name, state.Made(made.bridge, made.known_hosts, left))


@system_errors_told()
def power_off(cluster: Cluster, name: str) -> None:
    """Cut the power of a node: it gets no chance to shut down. Its disk stays."""
    _need_root()
    with state.locked(cluster.name):
        nodes.stop(_made_node(cluster.name, name))


@system_errors_told()
def start(cluster: Cluster, name: str, progress: Progress) -> bool:
    """Start a node with the disk it has; return False when it runs already."""
    lab = lab_of(cluster)
    node = lab.node(name)
    _need_root()
    with state.locked(lab.name):
        if nodes.state_of(node) == "running":
            return False
        _prepare(lab)
        nodes.boot(node, lab.bridge, base_root(progress))
        _pin(lab)
        return True


@system_errors_told()
def status(cluster: Cluster) -> list[NodeStatus]:
    """Return every node of cluster.yaml and every other one that the lab has."""
    wanted = {node.name: node for node in lab_of(cluster).nodes}
    extra = {node.name: node for node in state.nodes(cluster.name) if node.name not in wanted}
    return [_status(node, node.name in wanted) for node in (*wanted.values(), *extra.values())]


def inside(lab: str, name: str, argv: Sequence[str]) -> list[str]:
    """Return the command that runs `argv` as root inside a node of the lab of this name. Raises LabError."""
    _need_root()
    return nodes.inside(_made_node(lab, name), argv)


def _prepare(lab: Lab) -> None:
    made = state.read(lab.name)
    bridge = made.bridge if made else network.bridge_of(lab.name)
    if bridge and bridge != lab.bridge:
        raise LabError(
            f"the lab `{lab.name}` stands on the bridge `{bridge}`, and cluster.yaml says `{lab.bridge}`",
            "take it down first: `./atoll lab down`, or put the old name back",
        )
    for node in lab.nodes:
        old = made.nodes.get(node.name, node.address) if made else node.address
        if old != node.address and nodes.state_of(node) == "running":
            raise LabError(
                f"node `{node.name}` runs with address {old}, and cluster.yaml says {node.address}",
                f"power it off first: `./atoll lab poweroff {node.name}`, or put the old address back",
            )
    with state.claiming():
        network.check(lab)
        state.check_names(lab)
        state.write(lab.name, state.Made.of(lab, made))
        cgroups.make(lab_cgroup(lab.name), None, None)
        network.make_bridge(lab)
    state.set_machine()
    ensure_cluster_key(lab.own_key, lab.name)
    for key in {node.key_file for node in lab.nodes}:
        if not Path(f"{key}.pub").exists():
            raise LabError(
                f"the public half of the SSH key {key} is missing: {key}.pub",
                f"make it: ssh-keygen -y -f {key} > {key}.pub, or leave `key_file` out: the cluster makes its own key",
            )


def _repair_cables(lab: Lab) -> None:
    """Plug running nodes into a bridge that was removed under them; one that lost its cable too is started anew."""
    for node in lab.nodes:
        unplugged = nodes.state_of(node) == "running" and not network.is_connected(node)
        if unplugged and not network.plug_in(node, lab.bridge):
            nodes.stop(node)


def _pin(lab: Lab) -> None:
    """Pin the host keys that the nodes were given; nobody has to trust the network for that."""
    there = [node for node in lab.nodes if node.directory.is_dir()]
    keys = {known_hosts.host_pattern(node.address, node.port): disks.host_key(node) for node in there}
    pinned = known_hosts.read(lab.known_hosts)
    if {**pinned, **keys} != pinned:
        known_hosts.write(lab.known_hosts, {**pinned, **keys})


def _unpin(made: state.Made, addresses: Collection[str]) -> None:
    pinned = known_hosts.read(made.known_hosts_file)
    left = {host: key for host, key in pinned.items() if known_hosts.address_of(host) not in addresses}
    if left != pinned:
        known_hosts.write(made.known_hosts_file, left)


def _status(node: LabNode, in_file: bool) -> NodeStatus:
    seen = nodes.state_of(node)
    answers = seen == "running" and bool(node.address) and bool(banner(node.address, node.port, timeout_s=1))
    return NodeStatus(node.name, node.address, seen, answers, nodes.init_of(node), in_file)


def _made_node(cluster: str, name: str) -> LabNode:
    made = {node.name: node for node in state.nodes(cluster)}
    if name not in made:
        known = ", ".join(made) or "none; `./atoll lab up` makes them"
        raise LabError(f"the lab `{cluster}` has no node `{name}`", f"its nodes are: {known}")
    return made[name]


def _each(them: Sequence[LabNode], act: Callable[[LabNode], None], after: Callable[[LabNode], None]) -> None:
    """Do it to all nodes at once; when some fail, the others are finished and all failures are told."""

    def run(node: LabNode) -> str:
        try:
            with system_errors_told():
                act(node)
        except LabError as error:
            return str(error)
        after(node)
        return ""

    if them:
        with ThreadPoolExecutor(max_workers=min(8, len(them))) as pool:
            failures = [failure for failure in pool.map(run, them) if failure]
        if failures:
            raise LabError("\n".join(failures))


def _need_root() -> None:
    if os.geteuid() != 0:
        raise LabError("a lab needs root on this machine", "run the command as root, or with sudo")


def as_json(statuses: Iterable[NodeStatus]) -> list[dict[str, object]]:
    """Return the nodes as plain data."""
    return [asdict(one) for one in statuses]
