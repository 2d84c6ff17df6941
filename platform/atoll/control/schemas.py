"""Services and runs as the portal shows them; the control service owns the facts."""

from typing import Any, Literal

from pydantic import Field

from atoll.web.schema import Moment, Schema

Who = Literal["everybody", "administrators", "nodes", "masters", "storage", "pods", "tasks"]
Binds = Literal["node", "loopback", "pod network", "node, forwarded"]
ServiceState = Literal["running", "degraded", "starting", "stopped", "failed", "unknown"]


class Replicas(Schema):
    """How many there are and should be."""

    ready: int
    wanted: int


class Service(Schema):
    """A part that an administrator can see and operate."""

    name: str
    title: str = ""
    state: ServiceState
    message: str = ""
    replicas: Replicas
    nodes: list[str] = Field(default_factory=list)
    version: str = ""
    actions: list[str] = Field(default_factory=list)


class Services(Schema):
    """All services."""

    items: list[Service]


class OpenPort(Schema):
    """What listens on nodes or as a Service, and who may come there; of pods `callers` alone, where it names any."""

    what: str
    program: str
    protocol: Literal["tcp", "udp"]
    ports: str
    binds: Binds
    on: Literal["all", "masters", "storage", "registry"]
    who: list[Who]
    callers: list[str]
    who_ipv6: list[Who]
    sensitive: bool = Field(
        default=False, description="Meant for parts of the cluster and administrators, whoever may come as it is set"
    )


class StraySocket(Schema):
    """Something that listens on a node, and no row speaks of."""

    node: str
    protocol: str
    address: str
    port: int
    program: str


class SilentNode(Schema):
    """A node that did not say what listens there."""

    node: str
    message: str


class Ports(Schema):
    """The table of ports, held against what listens; `firewall` says whether it is enforced."""

    firewall: bool
    rows: list[OpenPort]
    without_row: list[StraySocket]
    silent: list[SilentNode]


class ServiceAction(Schema):
    """What an action did."""

    service: str
    action: str
    ok: bool
    changed: bool
    message: str
    seconds: float


class ServiceLog(Schema):
    """The end of a service's log."""

    lines: list[str]


RunState = Literal["running", "succeeded", "failed", "interrupted"]


class RunPhase(Schema):
    """A phase on the nodes where it ran."""

    name: str
    state: Literal["waiting", "running", "succeeded", "failed", "skipped"]
    nodes: dict[str, str] = Field(default_factory=dict, description="State per node")
    seconds: float | None = None
    changed: int = 0


class RunSummary(Schema):
    """One apply."""

    id: str
    verb: str
    state: RunState
    started_at: Moment
    finished_at: Moment | None
    seconds: float | None
    changed: int
    failed: int


class Run(RunSummary):
    """One apply with its phases."""

    message: str = ""
    phases: list[RunPhase]


class RunEvent(Schema):
    """One event of a run's journal (`event` names it), passed on as it was written."""

    event: str
    at: Moment
    data: dict[str, Any]


class Image(Schema):
    """An imported image."""

    repository: str
    tag: str
    reference: str = Field(description="The whole name, as a task names it")
    digest: str
    architectures: list[str]
    size_bytes: int = Field(description="As it lies in the registry; layers may be compressed")


class Images(Schema):
    """All of them, by name and tag."""

    items: list[Image]


class ImageDescription(Image):
    """An image with what it starts by itself."""

    command: list[str]
    working_directory: str
