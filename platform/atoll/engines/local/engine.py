"""Tasks as processes of this machine. Binds nothing, isolates nothing: for development and a first look.

State lies in a directory per attempt, so a restart of `jobs` adopts what runs:
`submission.json`, `placement.json` once started, and per rank `<rank>.pid`, `<rank>.outcome` when it ended.
"""

import asyncio
import contextlib
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import structlog

from atoll import quantities
from atoll.engines.admission import Obstacle
from atoll.engines.base import (
    ClusterProvision,
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
from atoll.engines.local import records
from atoll.engines.local.scheduler import Held, Machine, next_start
from atoll.web.schema import Reason

ENTRY = Path(__file__).parent.parent / "entry.py"
TICK_S = 0.1
# Of this process, whichever engine started them: whoever looks reaps them.
_CHILDREN: list[subprocess.Popen[bytes]] = []
log = structlog.get_logger(__name__)


class LocalEngine(Engine):
    """Processes, with the queue rules of `admission`."""

    def __init__(self, state: Path, storage: Path, machines: Sequence[Machine]) -> None:
        self._state = state
        self._storage = storage
        self._machines = machines
        self._clusters: dict[str, ClusterProvision] = {}
        self._waiting: dict[str, Submission] = {}
        self._held: dict[str, Held] = {}
        self._observed: dict[str, Observation] = {}
        self._deadlines: dict[str, float] = {}
        self._synced = False
        self._wake = asyncio.Event()
        self._began = datetime.now(UTC)

    @property
    def synced(self) -> bool:
        """Whether the state directories were read."""
        return self._synced

    async def run(self) -> AsyncIterator[str | None]:
        """Adopt what there is, then look at processes as they end."""
        self._adopt()
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

    def known(self) -> Sequence[str]:
        """All attempts."""
        return list(self._observed)

    async def submit(self, submission: Submission) -> None:
        """Write it down and queue it."""
        if submission.attempt_id in self._observed:
            return
        records.write(self._directory(submission.attempt_id) / records.SUBMISSION, submission.model_dump_json())
        self._queue(submission)
        self._wake.set()

    async def stop(self, attempt_id: str, grace_s: int) -> None:
        """SIGTERM to the entry points, SIGKILL to their sessions after the grace."""
        if attempt_id in self._waiting:
            self._waiting.pop(attempt_id)
            self._observed[attempt_id] = Observation(attempt_id=attempt_id, phase=Phase.GONE)
            self._wake.set()
        elif attempt_id in self._held and attempt_id not in self._deadlines:
            self._deadlines[attempt_id] = asyncio.get_running_loop().time() + grace_s
            self._signal(attempt_id, signal.SIGTERM)

    async def forget(self, attempt_id: str) -> None:
        """Remove the state directory."""
        if attempt_id in self._held or attempt_id in self._waiting:
            raise EngineError(f"attempt {attempt_id} has not ended")
        self._observed.pop(attempt_id, None)
        await asyncio.to_thread(shutil.rmtree, self._directory(attempt_id), ignore_errors=True)

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

    async def provision(self, wanted: ClusterProvision) -> None:
        """Remember the quotas."""
        self._clusters[wanted.name] = wanted
        self._wake.set()

    def home(self, user_name: str) -> str:
        """Where the home really is."""
        return str(self._storage / "home" / user_name)

    async def close(self) -> None:
        """Processes go on; the next start adopts them."""

    def _directory(self, attempt_id: str) -> Path:
        return self._state / attempt_id

    def _log(self, submission: Submission, rank: int) -> Path:
        home = Path(self.home(submission.user_name))
        return home / submission.task_directory / "log" / f"{submission.number}-{rank}.log"

    def _queue(self, submission: Submission) -> None:
        self._waiting[submission.attempt_id] = submission
        self._observed[submission.attempt_id] = Observation(
            attempt_id=submission.attempt_id,
            phase=Phase.WAITING,
            reason=Reason(code="queued", message="It waits for its turn."),
            replicas=tuple(ReplicaObservation(rank=rank, state="waiting") for rank in range(submission.nodes)),
        )

    def _adopt(self) -> None:
        """Read every state directory: waiting ones queue again in their old order, started ones are looked at."""
        for directory in sorted(self._state.iterdir()) if self._state.is_dir() else ():
            submission = records.read_submission(directory)
            if submission is None or submission.attempt_id in self._observed:
                continue
            placement = records.read_placement(directory)
            if placement is None or not any(directory.glob("*.pid")):  # killed before the first process began
                self._queue(submission)
            else:
                self._held[submission.attempt_id] = Held(submission, placement)
                self._observed[submission.attempt_id] = self._look(self._held[submission.attempt_id])

    async def _step(self) -> list[str]:
        """Look at what runs, start what may, and name what changed."""
        before = dict(self._observed)
        _CHILDREN[:] = [child for child in _CHILDREN if child.poll() is None]
        for attempt_id, held in list(self._held.items()):
            seen = self._look(held)
            self._observed[attempt_id] = seen
            if seen.phase is Phase.FAILED and any(item.exit_code is None for item in seen.replicas):
                # One replica failed: the others cannot go on without it.
                await self.stop(attempt_id, 5)
            elif seen.phase in (Phase.SUCCEEDED, Phase.FAILED):
                del self._held[attempt_id]
                self._deadlines.pop(attempt_id, None)
        now = asyncio.get_running_loop().time()
        for attempt_id, deadline in list(self._deadlines.items()):
            if now > deadline:
                self._signal(attempt_id, signal.SIGKILL)
        while True:
            started, obstacles = next_start(
                list(self._waiting.values()), self._machines, list(self._clusters.values()), list(self._held.values())
            )
            for attempt_id, obstacle in obstacles.items():
                self._observed[attempt_id] = self._observed[attempt_id].model_copy(update={"reason": _reason(obstacle)})
            if started is None:
                break
            await self._start(started)
        changed = [key for key, seen in self._observed.items() if before.get(key) != seen]
        return changed + [key for key in before if key not in self._observed]

    async def _start(self, held: Held) -> None:
        submission = held.submission
        directory = self._directory(submission.attempt_id)
        records.write_placement(directory, held.placement)
        port = str(_free_port())
        for rank, (_node, devices) in enumerate(held.placement.replicas):
            environment = self._environment(submission, rank, devices, port, directory / f"{rank}.outcome")
            # Not by asyncio: its children end with its loop, ours go on when `jobs` is restarted.
            process = await asyncio.to_thread(
                subprocess.Popen,
                [sys.executable, str(ENTRY), *self._command(submission)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            _CHILDREN.append(process)
            records.write(directory / f"{rank}.pid", f"{process.pid} {records.start_time(process.pid)}")
        del self._waiting[submission.attempt_id]
        self._held[submission.attempt_id] = held
        self._observed[submission.attempt_id] = self._look(held)

    def _command(self, submission: Submission) -> list[str]:
        interpreter = submission.python or sys.executable
        return [interpreter, *submission.command[1:]]

    def _environment(
        self, submission: Submission, rank: int, devices: tuple[int, ...], port: str, outcome_file: Path
    ) -> dict[str, str]:
        home = Path(self.home(submission.user_name))
        visible = ",".join(map(str, devices))
        return {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LANG": "C.UTF-8",
            "HOME": str(home),
            "USER": submission.user_name,
            "OMP_NUM_THREADS": "1",
            "ATOLL_TASK_ID": submission.task_id,
            "ATOLL_ATTEMPT": str(submission.number),
            "ATOLL_CODE_DIR": str(home / submission.code_directory),
            "ATOLL_START_FILE": submission.start_file or "",
            "ATOLL_OUTPUT_DIR": str(home / submission.output_directory),
            "ATOLL_LOG_FILE": str(self._log(submission, rank)),
            "ATOLL_METRICS_FILE": str(home / submission.task_directory / "metrics.jsonl"),
            "ATOLL_OUTCOME_FILE": str(outcome_file),
            "ATOLL_MEMORY_LIMIT_BYTES": str(int(quantities.parse(submission.memory_limit))),
            "RANK": str(rank),
            "WORLD_SIZE": str(submission.nodes),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
            ("ASCEND" if "_npu_" in submission.device_type else "NVIDIA") + "_VISIBLE_DEVICES": visible,
        }

    def _signal(self, attempt_id: str, number: signal.Signals) -> None:
        held = self._held[attempt_id]
        for rank in range(held.submission.nodes):
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
        submission = held.submission
        directory = self._directory(submission.attempt_id)
        replicas = tuple(
            records.look(directory, rank, node, devices, submission.memory_limit)
            for rank, (node, devices) in enumerate(held.placement.replicas)
        )
        failed = sorted(
            (item for item in replicas if item.state == "failed"),
            key=lambda item: item.finished_at or datetime.now(UTC),
        )
        phase, reason = Phase.RUNNING, None
        if failed:
            phase, reason = Phase.FAILED, failed[0].reason
        elif all(item.state == "succeeded" for item in replicas):
            phase = Phase.SUCCEEDED
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
            cpu_requested=float(sum(quantities.parse(item.cpu_request) for item, _ in here)),
            memory_bytes=machine.memory_bytes,
            memory_requested=int(sum(quantities.parse(item.memory_request) for item, _ in here)),
            pods=len(here),
            pods_max=1000,
            devices=tuple(
                NodeDevicesObservation(
                    type=kind,
                    resource=kind,
                    total=count,
                    used=sum(len(devices) for item, devices in here if item.device_type == kind),
                    used_by={
                        index: item.attempt_id
                        for item, devices in here
                        if item.device_type == kind
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


def _reason(obstacle: Obstacle) -> Reason:
    return Reason(code=obstacle.code, message=obstacle.message, params=dict(obstacle.params))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
