"""The shape of cluster.yaml: nodes, how they are reached, and the sections."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from installer.cluster.devices import DEVICE_TYPES, Architecture, Driver
from installer.cluster.drivers import REGISTRY
from installer.cluster.mistakes import refuse
from installer.cluster.quantities import Quantity
from installer.cluster.resource_limit import ResourceLimit
from installer.cluster.sections import (
    Accelerators,
    ContainerRuntime,
    Control,
    Database,
    Firewall,
    Kubernetes,
    Monitoring,
    Networks,
    Ntp,
    Platform,
    Queue,
    Registry,
    Section,
    Smtp,
    Storage,
)
from installer.cluster.sign_in import SignIn
from installer.cluster.values import (
    AbsolutePath,
    Address,
    ClusterName,
    DevicePath,
    DeviceTypeName,
    DnsLabel,
    HostKey,
    Interface,
    Jump,
    Labels,
    Link,
    Port,
    UserName,
)

Role = Literal["master", "worker", "storage"]


class Ssh(Section):
    """How the nodes are reached."""

    user: UserName = "root"
    port: Port = 22
    key_file: AbsolutePath | None = Field(default=None, description="Without it: the key that the cluster makes itself")
    jump: Jump | None = Field(default=None, description="[user@]host[:port] of a machine that the way leads through")
    become: bool | None = Field(default=None, description="Use sudo; without it: for every user but root")

    @property
    def uses_sudo(self) -> bool:
        """Whether the user has to become root."""
        return self.user != "root" if self.become is None else self.become


class NodeSsh(Section):
    """What is different for one node."""

    user: UserName | None = None
    port: Port | None = None
    key_file: AbsolutePath | None = None
    jump: Jump | None = None
    become: bool | None = None


class Accelerator(Section):
    """Cards of one type in a node."""

    type: DeviceTypeName
    count: int = Field(ge=1, description="How many cards")
    driver: Driver | None = Field(
        default=None, description="Without it the one of the vendor; `simulated` needs no cards"
    )

    @property
    def effective_driver(self) -> Driver:
        """The driver that is used."""
        return self.driver or DEVICE_TYPES[self.type].driver


class DataDisk(Section):
    """A disk that is mounted before anything is installed. An empty one is formatted, a used one never."""

    device: DevicePath = Field(description="Best by a lasting name, like /dev/disk/by-id/…")
    mount: AbsolutePath
    filesystem: Literal["ext4", "xfs"] = "ext4"


class Node(Section):
    """One machine."""

    name: DnsLabel
    address: Address
    roles: list[Role] = Field(default=["worker"], min_length=1)
    arch: Architecture = "amd64"
    accelerators: list[Accelerator] = Field(default=[])
    data_disks: list[DataDisk] = Field(default=[])
    labels: Labels = Field(default={}, description="Labels of the Kubernetes node")
    maintenance: bool = Field(default=False, description="Leave this node out until it is false again")
    fenced: bool = Field(default=False, description="Leave it out, and let it come to nothing of this cluster any more")
    host_key: HostKey | None = Field(
        default=None, description="Public SSH host key; without it: what `./atoll enrol` pinned"
    )
    ssh: NodeSsh = NodeSsh()

    @property
    def is_master(self) -> bool:
        """Whether it runs the control plane."""
        return "master" in self.roles

    @property
    def left_out(self) -> bool:
        """Whether nothing is done there, and nothing asked."""
        return self.maintenance or self.fenced


class LabSize(Section):
    """What one lab node gets of this machine."""

    memory: Quantity | None = None
    cpus: Annotated[float, Field(gt=0, le=512)] | None = None


class Lab(LabSize):
    """The nodes are made on this machine: name spaces with systemd, SSH and no way out."""

    bridge: Link = "atoll0"
    address: Interface = Field(default="10.77.0.1/24", description="This machine's address on the bridge")
    nodes: dict[DnsLabel, LabSize] = Field(default={}, description="Sizes of single nodes, by name")


class Cluster(Section):
    """A whole cluster.yaml with the shipped defaults in it. Made by `installer.cluster.load`."""

    name: ClusterName
    nodes: list[Node] = Field(min_length=1)
    ssh: Ssh = Ssh()
    lab: Lab | None = Field(default=None, description="Present: the nodes are made on this machine")
    network: Networks
    firewall: Firewall
    kubernetes: Kubernetes
    container_runtime: ContainerRuntime
    registry: Registry
    storage: Storage
    accelerators: Accelerators
    queue: Queue
    database: Database
    monitoring: Monitoring
    platform: Platform
    sign_in: SignIn
    control: Control
    resource_limit: ResourceLimit
    smtp: Smtp
    ntp: Ntp

    @model_validator(mode="before")
    @classmethod
    def _is_mapping(cls, content: object) -> object:
        if not isinstance(content, dict):
            raise refuse("this is not a cluster.yaml.", "Start from cluster.example.yaml.")
        return content

    def node(self, name: str) -> Node:
        """Return the node of that name. Raises KeyError."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def ssh_of(self, node: Node) -> Ssh:
        """Return how a node is reached: its own settings over those of all."""
        own = node.ssh.model_dump(exclude_none=True)
        return self.ssh.model_copy(update=own) if own else self.ssh

    def lab_size(self, node: Node) -> LabSize:
        """Return what a lab node gets of this machine: its own size, else that of all."""
        if self.lab is None:
            return LabSize()
        own = self.lab.nodes.get(node.name, LabSize())
        return LabSize(memory=own.memory or self.lab.memory, cpus=own.cpus or self.lab.cpus)

    @property
    def masters(self) -> list[Node]:
        """Nodes with the control plane."""
        return [node for node in self.nodes if node.is_master]

    @property
    def fenced(self) -> list[Node]:
        """The nodes that are shut out."""
        return [node for node in self.nodes if node.fenced]

    @property
    def members(self) -> list[Node]:
        """The nodes that are not shut out."""
        return [node for node in self.nodes if not node.fenced]

    @property
    def first_master(self) -> Node:
        """The master on which the cluster begins and where cluster-wide phases run."""
        return self.masters[0]

    @property
    def workers(self) -> list[Node]:
        """Nodes for tasks."""
        return [node for node in self.nodes if "worker" in node.roles]

    @property
    def storage_nodes(self) -> list[Node]:
        """Nodes with user data."""
        return [node for node in self.nodes if "storage" in node.roles]

    @property
    def registry_nodes(self) -> list[Node]:
        """Nodes with the registry; more than one only if cluster.yaml says so, since their contents are their own."""
        if not REGISTRY[self.registry.driver].managed:
            return []
        if self.registry.nodes:
            return [node for node in self.nodes if node.name in self.registry.nodes]
        return (self.storage_nodes or self.masters)[:1]

    @property
    def device_types(self) -> list[str]:
        """Device types that occur, in the order of the table."""
        present = {accelerator.type for node in self.nodes for accelerator in node.accelerators}
        return [name for name in DEVICE_TYPES if name in present]
