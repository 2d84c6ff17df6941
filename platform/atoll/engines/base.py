"""The interface of engines: what `jobs` asks of whatever runs tasks.

An engine knows attempts by their id. `submit` and `provision` are idempotent: doing them again after a crash is doing
them once. Observations are level-triggered: the newest one is the whole truth, and losing one in between loses nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from atoll import quantities
from atoll.configuration import Configuration
from atoll.engines.codes import NotReady, ServiceEnded
from atoll.engines.specification import MountKind, TaskSpec
from atoll.networks import Opening
from atoll.quantities import Quantity
from atoll.web.schema import Reason


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class Phase(StrEnum):
    """How far an attempt is."""

    WAITING = "waiting"  # the queue has not admitted it
    STARTING = "starting"  # admitted; pods are placed, images pulled
    RUNNING = "running"  # every replica runs
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    GONE = "gone"  # the engine no longer knows it


ReplicaState = Literal["waiting", "starting", "running", "succeeded", "failed"]


class ReplicaObservation(_Frozen):
    """One process as the engine sees it."""

    rank: int
    state: ReplicaState
    pod: str | None = None
    node: str | None = None
    devices: list[int] | None = None
    exit_code: int | None = None
    reason: Reason | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    ready: bool | None = None  # None: its specification has no readiness


class Observation(_Frozen):
    """An attempt as the engine sees it."""

    attempt_id: str
    phase: Phase
    reason: Reason | None = None
    replicas: tuple[ReplicaObservation, ...] = ()


class Submission(_Frozen):
    """An attempt: who runs what, and where it belongs. Nothing in it says what kind of task it is."""

    attempt_id: str
    task_id: str
    task_name: str
    number: int
    user_name: str
    uid: int
    virtual_cluster: str
    specification: TaskSpec

    @property
    def task_directory(self) -> str:
        """Where the task's log and scalars lie, relative to the home."""
        return f"tasks/{self.task_id}"

    @property
    def home(self) -> str:
        """The home as the program sees it; somewhere harmless where the task has none."""
        mount = self.specification.home
        return mount.target if mount is not None else "/tmp"  # noqa: S108 - inside the task

    @property
    def output(self) -> str:
        """Where the program writes its results, as it sees it."""
        found = (mount.target for mount in self.specification.mounts if mount.kind is MountKind.OUTPUT)
        return next(found, f"{self.home}/{self.task_directory}/output")


class Capability(StrEnum):
    """What an engine may lack. The conformance suite leaves out what needs a capability that is not declared."""

    IMAGES = "images"  # runs the image; without it, programs of this machine
    MOUNTS = "mounts"  # brings any source to any target; without it, targets are where the sources really lie
    READ_ONLY = "read_only"  # keeps programs from writing to what is mounted read-only
    CPU_LIMITS = "cpu_limits"


class Endpoint(_Frozen):
    """Where a port of a replica is reached from the platform's own network."""

    rank: int
    port: str
    host: str
    number: int


class Share(_Frozen):
    """A device type in a virtual cluster, by the name of its resource."""

    device_type: str
    resource: str
    count: int
    max_per_user: int


class UserShare(_Frozen):
    """How much CPU and memory the tasks of one user may reserve in a virtual cluster.

    A part of what all machines that take tasks have, and never less than a task of usual size needs on each of them.
    """

    percent: int
    usual_cpu: Quantity
    usual_memory: Quantity

    @classmethod
    def configured(cls, configuration: Configuration, device_types: Iterable[str]) -> "UserShare":
        """That of a virtual cluster with devices of these types."""
        cpu, memory = configuration.resource_limit.usual(device_types)
        return cls(percent=configuration.tasks.user_share_percent, usual_cpu=cpu, usual_memory=memory)

    def of(self, cpu_cores: Decimal, memory_bytes: Decimal, machines: int) -> tuple[Decimal, Decimal]:
        """Cores and bytes, where so many machines have so much."""
        part = Decimal(self.percent) / 100
        usual_cpu, usual_memory = (quantities.parse(text) * machines for text in (self.usual_cpu, self.usual_memory))
        return min(cpu_cores, max(cpu_cores * part, usual_cpu)), min(
            memory_bytes, max(memory_bytes * part, usual_memory)
        )


class Member(_Frozen):
    """A user of a virtual cluster."""

    name: str
    uid: int


class ClusterProvision(_Frozen):
    """A virtual cluster as the engine shall have it.

    `borrows`: its members may hold what is idle of the shares of others, which get it back when they need it. An engine
    that interrupts nothing to that end lends nothing.
    """

    name: str
    shares: tuple[Share, ...]
    members: tuple[Member, ...]
    user_share: UserShare
    borrows: bool = False
    egress: tuple[Opening, ...] = ()  # where its tasks are let out to
    privileged: bool = False  # whether it has room for jobs that are root of their container


class NodeDevicesObservation(_Frozen):
    """Devices of one type in a node. `used_indices` None: the engine knows only how many are used."""

    type: str
    resource: str
    total: int
    used: int
    used_by: dict[int, str] | None = None  # index -> attempt id


class NodeObservation(_Frozen):
    """A machine as the engine sees it."""

    name: str
    address: str
    roles: tuple[Literal["master", "worker", "storage"], ...]
    arch: str
    state: Literal["ready", "not_ready", "unknown", "cordoned"]
    reason: Reason | None = None
    takes_tasks: bool
    cpu_cores: float
    cpu_requested: float
    memory_bytes: int
    memory_requested: int
    pods: int
    pods_max: int
    devices: tuple[NodeDevicesObservation, ...]
    os: str
    kernel: str
    kubelet: str
    runtime: str
    joined_at: datetime
    state_since: datetime
    other_addresses: tuple[str, ...] = ()  # IPv4, beside `address`: tasks reach the machine at none of them either


NOT_READY = NotReady().reason()
SERVICE_ENDED = ServiceEnded().reason()


class EngineError(Exception):
    """The engine refused or does not answer; `permanent` when trying again cannot help."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class LogGone(Exception):
    """The engine no longer has this log; shared storage does."""


class Engine(ABC):
    """What runs tasks. Every sentence here is tried on each engine by `tests/engines`."""

    capabilities: ClassVar[frozenset[Capability]]

    @abstractmethod
    def run(self) -> AsyncGenerator[str | None, None]:
        """Watch until closed. Yields the ids of attempts whose observation changed, None when nodes did.

        Nothing is yielded before everything that exists was listed, so that an attempt that is not known after the
        first item (`synced`) does not exist.
        """

    @property
    @abstractmethod
    def synced(self) -> bool:
        """Whether `observe` may be believed when it says GONE."""

    @abstractmethod
    def observe(self, attempt_id: str) -> Observation:
        """What was last seen of an attempt; phase GONE when there is none.

        A WAITING attempt says why it waits. A replica is `ready` once its readiness holds, and an attempt that has a
        readiness is RUNNING only then. A service never succeeds: when its program ends, whatever with, it FAILED.
        """

    @abstractmethod
    def adopt(self) -> Sequence[str]:
        """The ids of all attempts of which the engine has anything, also from before this process and of submissions
        that were cut off half way: whoever comes after a restart goes on with them. Complete once `synced`.
        """

    @abstractmethod
    async def submit(self, submission: Submission) -> None:
        """Queue an attempt; one that is known already is left as it is. Raises EngineError.

        The program sees plain and secret variables, `$ATOLL_PORT_<NAME>` for each port, and its mounts. No secret is
        in what `observe` tells, nor in what the engine writes where others read.
        """

    @abstractmethod
    async def stop(self, attempt_id: str) -> None:
        """End an attempt: asked politely first, by force after the grace of its specification. Raises EngineError.

        Stopping again, or what has ended or never was, changes nothing. A stopped attempt ends FAILED or GONE.
        """

    @abstractmethod
    async def forget(self, attempt_id: str, virtual_cluster: str, *, privileged: bool = False) -> None:
        """Remove all that is left of an ended attempt, also what this process never saw: then it is GONE and no longer
        adopted. Forgetting again, or what never was, changes nothing.

        Raises EngineError, also while some replica of it is still ending where that has to be waited for.
        """

    @abstractmethod
    def logs(self, attempt_id: str, rank: int, offset: int) -> AsyncGenerator[bytes, None]:
        """Follow a replica's output from `offset` until it ends. Raises LogGone when it has to come from storage."""

    @abstractmethod
    def endpoints(self, attempt_id: str) -> Sequence[Endpoint]:
        """Where the ports of the replicas that run are reached; none for what does not run."""

    @abstractmethod
    def nodes(self) -> Sequence[NodeObservation]:
        """All machines."""

    def capacity(self) -> tuple[int | str, ...]:
        """What `provision` depends on beside its argument, and never what runs.

        Whenever it changes, `jobs` provisions all virtual clusters again (`provisioning`).
        """
        return ()

    @abstractmethod
    async def provision(self, wanted: ClusterProvision) -> bool:
        """Bring name space, quotas, queues and, where it closes networks to tasks, openings of a virtual cluster to
        `wanted`. Raises EngineError.

        Then quotas hold. Whether that is all: what is left of members who are not in `wanted` ends by asking again.
        """

    @abstractmethod
    async def remove_cluster(self, virtual_cluster: str) -> bool:
        """Remove all that there is of a virtual cluster, and nothing of another one; user data stay.

        Whether nothing is left: what takes a while ends by asking again, also after a restart in between. Of what never
        was there is nothing left. Raises EngineError.
        """

    @abstractmethod
    async def close(self) -> None:
        """Let go of everything; what runs goes on running where it can."""
