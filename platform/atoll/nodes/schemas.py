"""Answers about machines."""

from typing import Literal

from pydantic import Field

from atoll.identity.schemas import UserReference
from atoll.web.schema import Moment, Reason, Schema


class DeviceSlot(Schema):
    """One device of a node and who uses it."""

    index: int
    task_id: str | None
    task_name: str | None
    owner: UserReference | None


class NodeDevices(Schema):
    """The devices of one type in a node."""

    type: str
    resource: str
    total: int
    used: int
    slots: list[DeviceSlot] = Field(
        description="Which physical device a task holds is known to the engine only in part"
    )
    exact: bool = Field(description="Whether the indices of `slots` are the physical ones")


class NodeUse(Schema):
    """What is asked for and what is there."""

    cpu_cores: float
    cpu_requested: float
    memory_bytes: int
    memory_requested: int
    pods: int
    pods_max: int


class Node(Schema):
    """A machine of the cluster."""

    name: str
    address: str
    roles: list[Literal["master", "worker", "storage"]]
    arch: str
    state: Literal["ready", "not_ready", "unknown", "cordoned"]
    reason: Reason | None
    use: NodeUse
    devices: list[NodeDevices]
    os: str
    kernel: str
    kubelet: str
    runtime: str
    joined_at: Moment
    state_since: Moment


class Nodes(Schema):
    """All machines."""

    items: list[Node]
    seen_at: Moment
