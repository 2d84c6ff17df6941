"""What a task is for its engine. Domains build it, `tasks` admits and keeps it, engines render it.

It lies on the floor of the engines, so that they know specifications without knowing tasks or kinds. It is kept as JSON
with its version; a change that old rows do not fit raises the version and comes with a migration.
"""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from atoll.devices.types import DeviceType
from atoll.quantities import Quantity

DEFAULT_GRACE_S = 30
# An engine keeps a task's text in several objects of a database that takes 1.5 MiB at a time and 2 GiB altogether.
MOST_TEXT_BYTES = 64 << 10
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=128)]
_OURS = frozenset({"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "HOME", "USER"})
_TWICE = re.compile(r'[$"\\\n\r\t]')
_SIX = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f<>&\u2028\u2029]")  # each becomes \u and four digits
# With these Kubernetes tells a pod where its API is, and the hold of a task asks there (`kubernetes/manifests.py`).
_THEIRS = ("ATOLL_", "KUBERNETES_")


class _Frozen(BaseModel):
    # What is wrong is told without what was given: that may be a secret, and errors are logged.
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Mode(StrEnum):
    """`batch` ends by itself; `service` has readiness and never finishes."""

    BATCH = "batch"
    SERVICE = "service"


def text_bytes(texts: Iterable[str]) -> int:
    """How much of `MOST_TEXT_BYTES` they take: as Kubernetes keeps them, in JSON as Go writes it, and a `$` twice."""
    return sum(
        len(text.encode()) + len(_TWICE.findall(text)) + sum(6 - len(sign.encode()) for sign in _SIX.findall(text))
        for text in texts
    )


class Program(_Frozen):
    """What runs: a command in an image, by digest where the image is a user's own."""

    image: str
    command: Annotated[tuple[str, ...], Field(min_length=1)]
    working_directory: str = Field(description="Absolute, as the program sees it")
    needs_file: str | None = Field(default=None, description="In the working directory; without it nothing is started")
    runtime: str | None = Field(
        default=None, description="Image with the entry point's interpreter, where `image` may have none"
    )


class MountKind(StrEnum):
    """What is mounted; each kind lies below a directory of its own in the tree of user data."""

    HOME = "home"
    DATASET = "dataset"
    MODEL = "model"
    OUTPUT = "output"


class Mount(_Frozen):
    """A directory of the tree of user data, and where the program sees it."""

    kind: MountKind
    source: Annotated[str, Field(pattern=r"^[^/\x00]+(/[^/\x00]+)*$")] = Field(
        description="Relative to the tree, for example home/ada or datasets/coco/3"
    )
    target: Annotated[str, Field(pattern=r"^/")]
    read_only: bool = False

    @model_validator(mode="after")
    def _stays_in_the_tree(self) -> "Mount":
        if {".", ".."} & {*self.source.split("/"), *self.target.split("/")}:
            raise ValueError("a mount's source and target have no `.` or `..`")
        return self

    def covers(self, other: "Mount") -> bool:
        """Whether `other` is already to be seen through this one, with the same rights."""
        rest = other.source.removeprefix(f"{self.source}/")
        return rest != other.source and other.target == f"{self.target}/{rest}" and self.read_only == other.read_only


class Port(_Frozen):
    """Where the program listens: it finds the number in `$ATOLL_PORT_<NAME>`."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,14}$")]
    number: Annotated[int, Field(ge=1024, le=65535)]
    protocol: Literal["http", "tcp"] = "http"


def port_variable(name: str) -> str:
    """The variable in which a program finds the number of a port."""
    return f"ATOLL_PORT_{name.upper()}"


class CommandReadiness(_Frozen):
    """Ready once this command, beside the program, ends with 0."""

    by: Literal["command"] = "command"
    command: Annotated[tuple[str, ...], Field(min_length=1)]


class HttpReadiness(_Frozen):
    """Ready once this address answers with 2xx or 3xx."""

    by: Literal["http"] = "http"
    port: str
    path: Annotated[str, Field(pattern=r"^/")] = "/"


class TcpReadiness(_Frozen):
    """Ready once the port takes connections."""

    by: Literal["tcp"] = "tcp"
    port: str


Readiness = Annotated[CommandReadiness | HttpReadiness | TcpReadiness, Field(discriminator="by")]


class Devices(_Frozen):
    """The machines: how many, of which type, and how many devices on each."""

    type: str | None = Field(default=None, description="None: machines of any kind, and no devices")
    resource: str | None = None
    count: Annotated[int, Field(ge=0)] = Field(description="Per node")
    nodes: Annotated[int, Field(ge=1)] = 1
    architecture: str | None = Field(default=None, description="Of the machines; None: any")
    group: Annotated[int, Field(ge=1)] = Field(
        default=1, description="Which devices go together: `devices.types.choose`"
    )

    @model_validator(mode="after")
    def _typed_or_none(self) -> "Devices":
        if (self.type is None) != (self.resource is None):
            raise ValueError("a device type has a resource, and nothing else has")
        if self.type is None and self.count:
            raise ValueError("devices have a type")
        return self

    @classmethod
    def of(cls, row: DeviceType, count: int, nodes: int = 1) -> "Devices":
        """So many of a device type on each of so many machines."""
        return cls(
            type=row.type, resource=row.resource, count=count, nodes=nodes, architecture=row.arch, group=row.group
        )


class Amounts(_Frozen):
    """CPU cores and memory of one replica, as Kubernetes writes quantities."""

    cpu: str
    memory: str


class LocalDisk(_Frozen):
    """What a replica may write to its node's own disk beside its mounts, and what of it is set aside for it there."""

    limit: Quantity
    request: Quantity = "0"


class TaskSpec(_Frozen):
    """A task as its engine gets it."""

    version: Literal[1] = 1
    mode: Mode = Mode.BATCH
    program: Program
    mounts: tuple[Mount, ...] = ()
    variables: dict[VariableName, str] = Field(default_factory=dict)
    secrets: dict[VariableName, SecretStr] = Field(
        default_factory=dict, description="Variables that nobody but the program reads; kept apart from the rest"
    )
    ports: tuple[Port, ...] = ()
    readiness: Readiness | None = None
    devices: Devices
    limits: Amounts
    requests: Amounts
    local_disk: LocalDisk | None = Field(default=None, description="None: what the engine gives every task")
    restartable: bool = Field(
        default=False,
        description="A lost replica may be replaced before its node is fenced (kept; no engine acts on it yet)",
    )
    grace_s: Annotated[int, Field(ge=0, le=3600)] = DEFAULT_GRACE_S
    privileged: bool = Field(
        default=False, description="Root of its container, where the engine has containers; else its user as any task"
    )

    @model_validator(mode="after")
    def _fits_together(self) -> "TaskSpec":
        if self.mode is Mode.SERVICE and self.readiness is None:
            raise ValueError("a service has a readiness")
        if twice := self.variables.keys() & self.secrets.keys():
            raise ValueError(f"plain and secret at once: {', '.join(sorted(twice))}")
        if ours := [name for name in (*self.variables, *self.secrets) if name in _OURS or name.startswith(_THEIRS)]:
            raise ValueError(f"variables that the engine sets: {', '.join(sorted(ours))}")
        names = [port.name for port in self.ports]
        if len({*names}) < len(names) or len({port.number for port in self.ports}) < len(names):
            raise ValueError("names and numbers of ports are unique")
        asked = getattr(self.readiness, "port", None)
        if asked is not None and asked not in names:
            raise ValueError(f"readiness asks port `{asked}`, which is not declared")
        if len({mount.target for mount in self.mounts}) < len(self.mounts):
            raise ValueError("two mounts have the same target")
        return self

    @property
    def output(self) -> str | None:
        """The directory of results, relative to the home; None when there is none in it."""
        found = next((mount.source for mount in self.mounts if mount.kind is MountKind.OUTPUT), None)
        beneath = f"{self.home.source}/" if self.home is not None else None
        return found.removeprefix(beneath) if found and beneath and found.startswith(beneath) else None

    @property
    def home(self) -> Mount | None:
        """The home of the owner, where it is mounted."""
        return next((mount for mount in self.mounts if mount.kind is MountKind.HOME), None)

    @property
    def text_bytes(self) -> int:
        """How long its command and its variables are together, as an engine writes them (a `$` becomes two)."""
        ready = self.readiness.command if isinstance(self.readiness, CommandReadiness) else ()
        variables = {**self.variables, **self.secret_values()}
        return text_bytes((*self.program.command, *ready, *variables, *variables.values()))

    def kept(self) -> dict[str, object]:
        """What the database keeps beside the secrets."""
        return self.model_dump(mode="json", exclude={"secrets"})

    def secret_values(self) -> dict[str, str]:
        """The secrets in the clear, for where they are kept and for the engine."""
        return {name: value.get_secret_value() for name, value in self.secrets.items()}
