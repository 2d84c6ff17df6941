"""What the control service answers, as types: its contract (`openapi.json` beside this file) is made from them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from installer.cluster.listeners import Binds, Place, Who
from installer.running.runs import PhaseState, RunState
from installer.services.states import State


class Answer(BaseModel):
    """The base of all answers: what is not declared is not answered."""

    model_config = ConfigDict(extra="forbid")


class Health(Answer):
    """It answers, so it is well."""

    status: Literal["ok"] = "ok"


class About(Answer):
    """Which cluster, which master, which version, and since when."""

    cluster: str
    node: str
    version: str
    started_at: AwareDatetime


class Node(Answer):
    """A machine; `accelerators` are those that Kubernetes can give to pods, by device type."""

    name: str
    address: str
    roles: list[str]
    arch: str
    ready: bool
    accelerators: dict[str, int]
    message: str
    maintenance: bool
    fenced: bool


class Nodes(Answer):
    """Every node of cluster.yaml."""

    items: list[Node]


class Port(Answer):
    """A row of the table of ports: what listens there, and who may come over IPv4 and over IPv6.

    `callers` names the pods that are meant where pods may come; empty: all of the system. `sensitive`: meant for parts
    of the cluster and administrators, whoever may come there as it is set.
    """

    what: str
    program: str
    protocol: Literal["tcp", "udp"]
    ports: str
    binds: Binds
    on: Place
    who: list[Who]
    callers: list[str]
    who_ipv6: list[Who]
    sensitive: bool


class StraySocket(Answer):
    """Something that listens on a node, and no row speaks of."""

    node: str
    protocol: str
    address: str
    port: int
    program: str


class SilentNode(Answer):
    """A node that did not say what listens there."""

    node: str
    message: str


class Ports(Answer):
    """The table of ports, held against what listens; without a firewall the rows are no more than an intention."""

    firewall: bool
    rows: list[Port]
    without_row: list[StraySocket]
    silent: list[SilentNode]


class Replicas(Answer):
    """How many there are and should be."""

    ready: int
    wanted: int


class ServiceLine(Answer):
    """A service as one line of the list."""

    name: str
    title: str
    state: State
    message: str
    replicas: Replicas
    nodes: list[str]
    version: str
    actions: list[str]


class Services(Answer):
    """Every service."""

    items: list[ServiceLine]


class Part(Answer):
    """A workload, or a unit or static pod on one node."""

    part: str
    state: State
    ready: int
    wanted: int
    nodes: list[str]
    message: str
    version: str


class Service(ServiceLine):
    """A service with its parts."""

    parts: list[Part]


class ServiceConfiguration(Answer):
    """The configuration in force: place -> text, without secrets."""

    service: str
    files: dict[str, str]


class LogLines(Answer):
    """The end of a log."""

    lines: list[str]


class LogLine(Answer):
    """A line of a followed log (event `line`)."""

    text: str


class ActionResult(Answer):
    """What an action did."""

    service: str
    action: str
    ok: bool
    changed: bool
    message: str
    seconds: float


class Operation(Answer):
    """An action on a service, from the journal of this master."""

    id: str
    service: str
    action: str
    caller: str
    state: Literal["running", "succeeded", "failed", "interrupted"]
    started_at: AwareDatetime
    finished_at: AwareDatetime | None
    seconds: float | None
    message: str = Field(description="How it ended, or what was said last")


class Operations(Answer):
    """One page, newest first."""

    items: list[Operation]
    next_cursor: str | None


class OperationMessage(Answer):
    """What an operation said (event `message`)."""

    text: str


class RunSummary(Answer):
    """A run as one line of the list."""

    id: str
    verb: str
    state: RunState
    started_at: AwareDatetime
    finished_at: AwareDatetime | None
    seconds: float | None
    changed: int
    failed: int


class Runs(Answer):
    """One page, newest first."""

    items: list[RunSummary]
    next_cursor: str | None


class RunPhase(Answer):
    """A phase of a run; `nodes` is the state on each."""

    name: str
    state: PhaseState
    nodes: dict[str, str]
    seconds: float | None
    changed: int


class Run(RunSummary):
    """A run with its phases."""

    message: str
    phases: list[RunPhase]


class RunEvent(Answer):
    """One line of a run's journal (event `run`); `event` names it."""

    event: str
    at: AwareDatetime
    data: dict[str, Any]


class Image(Answer):
    """An image of the registry."""

    repository: str
    tag: str
    reference: str
    digest: str
    architectures: list[str]
    size_bytes: int


class Images(Answer):
    """All imported images."""

    items: list[Image]


class ImageDescription(Image):
    """An image with what it starts by itself."""

    command: list[str]
    working_directory: str


class Problem(Answer):
    """RFC 9457: a stable code, what is wrong, and what to do."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    remedy: str
