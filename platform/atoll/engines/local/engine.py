"""Tasks as processes of this machine. Binds nothing, isolates nothing: for development and a first look.

State lies in a directory per attempt, so a restart of `jobs` adopts what runs:
`submission.json` (with `secrets.json` until it is started), `placement.json` once started, and per rank `<rank>.pid`,
`<rank>.ports`, `<rank>.outcome` when it ended.
"""

import asyncio
import contextlib
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import structlog

from atoll import quantities
from atoll.devices.types import DeviceType, by_type
from atoll.engines import codes
from atoll.engines.base import (
    NOT_READY,
    SERVICE_ENDED,
    ClusterProvision,
    Endpoint,
    Engine,
    EngineError,
    LogGone,
    NodeDevicesObservation,
    NodeObservation,
    Observation,
    Phase,
    ReplicaObservation,
    Submission,
)
from atoll.engines.local import ports, processes, records
from atoll.engines.local.readiness import Readinesses
from atoll.engines.local.scheduler import Held, Machine, next_start
from atoll.engines.specification import Mode
from atoll.web.schema import Reason

ENTRY = Path(__file__).parent.parent / "entry.py"
TICK_S = 0.1
FORGOTTEN = ".forgotten-"  # what is still being removed
# Of this process, whichever engine started them: whoever looks reaps them.
_CHILDREN: list[subprocess.Popen[bytes]] = []
log = structlog.get_logger(__name__)


def _begin(argv: list[str], environment: dict[str, str], file: Path) -> None:
    """Start a process and write it down, in one go: whoever is cancelled in between would lose it and start another."""
    # Not by asyncio: its children end with its loop, ours go on when `jobs` is restarted.
    process = subprocess.Popen(
        argv,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    _CHILDREN.append(process)
    records.write(file, f"{process.pid} {records.start_time(process.pid)}")


class LocalEngine(Engine):
    """Processes, with the queue rules of `admission`."""

    capabilities = frozenset()

    def __init__(self, state: Path, storage: Path, types: Sequence[DeviceType], machines: Sequence[Machine]) -> None:
        self._state = state
        self._storage = storage
        self._types = by_type(types)
        self._machines = machines
        self._clusters: dict[str, ClusterProvision] = {}
        self._waiting: dict[str, Submission] = {}
        self._held: dict[str, Held] = {}
        self._observed: dict[str, Observation] = {}
        self._told: dict[str, Observation] = {}  # of these what whoever listens knows
        self._cut_off: set[str] = set()
        self._deadlines: dict[str, float] = {}
        self._synced = False
        self._wake = asyncio.Event()
        self._readiness = Readinesses(state)
        self._began = datetime.now(UTC)

    @property
    def synced(self) -> bool:
        """Whether the state directories were read."""
        return self._synced

    async def run(self) -> AsyncGenerator[str | None, None]:
        """Adopt what there is, then look at processes as they end."""
        await self._adopt()
        self._told = dict(self._observed)
        self._synced = True
        yield None
        while True:
            for attempt_id in await self._step():
                yield attempt_id
                yield None
            # Ends of adopted processes are seen only by looking, so this looks rather than waits.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await self._wake.wait()
            self._wake.clear()

    def observe(self, attempt_id: str) -> Observation:
        """What was last seen."""
        return self._observed.get(attempt_id) or Observation(attempt_id=attempt_id, phase=Phase.GONE)

    def adopt(self) -> Sequence[str]:
        """All attempts that have a state directory."""
        return [*self._observed, *self._cut_off]

    async def submit(self, submission: Submission) -> None:
        """Write it down and queue it."""
        if self.observe(submission.attempt_id).phase is not Phase.GONE:
            return
        self._refuse_what_is_no_mount(submission)
        records.write_submission(self._directory(submission.attempt_id), submission)
        self._cut_off.discard(submission.attempt_id)
        self._queue(submission)
        self._wake.set()

    async def stop(self, attempt_id: str) -> None:
        """SIGTERM to the entry points, SIGKILL to their sessions after the grace."""
        if attempt_id in self._waiting:
            self._waiting.pop(attempt_id)
            self._observed[attempt_id] = Observation(attempt_id=attempt_id, phase=Phase.GONE)
            self._wake.set()
        elif attempt_id in self._held and attempt_id not in self._deadlines:
            grace_s = self._held[attempt_id].submission.specification.grace_s
            self._deadlines[attempt_id] = asyncio.get_running_loop().time() + grace_s
            self._signal(attempt_id, signal.SIGTERM)

    async def forget(self, attempt_id: str, virtual_cluster: str, *, privileged: bool = False) -> None:  # noqa: ARG002 - ids are enough here
        """Remove the state directory."""
        if attempt_id in self._held or attempt_id in self._waiting:
            raise EngineError(f"attempt {attempt_id} has not ended")
        self._observed.pop(attempt_id, None)
        self._told.pop(attempt_id, None)
        self._cut_off.discard(attempt_id)
        directory = self._directory(attempt_id)
        if directory.is_dir():
            # Out of the way first: whoever submits the same attempt late has its directory from this moment on.
            aside = Path(tempfile.mkdtemp(prefix=FORGOTTEN, dir=self._state))
            directory.rename(aside / attempt_id)
            await asyncio.to_thread(shutil.rmtree, aside, ignore_errors=True)

    async def logs(self, attempt_id: str, rank: int, offset: int) -> AsyncGenerator[bytes, None]:
        """The log file, followed: on this machine it is the output itself."""
        held = self._held.get(attempt_id)
        if held is None:
            raise LogGone(attempt_id)
        path = self._log(held.submission, rank)
        while True:
            ended = attempt_id not in self._held or self._rank_ended(attempt_id, rank)
            data = await asyncio.to_thread(records.read_from, path, offset)
            if data:
                offset += len(data)
                yield data
            elif ended:
                return
            else:
                await asyncio.sleep(TICK_S)

    def nodes(self) -> Sequence[NodeObservation]:
        """The pretended nodes."""
        return [self._node(machine) for machine in self._machines]

    async def provision(self, wanted: ClusterProvision) -> bool:
        """Remember the quotas."""
        self._clusters[wanted.name] = wanted
        self._wake.set()
        return True

    async def remove_cluster(self, virtual_cluster: str) -> bool:
        """Forget the quotas: nothing starts there any more."""
        self._clusters.pop(virtual_cluster, None)
        return True

    def endpoints(self, attempt_id: str) -> Sequence[Endpoint]:
        """Ports of this machine."""
        held = self._held.get(attempt_id)
        return ports.endpoints(self._directory(attempt_id), held.nodes) if held is not None else ()

    async def close(self) -> None:
        """Processes go on; the next start adopts them."""
        self._readiness.close()

    def _directory(self, attempt_id: str) -> Path:
        return self._state / attempt_id

    def _log(self, submission: Submission, rank: int) -> Path:
        return Path(submission.home) / submission.task_directory / "log" / f"{submission.number}-{rank}.log"

    def _queue(self, submission: Submission) -> None:
        self._waiting[submission.attempt_id] = submission
        self._observed[submission.attempt_id] = Observation(
            attempt_id=submission.attempt_id,
            phase=Phase.WAITING,
            reason=codes.Queued().reason(),
            replicas=tuple(
                ReplicaObservation(rank=rank, state="waiting", ready=self._readiness.holds(submission, rank))
                for rank in range(submission.specification.devices.nodes)
            ),
        )

    async def _adopt(self) -> None:
        """Read every state directory: waiting ones queue again in their old order, started ones are looked at."""
        for directory in sorted(self._state.iterdir()) if self._state.is_dir() else ():
            if directory.name.startswith(FORGOTTEN):  # killed in the midst of it
                await asyncio.to_thread(shutil.rmtree, directory, ignore_errors=True)
                continue
            submission = records.read_submission(directory)
            if submission is None:
                self._cut_off.add(directory.name)
                continue
            if submission.attempt_id in self._observed:
                continue
            placement = records.read_placement(directory)
            if placement is None or not any(directory.glob("*.pid")):  # killed before the first process began
                self._queue(submission)
            else:
                self._held[submission.attempt_id] = Held(submission, placement)
                await self._see(self._held[submission.attempt_id])

    async def _step(self) -> list[str]:
        """Look at what runs, start what may, and name what changed."""
        _CHILDREN[:] = [child for child in _CHILDREN if child.poll() is None]
        for held in list(self._held.values()):
            self._readiness.ask(held.submission)
            await self._see(held)
        now = asyncio.get_running_loop().time()
        for attempt_id, deadline in list(self._deadlines.items()):
            if now > deadline:
                self._signal(attempt_id, signal.SIGKILL)
        while True:
            started, obstacles = next_start(
                list(self._waiting.values()), self._machines, list(self._clusters.values()), list(self._held.values())
            )
            for attempt_id, obstacle in obstacles.items():
                self._observed[attempt_id] = self._observed[attempt_id].model_copy(
                    update={"reason": obstacle.reason.reason()}
                )
            if started is None:
                break
            await self._start(started)
        # Also what changed between two looks, as a task that waited and was stopped.
        before, self._told = self._told, dict(self._observed)
        return [key for key, seen in self._told.items() if before.get(key) != seen]

    async def _see(self, held: Held) -> None:
        """Look at an attempt that was started; one that has ended holds nothing from the moment on that it says so."""
        attempt_id = held.submission.attempt_id
        seen = self._look(held)
        self._observed[attempt_id] = seen
        if seen.phase is Phase.FAILED and any(item.exit_code is None for item in seen.replicas):
            # One replica failed: the others cannot go on without it.
            await self.stop(attempt_id)
        elif seen.phase in (Phase.SUCCEEDED, Phase.FAILED):
            del self._held[attempt_id]
            self._readiness.forget(attempt_id)
            self._deadlines.pop(attempt_id, None)

    async def _start(self, held: Held) -> None:
        submission = held.submission
        directory = self._directory(submission.attempt_id)
        records.write_placement(directory, held.placement)
        # From here on it is stopped as one that runs.
        del self._waiting[submission.attempt_id]
        self._held[submission.attempt_id] = held
        master_port = str(ports.free())
        for rank, (_node, devices) in enumerate(held.placement.replicas):
            environment = {
                **processes.environment(submission, rank, self._visible(submission, devices), master_port),
                **ports.take(directory, submission.specification.ports, rank),
                "ATOLL_LOG_FILE": str(self._log(submission, rank)),
                "ATOLL_OUTCOME_FILE": str(directory / f"{rank}.outcome"),
            }
            argv = [sys.executable, "-I", "-S", "-B", str(ENTRY), *processes.command(submission)]
            await asyncio.to_thread(_begin, argv, environment, directory / f"{rank}.pid")
        records.drop_secrets(directory)
        if submission.attempt_id in self._deadlines:  # what was begun after it was told to stop has not heard of it
            self._signal(submission.attempt_id, signal.SIGTERM)
        await self._see(held)

    def _visible(self, submission: Submission, devices: tuple[int, ...]) -> dict[str, str]:
        """What the vendor's runtime would tell the program of its devices."""
        row = self._types.get(submission.specification.devices.type or "")
        return {} if row is None else {row.visible_devices: ",".join(map(str, devices))}

    def _refuse_what_is_no_mount(self, submission: Submission) -> None:
        for mount in submission.specification.mounts:
            if mount.target != str(self._storage / mount.source):
                raise EngineError(
                    f"the local engine mounts nothing: `{mount.source}` is not {mount.target}", permanent=True
                )

    def _signal(self, attempt_id: str, number: signal.Signals) -> None:
        held = self._held[attempt_id]
        for rank in range(held.nodes):
            process_id = records.living(self._directory(attempt_id), rank)
            if process_id is not None:
                with contextlib.suppress(ProcessLookupError):
                    if number is signal.SIGKILL:
                        records.kill_family(process_id)
                    else:
                        os.kill(process_id, number)

    def _rank_ended(self, attempt_id: str, rank: int) -> bool:
        replicas = self.observe(attempt_id).replicas
        return any(item.rank == rank and item.state in ("succeeded", "failed") for item in replicas)

    def _look(self, held: Held) -> Observation:
        submission, directory = held.submission, self._directory(held.submission.attempt_id)
        replicas = tuple(
            records.look(directory, rank, node, devices, submission.specification.limits.memory).model_copy(
                update={"ready": self._readiness.holds(held.submission, rank)}
            )
            for rank, (node, devices) in enumerate(held.placement.replicas)
        )
        phase, reason = _phase(submission.specification.mode, replicas)
        return Observation(attempt_id=submission.attempt_id, phase=phase, reason=reason, replicas=replicas)

    def _node(self, machine: Machine) -> NodeObservation:
        here = [
            (held.submission, devices)
            for held in self._held.values()
            for node, devices in held.placement.replicas
            if node == machine.name
        ]
        return NodeObservation(
            name=machine.name,
            address="127.0.0.1",
            roles=("master", "worker", "storage"),
            arch=machine.arch,
            state="ready",
            takes_tasks=True,
            cpu_cores=machine.cpu_cores,
            cpu_requested=float(sum(quantities.parse(item.specification.requests.cpu) for item, _ in here)),
            memory_bytes=machine.memory_bytes,
            memory_requested=int(sum(quantities.parse(item.specification.requests.memory) for item, _ in here)),
            pods=len(here),
            pods_max=1000,
            devices=tuple(
                NodeDevicesObservation(
                    type=kind,
                    resource=self._types[kind].resource,
                    total=count,
                    used=sum(len(devices) for item, devices in here if item.specification.devices.type == kind),
                    used_by={
                        index: item.attempt_id
                        for item, devices in here
                        if item.specification.devices.type == kind
                        for index in devices
                    },
                )
                for kind, count in machine.devices.items()
            ),
            os=platform.freedesktop_os_release().get("PRETTY_NAME", "Linux"),
            kernel=platform.release(),
            kubelet="",
            runtime="processes",
            joined_at=self._began,
            state_since=self._began,
        )


def _phase(mode: Mode, replicas: Sequence[ReplicaObservation]) -> tuple[Phase, Reason | None]:
    failed = [item for item in replicas if item.state == "failed"]
    if failed:
        return Phase.FAILED, min(failed, key=lambda item: item.finished_at or datetime.now(UTC)).reason
    if mode is Mode.SERVICE and any(item.state == "succeeded" for item in replicas):
        return Phase.FAILED, SERVICE_ENDED
    if all(item.state == "succeeded" for item in replicas):
        return Phase.SUCCEEDED, None
    if any(item.ready is False for item in replicas):
        return Phase.STARTING, NOT_READY
    return Phase.RUNNING, None
