"""Requests and answers about tasks."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, WithJsonSchema

from atoll.devices.limits import Resources
from atoll.identity.schemas import UserReference, VirtualClusterReference
from atoll.tasks.life_cycle import Mode, State, Wanted
from atoll.web.schema import FieldError, Moment, Reason, Schema

TaskName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]+$", min_length=1, max_length=64)]
# Their names are those of all manifests, which only the contract knows; a bare reference pydantic would look up.
KindName = Annotated[str, WithJsonSchema({"allOf": [{"$ref": "#/components/schemas/TaskKind"}]})]
HomePath = Annotated[
    str,
    StringConstraints(pattern=r"^[^\x00-\x1f]*$", max_length=1024),
    Field(description="Relative to the home of the owner, or absolute below it"),
]


class Replica(Schema):
    """One process of an attempt."""

    rank: int
    node: str | None
    pod: str | None
    devices: list[int] | None = Field(description="Indices of the devices on the node, where the engine knows them")
    state: Literal["waiting", "starting", "running", "succeeded", "failed"]
    exit_code: int | None
    reason: Reason | None
    started_at: Moment | None
    finished_at: Moment | None


class Attempt(Schema):
    """One execution of a task."""

    number: int
    started_at: Moment | None
    finished_at: Moment | None
    replicas: list[Replica]


TaskAction = Literal["stop", "delete", "copy"]


class TaskSummary(Schema):
    """A task in a list; also the data of `task` events of the live view."""

    id: str
    name: str
    kind: KindName
    mode: Mode
    owner: UserReference
    virtual_cluster: VirtualClusterReference
    framework: str = Field(description="The preset framework, or repository:tag of the user's own image")
    device_type: str | None = Field(description="Null: without devices, where there is no type to choose")
    devices: int
    nodes: int
    privileged: bool = Field(description="Root of its container")
    state: State
    wanted: Wanted
    reason: Reason | None = Field(description="Why it waits, failed or was ended")
    progress: dict[str, float] | None = Field(description="The last scalars that the program reported")
    created_at: Moment
    state_since: Moment
    started_at: Moment | None
    finished_at: Moment | None
    actions: list[TaskAction] = Field(description="What the caller may do now")
    version: int


class Task(TaskSummary):
    """A task in full."""

    definition: dict[str, Any] = Field(description="As its owner asked for it, in the shape of its kind")
    attempts: list[Attempt]
    exit_code: int | None
    last_lines: list[str] = Field(description="The end of the log of the replica that failed first")


class TaskEvent(Schema):
    """One moment in the life of a task."""

    id: int
    at: Moment
    kind: Literal["state", "attempt", "replica", "engine", "request"]
    state: State | None
    reason: Reason
    attempt: int | None
    rank: int | None
    actor: str | None = Field(description="The user who asked for it, where a person did")


class StateSpan(Schema):
    """How long a task was in a state; the open one has no end."""

    state: State
    since: Moment
    until: Moment | None
    seconds: float


class TaskEvents(Schema):
    """The time line and all events, oldest first."""

    timeline: list[StateSpan]
    items: list[TaskEvent]


class KindCounts(Schema):
    """How many tasks of a kind are in each state; states without tasks are left out."""

    kind: KindName
    states: dict[str, int]


class ScalarSeries(Schema):
    """A scalar that the program reported, over its steps."""

    name: str
    steps: list[int]
    values: list[float]


class UsageSeries(Schema):
    """A resource of one replica over time."""

    name: str
    unit: Literal["cores", "bytes", "percent"]
    rank: int
    device: str | None = None
    limit: float | None
    times: list[float] = Field(description="Seconds since 1970")
    values: list[float]


class TaskMetrics(Schema):
    """Scalars of the program and use of resources."""

    scalars: list[ScalarSeries]
    truncated: bool = Field(description="The program reported more than is read: bytes, series or points")
    usage: list[UsageSeries]
    usage_unavailable: Reason | None = None


class Uses(Schema):
    """What a task will hold while it runs."""

    nodes: int
    devices: int = Field(description="Over all nodes")
    device_type: str | None
    limits_per_node: Resources
    requests_per_node: Resources


class Estimate(Schema):
    """The answer to: what will be used, does it start now, what forbids it?"""

    allowed: bool
    problems: list[FieldError]
    uses: Uses | None
    starts: Literal["now", "waits", "never"]
    reason: Reason
    free: int = Field(description="Devices of this type that are free in the virtual cluster")
    total: int
    ahead: int = Field(description="Tasks that wait before this one")


class LogLines(Schema):
    """Data of a `log` event: whole or partial text in order; the event's id is the byte offset after it."""

    text: str
    offset: int


class LogEnd(Schema):
    """Data of the `end` event: nothing more will come."""

    state: State
    exit_code: int | None


class StateChanged(Schema):
    """Data of a `deleted` event of the live view."""

    id: str
