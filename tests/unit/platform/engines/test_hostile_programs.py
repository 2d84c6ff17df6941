"""What a program may write, and that it harms nobody but itself."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from atoll.database.connection import connect, sessions
from atoll.engines import outcome
from atoll.engines.base import EngineError
from atoll.engines.local.engine import LocalEngine
from atoll.tasks import reconcile
from atoll.tasks.collect import last_scalars
from atoll.tasks.models import TaskRow
from atoll.tasks.scalars import Scalars

from tests.unit.platform.conftest import RunningPlatform, eventually, training

HOSTILE_SCALARS = (
    json.dumps({"step": 1, "loss": 10**400}),
    json.dumps({"step": 10**300, "loss": 0.5}),
    json.dumps({"step": 2, "loss": float("nan")}),
    "[" * 16_000,
    json.dumps({"step": 3, "\x00": 1.0}),
    json.dumps({"step": 3, "\ud800": 1.0}),
    json.dumps({"step": 4, "n" * 1000: 1.0}),
    json.dumps({"step": 5, "loss": True}),
)


def test_scalars_that_are_none_are_left_out() -> None:
    read = Scalars()
    assert read.feed("\n".join([*HOSTILE_SCALARS, json.dumps({"step": 6, "loss": 0.25})]).encode())
    assert {series.name: (series.steps, series.values) for series in read.series()} == {
        "\ufffd": ([3], [1.0]),
        "?": ([3], [1.0]),
        "n" * 64: ([4], [1.0]),
        "loss": ([6], [0.25]),
    }


def told(**changes: Any) -> str:
    return json.dumps({"exit_code": 3, "memory_exceeded": False, "problem": None, "last_lines": [], **changes})


@pytest.mark.parametrize(
    "text",
    [
        told(exit_code=float("inf")),
        told(exit_code=float("nan")),
        told(exit_code=1 << 40),
        told(exit_code=-1),
        told(problem=5),
        told(problem=[]),
        told(problem="\x00"),
        told(problem="of its own making"),
        told(last_lines=7),
        "[" * 4096,
        "7",
    ],
)
def test_an_outcome_that_the_entry_point_does_not_write_is_none(text: str) -> None:
    assert outcome.parse(text) is None


def test_an_outcome_of_the_entry_point_is_one() -> None:
    parsed = outcome.parse(told(problem="start_file_missing"))
    assert parsed is not None
    assert (parsed.exit_code, parsed.problem) == (3, "start_file_missing")


async def test_a_program_that_writes_nonsense_fails_like_any_other(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program(
        "admin",
        "import os, sys\n"
        f"lines = {HOSTILE_SCALARS!r}\n"
        "with open(os.environ['ATOLL_METRICS_FILE'], 'w') as file: file.write('\\n'.join(lines))\n"
        "sys.stdout.buffer.write(b'nothing: \\x00\\n')\nraise SystemExit(3)\n",
    )
    task_id = (await admin.post("/trainings", training())).json()["id"]
    task = await admin.once(task_id, lambda task: bool(task["last_lines"]))
    assert (task["state"], task["last_lines"]) == ("failed", ["nothing: \ufffd"])
    assert task["progress"] == {"step": 4.0, "\ufffd": 1.0, "?": 1.0, "n" * 64: 1.0}
    assert (await admin.get(f"/tasks/{task_id}/metrics")).status_code == 200


async def test_work_that_fails_for_one_task_goes_on_for_all_others(
    platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await platform.admin()
    program("admin", "print('done')\n")
    collected = last_scalars
    looked_at: list[str] = []

    async def fails_for_the_first(files: Any, owner: Any, task_id: str) -> Any:
        looked_at.append(task_id)
        if task_id == looked_at[0]:
            raise OverflowError("not foreseen")
        return await collected(files, owner, task_id)

    monkeypatch.setattr(reconcile, "last_scalars", fails_for_the_first)
    first = (await admin.post("/trainings", training())).json()["id"]

    async def looked() -> bool:
        return first in looked_at

    await eventually(looked)
    others = [(await admin.post("/trainings", training())).json()["id"] for _ in range(10)]
    for other in others:
        await admin.until(other, "finished")
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session:
        row = await session.get_one(TaskRow, first)
    await database.dispose()
    assert row.due_at is not None
    assert timedelta(seconds=30) < row.due_at - datetime.now(UTC) <= timedelta(minutes=1)


@pytest.mark.parametrize(
    ("permanent", "state", "code"), [(True, "error", "engine_refused"), (False, "queued", "engine_unavailable")]
)
async def test_odd_words_of_the_engine_are_told_and_end_no_other_work(
    platform: RunningPlatform, monkeypatch: pytest.MonkeyPatch, permanent: bool, state: str, code: str
) -> None:

    async def refuses(_engine: Any, _submission: Any) -> None:
        raise EngineError("not \x00 that \ud800", permanent=permanent)

    monkeypatch.setattr(LocalEngine, "submit", refuses)
    admin = await platform.admin()
    task_id = (await admin.post("/trainings", training())).json()["id"]
    task = await admin.once(task_id, lambda task: task["reason"]["code"] == code)
    assert (task["state"], task["reason"]["message"].endswith("not \ufffd that ?")) == (state, True)
