"""What a service is told: `/etc/atoll/config.yaml` and the files of secrets that it names.

`$ATOLL_CONFIG` names another file. Unknown keys are refused, so that a slip in a template is found at start and not in
use.
"""

import os
import ssl
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from atoll.devices.limits import LOCAL_DISK, Limits
from atoll.devices.types import DeviceType, DeviceTypes
from atoll.providers import LOOPBACK, WaysIn
from atoll.quantities import Quantity, cpu_text, memory_text, parse


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _check_asked_by_tls(name: str, url: str, authority: Path | None) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" and authority is None:
        raise ValueError(f"`{name}` is asked by TLS: name the `authority` of its certificate")
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise ValueError(f"`{name}`: a service on a network is asked by https alone, not at {url}")


class Cluster(_Section):
    """Which cluster this is."""

    name: str
    version: str


class Database(_Section):
    """Where PostgreSQL is, and as whom to sign in."""

    host: str = Field(description="A name, or on this machine the directory of its socket")
    port: int = 5432
    name: str = "atoll"
    user: str
    password_file: Path | None = None
    authority: Path | None = Field(default=None, description="Who signs its certificate; there is no TLS on a socket")

    @property
    def on_socket(self) -> bool:
        """Whether it is on this machine, where nobody listens in between."""
        return self.host.startswith("/")

    @model_validator(mode="after")
    def _nothing_is_told_a_network_in_clear(self) -> "Database":
        if not self.on_socket and self.authority is None:
            raise ValueError("a database on a network is asked by TLS alone: name its `authority`")
        return self


class Web(_Section):
    """How browsers reach the portal."""

    origin: str
    origins: list[str] = Field(default_factory=list, description="Further addresses of the same portal")
    session_hours: int = Field(default=12, ge=1, le=720)
    secure_cookies: bool = True
    session_cookie: str = Field(default="atoll_session", pattern=r"^[a-z0-9_]+$", description="Browsers tell no ports")
    registration: bool = Field(default=True, description="Whether people may make accounts for themselves")
    streams_per_user: int = Field(default=40, ge=4, description="Live views of one user, in each process of the API")
    portal: Path | None = Field(default=None, description="The built portal, where no gateway serves it")


class Services(_Section):
    """Where the sibling processes are."""

    files: str
    jobs: str
    authority: Path | None = Field(
        default=None, description="Who signs their certificates; there is no TLS on loopback"
    )

    @model_validator(mode="after")
    def _nothing_is_told_a_network_in_clear(self) -> "Services":
        for name, url in (("files", self.files), ("jobs", self.jobs)):
            _check_asked_by_tls(name, url, self.authority)
        return self


class Tls(_Section):
    """What this service proves itself with to those who ask it; without it, it is asked on loopback alone."""

    certificate: Path
    key: Path


class Prometheus(_Section):
    """Where measurements come from."""

    url: str
    authority: Path | None = Field(default=None, description="Who signs its certificate; there is no TLS on loopback")

    @model_validator(mode="after")
    def _nothing_is_asked_of_a_network_in_clear(self) -> "Prometheus":
        _check_asked_by_tls("url", self.url, self.authority)
        return self


class Control(_Section):
    """Where the control service is and how to prove who asks."""

    url: str
    certificate: Path
    key: Path
    ca: Path


class Storage(_Section):
    """Where users' data lie for `files` and the local engine."""

    root: Path = Path("/mnt/atoll")


class Framework(_Section):
    """A preset image that programs run in."""

    name: str
    title: str
    image: str
    library: str
    distributed: bool | None = None
    python: str | None = Field(default=None, description="Interpreter, where it is not `python3` of the image")

    @property
    def trains_distributed(self) -> bool:
        """Whether programs in it may run over several nodes."""
        return self.library != "scikit-learn" if self.distributed is None else self.distributed


class LocalNode(_Section):
    """A node that the local engine pretends to have."""

    name: str
    arch: str = "amd64"
    devices: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    cpu_cores: float = 64
    memory_bytes: int = 256 << 30


class Engine(_Section):
    """What runs tasks."""

    kind: Literal["kubernetes", "local"]
    registry: str = Field(default="registry.atoll.internal:5000", description="Where images of tasks come from")
    runtime: str | None = Field(
        default=None, description="Image with the interpreter of the entry point, mounted into images that have none"
    )
    local_disk: Quantity = Field(
        default=LOCAL_DISK,
        description="What a replica may write to its node's own disk, if its task says nothing of it",
    )
    user_namespaces: Literal["auto", "never"] = Field(
        default="auto", description="Whether tasks have one where every machine that they may run on can give it"
    )
    lends: bool = Field(
        default=True,
        description="Whether virtual clusters may borrow idle devices of others. Not where the queue shares by use: to"
        " give them back it would interrupt colleagues, too",
    )
    privileged_jobs: bool = Field(
        default=False, description="Whether a job may be root of its container, where its virtual cluster lets it"
    )
    networks: list[str] = Field(
        default_factory=list, description="Of pods and services: closed to tasks, whatever a virtual cluster opens"
    )
    gateways: list[str] = Field(default_factory=list, description="Addresses of the masters, where the portal answers")
    name_service: str | None = Field(default=None, description="Address of the cluster's DNS")
    kubeconfig: Path | None = Field(default=None, description="Without it: the service account of the pod")
    nodes: list[LocalNode] = Field(default_factory=list, description="Of the local engine only")

    @model_validator(mode="after")
    def _tasks_can_tell_whether_they_are_closed(self) -> "Engine":
        if self.kind == "kubernetes" and not (self.gateways and self.name_service and self.networks):
            raise ValueError(
                "tasks on Kubernetes need `gateways` and `name_service` to know their network policy, and `networks`, "
                "to which it never opens"
            )
        return self


class ResourceLimit(BaseModel):
    """Limits per device type and the share of the limit that is requested (seed 002)."""

    model_config = ConfigDict(extra="allow", frozen=True)
    request_ratio: float = Field(default=0.5, gt=0, le=1)
    __pydantic_extra__: dict[str, Limits]

    def of(self, device_type: str) -> Limits | None:
        """The limits of a device type, None when nothing is configured for it."""
        return (self.__pydantic_extra__ or {}).get(device_type)

    def usual(self, device_types: Iterable[str]) -> tuple[str, str]:
        """CPU and memory that a task with default limits requests, of the largest of these types and of none."""
        found = [self.of(name) for name in device_types]
        defaults = [limits.default for limits in (*found, self.without_devices) if limits is not None]
        ratio = Decimal(str(self.request_ratio))
        return (
            cpu_text(max((parse(each.cpu) for each in defaults), default=Decimal(0)) * ratio),
            memory_text(max((parse(each.memory) for each in defaults), default=Decimal(0)) * ratio),
        )

    @property
    def without_devices(self) -> Limits | None:
        """The limits of tasks that ask for no device; None: those of the type they name."""
        return self.of("cpu")


class Tasks(_Section):
    """What one user may do with tasks."""

    unfinished_per_user: int = Field(default=100, ge=1, le=10000, description="So many may wait or run at a time")
    submitted_per_user: int = Field(default=120, ge=1, le=1000, description="So many may be submitted in ten minutes")
    user_share_percent: int = Field(default=50, ge=1, le=100, description="Of all machines' CPU and of their memory")
    removed_retention_days: int = Field(
        default=30, ge=1, description="One that was removed from the lists is forgotten after so long; its files stay"
    )
    kept_per_user: int = Field(
        default=10_000, ge=100, description="Of more that have ended, removed ones and then the oldest are forgotten"
    )


class Operations(_Section):
    """Long work of the platform (`operations`), done by `jobs`."""

    workers: Annotated[int, Field(ge=1)] = Field(default=4, description="Done at a time by each replica of `jobs`")
    at_once: Annotated[int, Field(ge=1)] = Field(default=8, description="Done at a time by all replicas together")
    per_user: Annotated[int, Field(ge=1)] = Field(default=2, description="Of one user, done at a time")
    waiting_per_user: Annotated[int, Field(ge=1)] = Field(
        default=100, description="Of one user, waiting or running: further ones are refused"
    )
    started_per_user: Annotated[int, Field(ge=1)] = Field(
        default=120, description="Of one user, started in ten minutes: further ones are refused for a while"
    )
    fruitless_attempts: Annotated[int, Field(ge=1)] = Field(
        default=10, description="One whose process ended so often in a row without getting any further is given up"
    )
    retention_days: Annotated[int, Field(ge=1)] = Field(
        default=30, description="One that has ended is forgotten after so long; the files that it made stay"
    )
    kept_per_user: Annotated[int, Field(ge=100)] = Field(
        default=10_000, description="Of one user, ended: of more, the oldest are forgotten"
    )


class Registration(_Section):
    """Accounts that people make for themselves."""

    most_waiting: Annotated[int, Field(ge=1)] = Field(
        default=100, description="That nobody gave a role yet: no further ones are made"
    )


class AccessTokens(_Section):
    """Tokens that people make for their programs."""

    most_days: Annotated[int, Field(ge=1)] = Field(default=365, description="None lives longer")
    most_per_user: Annotated[int, Field(ge=1)] = Field(default=50, description="That have not ended")


class Audit(_Section):
    """Who did what."""

    retention_days: Annotated[int, Field(ge=1)] = Field(default=365, description="A row is forgotten after so long")
    rows: Annotated[int, Field(ge=1)] = Field(
        default=1_000_000, description="Of more, rows of whoever has most are forgotten"
    )


class FirstVirtualCluster(_Section):
    """The virtual cluster that a new installation starts with."""

    name: str
    devices: dict[str, Annotated[int, Field(ge=0)]]
    max_devices_per_user: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    max_hours: int | None = None


class Configuration(_Section):
    """The whole file."""

    service: str = "api"
    cluster: Cluster
    database: Database
    web: Web
    services: Services
    tls: Tls | None = None
    prometheus: Prometheus | None = None
    control: Control | None = None
    storage: Storage = Storage()
    engine: Engine
    frameworks: list[Framework]
    devices: DeviceTypes
    resource_limit: ResourceLimit
    tasks: Tasks = Tasks()
    virtual_clusters: list[FirstVirtualCluster] = Field(default_factory=list)
    operations: Operations = Operations()
    registration: Registration = Registration()
    access_tokens: AccessTokens = AccessTokens()
    ways_in: WaysIn = WaysIn()
    audit: Audit = Audit()
    secrets: Path = Path("/etc/atoll/secrets")

    @model_validator(mode="after")
    def _every_device_has_limits(self) -> "Configuration":
        strange = {name for node in self.engine.nodes for name in node.devices} - {row.type for row in self.devices}
        if strange:
            raise ValueError(f"engine.nodes: {', '.join(sorted(strange))}: no such device type in `devices`")
        missing = [device.type for device in self.devices if self.resource_limit.of(device.type) is None]
        if missing:
            raise ValueError(
                f"resource_limit lacks {', '.join(missing)}: every device type needs floor, default, ceiling"
            )
        if not self.devices and self.resource_limit.without_devices is None:
            raise ValueError("resource_limit lacks cpu: without device types, every task has its limits")
        return self

    def device(self, device_type: str) -> DeviceType | None:
        """The device type of that name."""
        return next((device for device in self.devices if device.type == device_type), None)

    def framework(self, name: str) -> Framework | None:
        """The framework of that name."""
        return next((framework for framework in self.frameworks if framework.name == name), None)

    def secret(self, name: str) -> str:
        """The content of a secret file. Raises ConfigurationError when it cannot be read."""
        path = self.secrets / name
        try:
            return path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigurationError(f"{path}: cannot read this secret ({error.strerror})") from error


class ConfigurationError(Exception):
    """The configuration cannot be used; the message says where and why."""


def trusting(authority: Path) -> ssl.SSLContext:
    """What a server is checked by: its name, in a certificate that `authority` (a file) signed, and TLS 1.3.

    Raises ConfigurationError where the authority cannot be read.
    """
    try:
        context = ssl.create_default_context(cafile=str(authority))
    except OSError as error:
        raise ConfigurationError(f"{authority}: cannot read this authority ({error})") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def load(path: Path | None = None) -> Configuration:
    """Read and check the configuration. Raises ConfigurationError with every mistake in it."""
    where = path or Path(os.environ.get("ATOLL_CONFIG", "/etc/atoll/config.yaml"))
    try:
        content = yaml.safe_load(where.read_text(encoding="utf-8"))
        return Configuration.model_validate(content)
    except OSError as error:
        raise ConfigurationError(f"{where}: cannot read the configuration ({error.strerror})") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{where}: is not YAML: {error}") from error
    except ValidationError as error:
        lines = [f"{where}: {'.'.join(map(str, e['loc'])) or 'file'}: {e['msg']}" for e in error.errors()]
        raise ConfigurationError("\n".join(lines)) from error
