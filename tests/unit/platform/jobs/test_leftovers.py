"""What an engine has of a task that ended is forgotten, whenever it turns up."""

import asyncio
import subprocess
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from atoll.database.connection import connect, sessions
from atoll.engines.base import Engine, Phase, Submission
from atoll.engines.factory import make_engine
from atoll.engines.local import engine as local
from atoll.engines.local.engine import LocalEngine
from atoll.jobs import application
from atoll.tasks import working
from atoll.tasks.models import TaskRow

from tests.unit.platform.conftest import RunningPlatform, eventually, training


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> list[Engine]:
    """The engines of `jobs`, as they are made; all that they have is looked at twice a second."""
    made: list[Engine] = []
    make = make_engine

    async def noted(configuration: Any) -> Engine:
        made.append(await make(configuration))
        return made[-1]

    monkeypatch.setattr(application, "make_engine", noted)
    monkeypatch.setattr(working, "ADOPT_EVERY_S", 0.5)
    return made


@pytest.fixture
def submissions(engines: list[Engine], monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """What was submitted."""
    seen: list[Submission] = []
    submit = LocalEngine.submit

    async def noted(self: LocalEngine, submission: Submission) -> None:
        seen.append(submission)
        await submit(self, submission)

    monkeypatch.setattr(LocalEngine, "submit", noted)
    return seen


async def test_an_attempt_that_is_submitted_by_a_late_worker_is_ended_and_forgotten(
    engines: list[Engine], submissions: list[Submission], platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    program("admin", "print('done')\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    await admin.until(task_id, "finished")
    (engine,) = engines

    async def nothing() -> bool:
        return list(engine.adopt()) == []

    await eventually(nothing)
    # Its claim was lost in front of this call, and others ended the task and forgot the attempt.
    program("admin", "import time\ntime.sleep(600)\n")
    await engine.submit(submissions[0])
    assert engine.observe(submissions[0].attempt_id).phase is Phase.WAITING
    await eventually(nothing, timeout_s=30)
    assert (await admin.task(task_id))["state"] == "finished"


async def test_a_task_that_is_stopped_while_it_is_submitted_leaves_nothing_running(
    engines: list[Engine], submissions: list[Submission], platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    program("admin", "import time\ntime.sleep(600)\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    await admin.until(task_id, "running")
    # As a kill between the engine's answer and the writing down of it leaves the row.
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session, session.begin():
        row = await session.get_one(TaskRow, task_id)
        row.attempts[-1].submitted_at = None
        row.wanted = "stop"
    await database.dispose()
    (engine,) = engines
    await admin.until(task_id, "killed")

    async def nothing() -> bool:
        return list(engine.adopt()) == []

    await eventually(nothing, timeout_s=30)


async def test_a_process_that_begins_while_jobs_is_told_to_end_is_not_lost(
    engines: list[Engine],
    submissions: list[Submission],
    platform: RunningPlatform,
    program: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    admin = await platform.admin()
    program("admin", "import time\ntime.sleep(600)\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    await admin.until(task_id, "running")
    (first,) = engines
    assert isinstance(first, LocalEngine)

    async def engine() -> LocalEngine:
        made = LocalEngine(tmp_path / "another", first._storage, list(first._types.values()), first._machines)
        for wanted in first._clusters.values():
            await made.provision(wanted)
        return made

    begun, on = threading.Event(), threading.Event()
    processes: list[subprocess.Popen[bytes]] = []

    def slow(*arguments: Any, **more: Any) -> subprocess.Popen[bytes]:
        processes.append(subprocess.Popen(*arguments, **more))
        begun.set()
        on.wait(10)
        return processes[-1]

    monkeypatch.setattr(local, "subprocess", SimpleNamespace(Popen=slow, DEVNULL=subprocess.DEVNULL))
    ended, (submission, *_) = await engine(), submissions
    await ended.submit(submission)
    stepping = asyncio.create_task(ended._step())
    assert await asyncio.to_thread(begun.wait, 10)
    stepping.cancel()
    await asyncio.gather(stepping, return_exceptions=True)
    on.set()
    try:

        async def adopted() -> bool:
            again = await engine()
            await again._adopt()
            return again.observe(submission.attempt_id).phase is Phase.RUNNING

        await eventually(adopted)
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert len(processes) == 1
    await admin.post(f"/tasks/{task_id}/stop")
    await admin.until(task_id, "killed")
