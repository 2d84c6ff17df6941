"""What the conformance suite is written with: an engine that runs, programs, and waiting for what they do."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from atoll.devices.types import DeviceType
from atoll.engines.base import (
    ClusterProvision,
    Endpoint,
    Engine,
    EngineError,
    LogGone,
    Member,
    Observation,
    Phase,
    Share,
    Submission,
    UserShare,
)
from atoll.engines.specification import TaskSpec

from installer.cluster import DEVICE_TYPES

CLUSTER = f"conformance{os.environ.get('PYTEST_XDIST_WORKER', '')}"  # each process of the suite has its own
TYPE = DeviceType(**DEVICE_TYPES["nvidia_gpu_amd64"].row())
SHARE = 4
ALL = UserShare(percent=100, usual_cpu="100m", usual_memory="64Mi")
ENDED = frozenset({Phase.SUCCEEDED, Phase.FAILED, Phase.GONE})
END = "-- that is all --"


class Bench(ABC):
    """One engine under test. `told` are the ids that it has said changed."""

    user: str
    uid: int
    image: str
    patience_s: float
    runtime: str | None = None  # the image that entry points of users' own images run in
    knows_indices: bool  # whether the engine itself says which devices of a machine an attempt holds

    def __init__(self) -> None:
        self.told: list[str | None] = []
        self._running: asyncio.Task[None] | None = None
        self.engine: Engine

    @abstractmethod
    async def make(self) -> Engine:
        """A new engine on the same state, as after a restart of `jobs`."""

    @abstractmethod
    def place(self, source: str) -> str:
        """Where a directory of the tree of user data lies for a task that mounts it where the engine likes best."""

    @abstractmethod
    async def put(self, source: str, name: str, text: str) -> None:
        """Write a file into the tree of user data."""

    @abstractmethod
    async def left_of(self, attempt_id: str) -> list[str]:
        """The names of all that is there because of an attempt, but for what its program wrote."""

    @abstractmethod
    async def left_of_cluster(self, virtual_cluster: str) -> list[str]:
        """The names of all that is there because of a virtual cluster; user data are not."""

    @abstractmethod
    async def left_of_member(self, virtual_cluster: str, name: str) -> list[str]:
        """The names of all that is there because of a member of a virtual cluster."""

    @abstractmethod
    def cut_off(self) -> AbstractContextManager[None]:
        """Within it a submission breaks off before its last write, as when `jobs` is killed there."""

    @abstractmethod
    async def written(self) -> str:
        """All that the engine wrote where others than the task may read."""

    @abstractmethod
    async def reach(self, endpoint: Endpoint, path: str) -> str:
        """What is answered there over HTTP, asked from where the platform's gateway asks."""

    async def begin(self) -> None:
        """Make the engine and let it watch."""
        self.engine = await self.make()
        self._running = asyncio.create_task(self._watch())
        await eventually(lambda: self.engine.synced, self.patience_s)

    async def end(self) -> None:
        """Close the engine; what runs goes on."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running
        await self.engine.close()

    async def restart(self) -> None:
        """What a kill of `jobs` and its next start do."""
        await self.end()
        await self.begin()

    def provision(
        self, count: int = SHARE, user_share: UserShare = ALL, name: str = CLUSTER, others: tuple[Member, ...] = ()
    ) -> ClusterProvision:
        """The virtual cluster of the suite, or another one, with so many devices."""
        share = Share(device_type=TYPE.type, resource=TYPE.resource, count=count, max_per_user=count)
        members = (Member(name=self.user, uid=self.uid), *others)
        return ClusterProvision(name=name, shares=(share,), members=members, user_share=user_share)

    async def _watch(self) -> None:
        async for changed in self.engine.run():
            self.told.append(changed)


async def nothing_is_left_of(bench: Bench, attempt_id: str) -> None:
    """Wait until it is so: what goes with something else goes a little later."""
    until = time.monotonic() + bench.patience_s
    while (left := await bench.left_of(attempt_id)) or attempt_id in bench.engine.adopt():
        assert time.monotonic() < until, f"left: {left}"
        await asyncio.sleep(0.2)


async def eventually(look: Callable[[], Any], patience_s: float) -> Any:
    """What `look` gives once it is true."""
    until = time.monotonic() + patience_s
    while not (found := look()):
        assert time.monotonic() < until, f"not within {patience_s} s; last seen: {found!r}"
        await asyncio.sleep(0.05)
    return found


class Attempt:
    """A submitted program."""

    def __init__(self, bench: Bench, submission: Submission) -> None:
        self.bench = bench
        self.submission = submission
        self.id = submission.attempt_id
        self.seen: list[Observation] = []

    def observe(self) -> Observation:
        found = self.bench.engine.observe(self.id)
        if not self.seen or self.seen[-1] != found:
            self.seen.append(found)
        return found

    async def until(self, *phases: Phase) -> Observation:
        """The observation, once it is in one of `phases`."""

        def look() -> Observation | None:
            found = self.observe()
            assert found.phase in phases or found.phase not in ENDED, found
            return found if found.phase in phases else None

        found: Observation = await eventually(look, self.bench.patience_s)
        return found

    async def ended(self) -> Observation:
        """The observation, once nothing of it runs."""
        return await self.until(*ENDED)

    async def output(self, rank: int = 0, offset: int = 0, until: str = END) -> str:
        """What the program says from `offset` until it says `until`, followed live."""
        await self.until(Phase.STARTING, Phase.RUNNING)
        said = b""
        async with asyncio.timeout(self.bench.patience_s):
            while True:
                with contextlib.suppress(LogGone):  # it has not begun
                    async with contextlib.aclosing(self.bench.engine.logs(self.id, rank, offset + len(said))) as chunks:
                        async for chunk in chunks:
                            said += chunk
                            if until.encode() in said:
                                return said.decode().partition(until)[0]
                assert self.observe().phase not in ENDED, f"it ended without saying it all: {said!r} {self.observe()}"
                await asyncio.sleep(0.2)

    async def stop(self) -> Observation:
        """Stop it and wait for its end."""
        await self.bench.engine.stop(self.id)
        return await self.ended()


class Started:
    """Called with a program in Python: submits it. All of them are ended after the test."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._attempts: list[Attempt] = []

    async def __call__(self, source: str, **changes: Any) -> Attempt:
        attempt = self.prepare(source, **changes)
        await self._bench.engine.submit(attempt.submission)
        return attempt

    def prepare(self, source: str, **changes: Any) -> Attempt:
        """An attempt that is not submitted. `changes` are of its specification; `command` replaces the program."""
        bench, task = self._bench, f"conform{secrets.token_hex(6)}"
        virtual_cluster = changes.pop("virtual_cluster", CLUSTER)
        home, output = f"home/{bench.user}", changes.pop("output", f"tasks/{task}/output")
        devices = {
            "type": changes.pop("device_type", TYPE.type),
            "resource": changes.pop("resource", TYPE.resource),
            "architecture": changes.pop("architecture", TYPE.arch),
            "count": changes.pop("devices", 0),
        }
        requested = changes.get("cpu", "100m")
        values = {
            "program": {
                "image": changes.pop("image", bench.image),
                "runtime": changes.pop("runtime", None),
                "command": changes.pop("command", ("python3", "-u", "-c", source)),
                "working_directory": bench.place(home),
                "needs_file": changes.pop("needs_file", None),
            },
            "mounts": [
                {"kind": "home", "source": home, "target": bench.place(home)},
                {"kind": "output", "source": f"{home}/{output}", "target": f"{bench.place(home)}/{output}"},
                *changes.pop("mounts", ()),
            ],
            "devices": {**devices, "nodes": changes.pop("nodes", 1)},
            "limits": {"cpu": changes.pop("cpu", "500m"), "memory": "128Mi"},
            "requests": {"cpu": requested, "memory": "64Mi"},
            "grace_s": 5,
            **changes,
        }
        submission = Submission(
            attempt_id=f"{task}-1",
            task_id=task,
            task_name="conformance",
            number=1,
            user_name=bench.user,
            uid=bench.uid,
            virtual_cluster=virtual_cluster,
            specification=TaskSpec.model_validate(values),
        )
        attempt = Attempt(bench, submission)
        self._attempts.append(attempt)
        return attempt

    async def clean_up(self) -> None:
        """End and forget them all."""
        for attempt in self._attempts:
            await self._bench.engine.stop(attempt.id)
        for attempt in self._attempts:
            await attempt.ended()
            await self._forget(attempt)

    async def _forget(self, attempt: Attempt) -> None:
        """Once its last replica has ended, too."""
        until = time.monotonic() + self._bench.patience_s
        while True:
            try:
                await self._bench.engine.forget(attempt.id, attempt.submission.virtual_cluster)
            except EngineError:
                assert time.monotonic() < until, f"{attempt.id} does not end"
                await asyncio.sleep(0.2)
            else:
                return
