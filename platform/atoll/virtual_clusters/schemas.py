"""Answers about virtual clusters and devices."""

from pydantic import Field

from atoll.identity.schemas import VirtualClusterReference
from atoll.web.schema import Moment, Schema


class DeviceUse(Schema):
    """Devices of one type: how many there are for the virtual cluster and how many are taken."""

    type: str
    total: int
    used: int
    free: int


class VirtualCluster(VirtualClusterReference):
    """A named share of the cluster."""

    devices: list[DeviceUse]
    max_devices_per_user: dict[str, int] = Field(description="Per device type; the most that one member may hold")
    max_hours: int | None = Field(description="A task is ended after so many hours; null: never")
    members: int
    member: bool = Field(description="Whether the caller is a member")
    running_tasks: int
    waiting_tasks: int
    created_at: Moment
