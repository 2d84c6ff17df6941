"""The interface of engines: what `jobs` asks of whatever runs tasks.

An engine knows attempts by their id. `submit` and `provision` are idempotent: doing them again after a crash is doing
them once. Observations are level-triggered: the newest one is the whole truth, and losing one in between loses nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from atoll.web.schema import Reason


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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


class Observation(_Frozen):
    """An attempt as the engine sees it."""

    attempt_id: str
    phase: Phase
    reason: Reason | None = None
    replicas: tuple[ReplicaObservation, ...] = ()


class Submission(_Frozen):
    """All that an engine needs to run an attempt. Paths are relative to the owner's home."""

    attempt_id: str
    task_id: str
    task_name: str
    number: int
    user_name: str
    uid: int
    virtual_cluster: str
    image: str
    python: str | None
    runtime: str | None = None  # image with the entry point's interpreter, where `image` is the user's own
    command: tuple[str, ...]
    start_file: str | None = None
    code_directory: str
    working_directory: str | None = None  # in the image, instead of the code directory
    output_directory: str
    task_directory: str
    device_type: str
    resource: str
    devices: int
    nodes: int
    cpu_limit: str
    memory_limit: str
    cpu_request: str
    memory_request: str


class Share(_Frozen):
    """A device type in a virtual cluster, by the name of its resource."""

    device_type: str
    resource: str
    count: int
    max_per_user: int


class Member(_Frozen):
    """A user of a virtual cluster."""

    name: str
    uid: int


class ClusterProvision(_Frozen):
    """A virtual cluster as the engine shall have it."""

    name: str
    shares: tuple[Share, ...]
    members: tuple[Member, ...]


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


class EngineError(Exception):
    """The engine refused or does not answer; `permanent` when trying again cannot help."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        super().__init__(message)
        self.permanent = permanent


class LogGone(Exception):
    """The engine no longer has this log; shared storage does."""


class Engine(ABC):
    """What runs tasks."""

    @abstractmethod
    def run(self) -> AsyncIterator[str | None]:
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
        """What was last seen of an attempt; phase GONE when there is none."""

    @abstractmethod
    def known(self) -> Sequence[str]:
        """The ids of all attempts that the engine has, for adoption after a restart."""

    @abstractmethod
    async def submit(self, submission: Submission) -> None:
        """Queue an attempt. Raises EngineError."""

    @abstractmethod
    async def stop(self, attempt_id: str, grace_s: int) -> None:
        """End an attempt: asked politely first, by force after the grace. Raises EngineError."""

    @abstractmethod
    async def forget(self, attempt_id: str) -> None:
        """Remove what is left of an ended attempt. Raises EngineError."""

    @abstractmethod
    def logs(self, attempt_id: str, rank: int, offset: int) -> AsyncGenerator[bytes, None]:
        """Follow a replica's output from `offset` until it ends. Raises LogGone when it has to come from storage."""

    @abstractmethod
    def nodes(self) -> Sequence[NodeObservation]:
        """All machines."""

    def capacity(self) -> tuple[int, ...]:
        """What `provision` depends on beside its argument; when it changes, virtual clusters are provisioned again."""
        return ()

    @abstractmethod
    async def provision(self, wanted: ClusterProvision) -> None:
        """Bring name space, quotas and queues of a virtual cluster to `wanted`. Raises EngineError."""

    @abstractmethod
    def home(self, user_name: str) -> str:
        """Where a program in a task sees its user's home."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of everything; what runs goes on running where it can."""
