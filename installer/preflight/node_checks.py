"""What must hold on each node: one table of checks over what the probe saw. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from installer.cluster import Cluster, Node, ports
from installer.cluster.devices import CPU_ONLY
from installer.cluster.drivers import DEVICES, STORAGE
from installer.cluster.quantities import amount
from installer.preflight.checks import Check, Problem, gibibytes

MIB, GIB = 1 << 20, 1 << 30
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
SYSTEMS = {"debian": ("12",)}  # what the bundle has packages for
KERNEL = (5, 13)  # kube-proxy's nftables rules need it
CONTROLLERS = {"cpu", "cpuset", "memory", "pids"}
SKEW_WARNING_S, SKEW_ERROR_S = 2.0, 30.0
DISK_LEFT_BYTES = 512 * MIB  # what a node that is installed already must have free
OTHERS = ("sshd", "")  # programs of the table of ports that are not of ours
FOREIGN = {"dockerd": "Docker", "k3s": "K3s", "k3s-server": "K3s", "rke2": "RKE2", "crio": "CRI-O"}
FIREWALLS = {"firewalld": "systemctl disable --now firewalld", "ufw": "ufw disable"}


@dataclass(frozen=True)
class NodeFacts:
    """What is wanted of a node, and what its probe saw."""

    cluster: Cluster
    node: Node
    seen: dict[str, Any]
    skew_s: float

    @property
    def installed(self) -> bool:
        """Whether something of ours was put on it before."""
        return bool(self.seen["ours"])

    @property
    def kernel(self) -> tuple[int, ...]:
        """The first two numbers of its kernel's version."""
        return tuple(int(part) for part in self.seen["kernel"].split("-")[0].split(".")[:2])

    @property
    def roles(self) -> set[str]:
        """Its roles; `registry` is one of them here."""
        return {*self.node.roles, *(["registry"] if self.node in self.cluster.registry_nodes else [])}


def needed_bytes(cluster: Cluster, node: Node) -> dict[str, int]:
    """Return how much free disk a first install needs in which folder."""
    needs = {
        "/opt/atoll": 1 * GIB,
        "/tmp": 256 * MIB,  # noqa: S108 - named for its disk, nothing is written
        "/var/lib/atoll": 2 * GIB,
        "/var/lib/containerd": (5 if "worker" in node.roles else 3) * GIB,
        "/var/lib/kubelet": 1 * GIB,
        "/var/log": 512 * MIB,
    }
    if node.is_master:
        needs["/var/lib/etcd"] = 2 * GIB
    if node in cluster.registry_nodes:
        needs[cluster.registry.directory] = 5 * GIB
    if "storage" in node.roles and STORAGE[cluster.storage.driver].on_nodes:
        needs[cluster.storage.directory] = 2 * GIB
    # A data disk is mounted by the installation: before it, the folder lies on another disk.
    mounts = [PurePosixPath(disk.mount) for disk in node.data_disks]
    return {path: size for path, size in needs.items() if not _is_below(path, mounts)}


def needed_ports(cluster: Cluster, node: Node) -> dict[int, str]:
    """Return the TCP ports on which parts of ours will listen on a node, and what they are; those of ranges vary."""
    return {
        row.first: row.what
        for row in ports.of_node(cluster, node)
        if row.protocol == "tcp" and not row.last and row.program not in OTHERS
    }


def _is_below(path: str, mounts: list[PurePosixPath]) -> bool:
    return any(PurePosixPath(path).is_relative_to(mount) for mount in mounts)


def _privileges(facts: NodeFacts) -> Iterator[Problem]:
    if facts.seen["uid"] != 0:
        user = facts.cluster.ssh_of(facts.node).user
        yield Problem(f"user `{user}` is not root", "Write `ssh.become: true` in cluster.yaml, or sign in as root.")


def _init(facts: NodeFacts) -> Iterator[Problem]:
    if facts.seen["init"] != "systemd":
        yield Problem(f"process 1 is `{facts.seen['init']}`", "Boot the node with systemd.")


def _architecture(facts: NodeFacts) -> Iterator[Problem]:
    seen = ARCHITECTURES.get(facts.seen["arch"], facts.seen["arch"])
    if seen != facts.node.arch:
        yield Problem(f"it is {seen}, cluster.yaml says {facts.node.arch}", f"Write `arch: {seen}` for this node.")


def _system(facts: NodeFacts) -> Iterator[Problem]:
    system = facts.seen["os"]
    if system["version"].split(".")[0] not in SYSTEMS.get(system["id"], ()):
        known = ", ".join(f"{name} {version}" for name, versions in SYSTEMS.items() for version in versions)
        yield Problem(f"it runs {system['name'] or 'an unknown system'}", f"Install one of: {known}.")


def _kernel(facts: NodeFacts) -> Iterator[Problem]:
    if facts.kernel < KERNEL:
        wanted = ".".join(map(str, KERNEL))
        yield Problem(f"its kernel is {facts.seen['kernel']}", f"Install Linux {wanted} or later.")


def _features(facts: NodeFacts) -> Iterator[Problem]:
    features = facts.seen["features"]
    wanted = {"overlay": "container images", "nftables": "services", "br_netfilter": "services and network policies"}
    if facts.cluster.firewall.enabled and facts.node.is_master:
        wanted["nft_connlimit"] = "the rules of its firewall"
    wanted |= dict.fromkeys(STORAGE[facts.cluster.storage.driver].kernel, "user data")
    for name, purpose in wanted.items():
        if not features[name]:
            yield Problem(
                f"the kernel has no {name}, which {purpose} need",
                f"Load it (`modprobe {name}`), or install a kernel that has it (linux-image-amd64 of Debian has).",
            )


def _cgroups(facts: NodeFacts) -> Iterator[Problem]:
    missing = sorted(CONTROLLERS - set(facts.seen["cgroup"]["controllers"]))
    if missing:
        yield Problem(
            f"cgroup controllers are missing: {', '.join(missing)}",
            "Remove `cgroup_disable=` from the kernel's command line and boot again.",
        )


def _old_cgroups(facts: NodeFacts) -> Iterator[Problem]:
    if facts.seen["cgroup"]["version"] == 1:
        yield Problem("it has cgroup v1; it works, but Kubernetes will drop it", "Boot with cgroup v2 when you can.")


def _memory(facts: NodeFacts) -> Iterator[Problem]:
    wanted = (2 if facts.node.is_master else 1) * GIB
    if facts.seen["memory_bytes"] < wanted:
        yield Problem(f"it has {gibibytes(facts.seen['memory_bytes'])}", f"It needs {gibibytes(wanted)} at least.")


def _cpus(facts: NodeFacts) -> Iterator[Problem]:
    if facts.node.is_master and facts.seen["cpus"] < 2:
        yield Problem(f"it has {facts.seen['cpus']} CPU", "A master needs 2.")


def _disk(facts: NodeFacts) -> Iterator[Problem]:
    needs = needed_bytes(facts.cluster, facts.node)
    disks: dict[int, list[dict[str, Any]]] = {}
    for folder in facts.seen["directories"]:
        if folder["path"] in needs:
            disks.setdefault(folder["device"], []).append(folder)
    for folders in disks.values():
        paths = ", ".join(sorted(folder["path"] for folder in folders))
        wanted = DISK_LEFT_BYTES if facts.installed else sum(needs[folder["path"]] for folder in folders)
        free = folders[0]["free_bytes"]
        if folders[0]["read_only"]:
            yield Problem(f"the disk of {paths} is mounted read-only", "See `dmesg` for why, and mount it writable.")
        elif free < wanted:
            yield Problem(
                f"the disk of {paths} has {gibibytes(free)} free, {gibibytes(wanted)} are needed",
                "Free some space (`du -xh --max-depth=2 / | sort -h`), or put a larger disk there (`data_disks`).",
            )
        elif folders[0]["free_files"] is not None and folders[0]["free_files"] < 20_000:
            yield Problem(
                f"the disk of {paths} can hold only {folders[0]['free_files']} more files (inodes)",
                "Remove small files, or make the file system anew with more inodes.",
            )


def _disk_of_tasks(facts: NodeFacts) -> Iterator[Problem]:
    """What a task may write to the disk of its node, beside how large that is; one to come has no size yet."""
    seen = [each["bytes"] for each in facts.seen["directories"] if each["path"] == "/var/lib/kubelet"]
    if "worker" not in facts.node.roles or not seen:
        return
    (size,) = seen
    for name in (CPU_ONLY, *dict.fromkeys(card.type for card in facts.node.accelerators)):
        own = facts.cluster.resource_limit.of(name).local_disk
        limit = own or facts.cluster.platform.task_local_disk
        if amount(limit) > size:
            key = "platform.task_local_disk" if own is None else f"resource_limit.{name}.local_disk"
            yield Problem(
                f"a pod of a task may write {limit} (`{key}`), the disk of /var/lib/kubelet has {gibibytes(size)}",
                "Write a smaller limit, or put a larger disk there (`data_disks`): one task could fill it for all.",
            )


def _data_disks(facts: NodeFacts) -> Iterator[Problem]:
    for path in facts.seen["missing_devices"]:
        yield Problem(
            f"there is no disk {path}", "See `ls -l /dev/disk/by-id`, and correct `data_disks` in cluster.yaml."
        )


def _clock_error(facts: NodeFacts) -> Iterator[Problem]:
    if abs(facts.skew_s) > SKEW_ERROR_S:
        yield _skew(facts)


def _clock_warning(facts: NodeFacts) -> Iterator[Problem]:
    if SKEW_WARNING_S < abs(facts.skew_s) <= SKEW_ERROR_S:
        yield _skew(facts)


def _skew(facts: NodeFacts) -> Problem:
    side = "ahead of" if facts.skew_s > 0 else "behind"
    return Problem(
        f"its clock is {abs(facts.skew_s):.0f} s {side} this machine's",
        "Set both clocks; certificates and etcd depend on them. `ntp.servers` in cluster.yaml keeps them right.",
    )


def _ports(facts: NodeFacts) -> Iterator[Problem]:
    if facts.installed:
        return
    for port, parts in needed_ports(facts.cluster, facts.node).items():
        holder = facts.seen["listening"].get(str(port))
        if holder is not None:
            yield Problem(
                f"port {port} ({parts}) is taken by `{holder or 'another process'}`",
                "Stop that program, or move it to another machine.",
            )


def _foreign(facts: NodeFacts) -> Iterator[Problem]:
    if facts.installed:
        return
    running = set(facts.seen["processes"])
    signs = [f"{title} runs" for program, title in FOREIGN.items() if program in running]
    signs += [f"`{program}` runs" for program in ("kubelet", "containerd") if program in running]
    signs += [f"{path} is there" for path in facts.seen["kubernetes"]]
    if signs:
        yield Problem(
            f"another container platform is installed: {', '.join(signs)}",
            "Remove it (for Kubernetes `kubeadm reset`), or use another machine: both would fight over the network.",
        )


def _other_cluster(facts: NodeFacts) -> Iterator[Problem]:
    others = [name for name in facts.seen["clusters"] if name != facts.cluster.name]
    if others:
        yield Problem(
            f"it belongs to the Atoll cluster `{', '.join(others)}`",
            f"Use another machine. If `{others[0]}` is given up, install this one's operating system anew.",
        )


def _firewall(facts: NodeFacts) -> Iterator[Problem]:
    for program, remedy in FIREWALLS.items():
        if program in facts.seen["processes"]:
            yield Problem(f"`{program}` is on", f"Let the nodes reach each other, or turn it off: {remedy}")


def _way_in(facts: NodeFacts) -> Iterator[Problem]:
    settings, came_from = facts.cluster.firewall, facts.seen["ssh_client"]
    if not settings.enabled or not settings.administrators or not came_from:
        return
    client = ipaddress.ip_address(came_from)
    mapped = getattr(client, "ipv4_mapped", None) or client  # sshd listens on both families with one socket
    if str(mapped) in [str(node.address) for node in facts.cluster.nodes]:
        return
    if not any(mapped in ipaddress.ip_network(network) for network in settings.administrators):
        yield Problem(
            f"it is reached from {mapped}, which is in no network of `firewall.administrators`: with these rules it "
            "would not be reached any more",
            "Add the network of the machine that installs, as the node sees it (with a jump host: that host's).",
        )


def _swap(facts: NodeFacts) -> Iterator[Problem]:
    if facts.seen["swaps"]:
        devices = ", ".join(facts.seen["swaps"])
        yield Problem(f"swap is on: {devices}", "Turn it off (`swapoff -a`, and in /etc/fstab): limits would not hold.")


def _address(facts: NodeFacts) -> Iterator[Problem]:
    own = [network.partition("/")[0] for network in facts.seen["networks"]]
    if own and str(facts.node.address) not in own:
        yield Problem(
            f"no network device of it has the address {facts.node.address} (it has {', '.join(own)})",
            "Write the node's own address; one that a router translates is of no use to other nodes.",
        )


def _overlap(facts: NodeFacts) -> Iterator[Problem]:
    if facts.installed:
        return
    routes = [ipaddress.ip_network(route, strict=False) for route in facts.seen["routes"]]
    for key in ("pod_network", "service_network"):
        ours = ipaddress.ip_network(str(getattr(facts.cluster.network, key)))
        for route in routes:
            if ours.overlaps(route):
                yield Problem(
                    f"it has a route to {route}, which overlaps `network.{key}` {ours}",
                    f"Choose another `network.{key}` in cluster.yaml: pods could not reach that network.",
                )


def _peers(facts: NodeFacts) -> Iterator[Problem]:
    for place, reason in facts.seen["unreachable"]:
        yield Problem(f"it does not reach {place}: {reason}", "Nodes must reach each other: see routes and firewalls.")


def _cards(facts: NodeFacts) -> Iterator[Problem]:
    for card in facts.node.accelerators:
        driver = card.effective_driver
        if not DEVICES[driver].needs_cards:
            continue
        there, ready = facts.seen["cards"]["seen"][driver], facts.seen["cards"]["ready"][driver]
        if there < card.count:
            yield Problem(
                f"{there} cards of type {card.type} are on its bus, cluster.yaml says {card.count}",
                "Correct `accelerators` in cluster.yaml, or see to the cards (`lspci`).",
            )
        elif ready < card.count:
            yield Problem(
                f"the driver of {card.type} offers {ready} of {card.count} cards",
                "Install the vendor's driver on the node, then see `nvidia-smi` or `npu-smi info`.",
            )


CHECKS: tuple[Check[NodeFacts], ...] = (
    Check("node.root", "root", "error", _privileges),
    Check("node.init", "systemd", "error", _init),
    Check("node.arch", "architecture", "error", _architecture),
    Check("node.system", "operating system", "error", _system),
    Check("node.kernel", "kernel", "error", _kernel),
    Check("node.features", "kernel features", "error", _features),
    Check("node.cgroups", "cgroups", "error", _cgroups),
    Check("node.cgroup_version", "cgroups", "note", _old_cgroups),
    Check("node.memory", "memory", "error", _memory),
    Check("node.cpus", "CPUs", "error", _cpus),
    Check("node.disk", "disk", "error", _disk),
    Check("node.disk_of_tasks", "disk of tasks", "warning", _disk_of_tasks),
    Check("node.data_disks", "data disks", "error", _data_disks),
    Check("node.clock", "clock", "error", _clock_error),
    Check("node.clock_drift", "clock", "warning", _clock_warning),
    Check("node.ports", "ports", "error", _ports),
    Check("node.foreign", "other platforms", "error", _foreign),
    Check("node.other_cluster", "other clusters", "error", _other_cluster),
    Check("node.firewall", "firewall", "warning", _firewall),
    Check("node.way_in", "way in", "error", _way_in),
    Check("node.swap", "swap", "warning", _swap),
    Check("node.address", "address", "error", _address),
    Check("node.overlap", "networks", "error", _overlap),
    Check("node.peers", "other nodes", "error", _peers),
    Check("node.cards", "accelerators", "error", _cards),
)
