"""What a lab consists of, worked out from its cluster.yaml: names, addresses and places. Pure."""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from installer.cluster.places import known_hosts, own_key
from installer.cluster.quantities import amount
from installer.cluster.schema import Cluster, Node
from installer.lab.errors import LabError

LABS = Path("/var/lib/atoll/lab")
LAB_CGROUPS = "atoll-lab"
NETWORK_NAME_SPACES = Path("/run/netns")


@dataclass(frozen=True)
class LabNode:
    """One node of a lab: a folder, a network name space, a cgroup, and a systemd in them."""

    cluster: str
    name: str
    address: str
    prefix: int
    memory_bytes: int | None = None
    cpus: float | None = None
    user: str = "root"
    port: int = 22
    key_file: Path = Path()

    @property
    def directory(self) -> Path:
        """Everything on disk that is this node's."""
        return LABS / self.cluster / "nodes" / self.name

    @property
    def root(self) -> Path:
        """Where its root is mounted on this machine."""
        return self.directory / "root"

    @property
    def machine(self) -> str:
        """Its name among all name spaces and containers of this machine."""
        return f"atoll-{self.cluster}-{self.name}"

    @property
    def name_space(self) -> Path:
        """Its network name space."""
        return NETWORK_NAME_SPACES / self.machine

    @property
    def cgroup(self) -> str:
        """Its cgroup, relative to the root of every hierarchy."""
        return f"{lab_cgroup(self.cluster)}/{self.name}"

    @property
    def link(self) -> str:
        """The host's end of its network cable; a link's name has at most 15 characters."""
        return "al" + hashlib.sha256(self.machine.encode()).hexdigest()[:10]


@dataclass(frozen=True)
class Lab:
    """All that one lab is to be."""

    name: str
    bridge: str
    address: str
    prefix: int
    known_hosts: Path
    own_key: Path
    nodes: tuple[LabNode, ...]

    @property
    def directory(self) -> Path:
        """Everything on disk that is this lab's."""
        return lab_directory(self.name)

    @property
    def network(self) -> ipaddress.IPv4Network:
        """The network of the bridge."""
        return ipaddress.IPv4Network(f"{self.address}/{self.prefix}", strict=False)

    def node(self, name: str) -> LabNode:
        """Return the node called `name`. Raises LabError with the names there are."""
        for node in self.nodes:
            if node.name == name:
                return node
        known = ", ".join(node.name for node in self.nodes)
        raise LabError(f"the lab `{self.name}` has no node `{name}`", f"its nodes are: {known}")


def lab_directory(cluster: str) -> Path:
    """Return the folder of a lab."""
    return LABS / cluster


def removal(cluster: str) -> str:
    """Return what removes a lab, for people who have no cluster.yaml of it."""
    return f"remove that lab: `./atoll lab down --name {cluster}`"


def lab_cgroup(cluster: str) -> str:
    """Return the cgroup above those of a lab's nodes, relative to the root of every hierarchy."""
    return f"{LAB_CGROUPS}/{cluster}"


def lab_of(cluster: Cluster) -> Lab:
    """Work out the lab of a cluster. Raises LabError if its nodes are servers."""
    if cluster.lab is None:
        raise LabError(
            f"the nodes of cluster `{cluster.name}` are servers, not a lab on this machine",
            "add a section `lab:` to cluster.yaml if they are to be made here",
        )
    interface = ipaddress.IPv4Interface(cluster.lab.address)
    return Lab(
        name=cluster.name,
        bridge=cluster.lab.bridge,
        address=str(interface.ip),
        prefix=interface.network.prefixlen,
        known_hosts=known_hosts(cluster),
        own_key=own_key(cluster),
        nodes=tuple(_lab_node(cluster, node, interface.network.prefixlen) for node in cluster.nodes),
    )


def _lab_node(cluster: Cluster, node: Node, prefix: int) -> LabNode:
    size, ssh = cluster.lab_size(node), cluster.ssh_of(node)
    return LabNode(
        cluster=cluster.name,
        name=node.name,
        address=str(node.address),
        prefix=prefix,
        memory_bytes=int(amount(size.memory)) if size.memory else None,
        cpus=size.cpus,
        user=ssh.user,
        port=ssh.port,
        key_file=Path(ssh.key_file or own_key(cluster)),
    )
