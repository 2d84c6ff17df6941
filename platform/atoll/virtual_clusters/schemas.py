"""Requests and answers about virtual clusters and devices."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from atoll.identity.schemas import VirtualClusterReference
from atoll.networks import Protocol
from atoll.virtual_clusters.changes import MOST_DEVICES, MOST_HOURS
from atoll.virtual_clusters.models import PodSecurity, Standing
from atoll.web.schema import Moment, Schema

# Namespaces and queues carry it, queues with a user's behind two hyphens: so no name has two of them in a row.
VirtualClusterName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", min_length=1, max_length=40)]
DeviceTypeKey = Annotated[str, StringConstraints(max_length=64)]
Devices = Annotated[dict[DeviceTypeKey, Annotated[int, Field(ge=0, le=MOST_DEVICES)]], Field(max_length=64)]
Hours = Annotated[int, Field(ge=1, le=MOST_HOURS)]
Port = Annotated[int, Field(ge=1, le=65535)]
Ids = Annotated[list[Annotated[str, StringConstraints(max_length=64)]], Field(max_length=100)]


class OpenPorts(Schema):
    """A port, or a range of them."""

    protocol: Protocol = "tcp"
    first: Port
    last: Port | None = Field(default=None, description="Of a range; null: `first` alone")


class OpenNetwork(Schema):
    """Where tasks are let out to, beside each other and the names of the cluster."""

    network: Annotated[str, StringConstraints(max_length=18)] = Field(
        description="IPv4, for example 10.20.0.0/16; what of it is the cluster itself stays closed"
    )
    ports: Annotated[list[OpenPorts], Field(min_length=1, max_length=16)]


Egress = Annotated[list[OpenNetwork], Field(max_length=32)]
_EGRESS = "Networks that tasks may reach; none: the cluster's names alone. Taken away, it is closed to those that run"
_POD_SECURITY = "baseline: members who have the right to may run jobs that are root of their container"


class DeviceUse(Schema):
    """Devices of one type: how many there are for the virtual cluster and how many are taken."""

    type: str
    total: int
    used: int
    free: int


class VirtualCluster(VirtualClusterReference):
    """A named share of the cluster."""

    standing: Standing = Field(
        description="preparing: tasks wait until the engine has taken over what it grants; deleting: gone for members"
    )
    devices: list[DeviceUse]
    max_devices_per_user: dict[str, int] = Field(description="Per device type; the most that one member may hold")
    max_hours: int | None = Field(description="A task is ended after so many hours; null: never")
    borrows: bool = Field(
        description="Whether its members may hold idle devices of other virtual clusters beyond its own; tasks on these"
        " are interrupted, and queue again, when their owners need them"
    )
    pod_security: PodSecurity = Field(description=_POD_SECURITY)
    egress: list[OpenNetwork] = Field(description=_EGRESS)
    overcommitted: list[str] = Field(
        description="Device types of which virtual clusters are promised more than there are on machines that are up"
    )
    members: int = Field(description="Users whose account is active, those of member groups included")
    member: bool = Field(description="Whether the caller is a member")
    running_tasks: int
    waiting_tasks: int
    created_at: Moment
    version: int = Field(description="For If-Match")


class VirtualClusterCreate(Schema):
    """A new virtual cluster."""

    name: VirtualClusterName
    devices: Devices = Field(description="How many of each type; none: for tasks without devices")
    max_devices_per_user: Devices = Field(
        default_factory=dict, description="The most that one member may hold; a type that is left out: all of them"
    )
    max_hours: Hours | None = Field(default=None, description="A task is ended after so many hours; null: never")
    borrows: bool = Field(default=False, description="Idle devices of other virtual clusters, too")
    pod_security: PodSecurity = Field(default=PodSecurity.RESTRICTED, description=_POD_SECURITY)
    egress: Egress = Field(default_factory=list, description=_EGRESS)


class VirtualClusterEdit(Schema):
    """What becomes different; what is left out stays."""

    devices: Devices | None = Field(default=None, description="All types that it has from now on")
    max_devices_per_user: Devices | None = Field(default=None, description="Types that are left out keep theirs")
    max_hours: Hours | None = Field(default=None, description="null: for ever")
    borrows: bool | None = Field(default=None, description="Idle devices of other virtual clusters, too")
    pod_security: PodSecurity | None = Field(default=None, description=_POD_SECURITY)
    egress: Egress | None = Field(default=None, description=_EGRESS)


class VirtualClusterExtend(Schema):
    """More time."""

    hours: Hours = Field(description="Added to the maximum; tasks that run have them, too")


class DeviceCapacity(Schema):
    """Devices of one type in the whole cluster."""

    type: str
    total: int = Field(description="On machines that are for tasks, whatever state those are in")
    away: int = Field(description="Of these, on machines that are down or cordoned: they count as not there")
    given: int = Field(description="Granted to all virtual clusters together")
    free: int = Field(description="There, and granted to nobody; never below 0")
    overcommitted: bool = Field(description="More is granted than is there")


class MemberGroup(Schema):
    """A group by name."""

    id: str
    name: str


class ClusterMember(Schema):
    """A user or a group of a virtual cluster."""

    kind: Literal["group", "user"]
    id: str
    name: str
    nickname: str = Field(description="Of a user; empty for a group")
    active: bool = Field(description="Whether the account may sign in; true for a group")
    direct: bool = Field(description="Was added by itself; else a member through groups alone")
    groups: list[MemberGroup] = Field(description="Member groups that this user is in")
    users: int = Field(description="Active accounts in a group; 1 for a user")
    unfinished_tasks: int = Field(
        description="Tasks of this user in the virtual cluster that wait or run; 0 for a group"
    )


class MembersAdd(Schema):
    """Who becomes a member; who is one already stays it."""

    users: Ids = Field(default_factory=list, description="Ids of users")
    groups: Ids = Field(default_factory=list, description="Ids of groups; who joins or leaves them does so here, too")


class MembersRemove(MembersAdd):
    """Who is taken out; who was not added is left alone."""

    stop_tasks: bool = Field(
        default=False, description="Stop the tasks of those who are members in no other way; else there must be none"
    )


class MembersAdded(Schema):
    """What was done."""

    users: int = Field(description="Users who had not been added before")
    groups: int = Field(description="Groups that had not been added before")
    members: int = Field(description="Of the virtual cluster, now")


class MembersRemoved(Schema):
    """What was done, and for whom nothing changes."""

    users: int = Field(description="Users who had been added")
    groups: int = Field(description="Groups that had been added")
    stopped_tasks: int
    members: int = Field(description="Of the virtual cluster, now")
    still_members: list[ClusterMember] = Field(description="Who stays one in another way; of many, the first")
    still_members_count: int
