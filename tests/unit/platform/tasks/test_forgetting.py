"""Tasks are forgotten: what was removed, by age, and what has ended, by number of one user."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from atoll.api.domains import DOMAINS
from atoll.configuration import Configuration, Tasks
from atoll.database.base import Table, now
from atoll.database.connection import Sessions, connect, sessions
from atoll.identity.caller import Caller
from atoll.jobs import application
from atoll.tasks import forgetting
from atoll.tasks.domain import DOMAIN as TASKS
from atoll.tasks.models import AttemptRow, EventRow, ReplicaRow, TaskRow
from sqlalchemy import func, null, select
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.conftest import RunningPlatform, eventually
from tests.unit.platform.rows import a_caller, a_task

KEPT = 100


class Settings:
    """As much of the configuration as forgetting reads."""

    tasks = Tasks(removed_retention_days=3, kept_per_user=KEPT)


async def forget(stored: Sessions) -> None:
    """All that is to be forgotten now, as `jobs` does it."""
    settings: Configuration = Settings()  # type: ignore[assignment]
    more = True
    while more:
        async with stored() as session, session.begin():
            more = await forgetting.forget(session, settings)


async def ended(session: AsyncSession, owner: Caller, name: str, *, days: float, **more: Any) -> TaskRow:
    """A task that ended so long ago, with an attempt, a replica and an event."""
    moment = now() - timedelta(days=days)
    usual = {"state": "finished", "due_at": null(), "created_at": moment, "finished_at": moment}
    row = await a_task(session, owner, name, **usual | more)
    session.add(AttemptRow(id=f"{row.id}-1", task_id=row.id, number=1))
    await session.flush()
    session.add(ReplicaRow(attempt_id=f"{row.id}-1", rank=0, state="succeeded"))
    session.add(EventRow(task_id=row.id, kind="state", reason={}))
    return row


async def names(stored: Sessions) -> set[str]:
    async with stored() as session:
        return set((await session.scalars(select(TaskRow.name))).all())


async def count(stored: Sessions, table: type[Table]) -> int:
    async with stored() as session:
        return await session.scalar(select(func.count()).select_from(table)) or 0


def ago(days: float) -> dict[str, Any]:
    return {"deleted_at": now() - timedelta(days=days)}


async def test_what_was_removed_is_forgotten_wholly_after_its_time(stored: Sessions) -> None:
    async with stored() as session, session.begin():
        ada = await a_caller(session, "ada")
        await ended(session, ada, "removed long ago", days=9, **ago(3.1))
        await ended(session, ada, "removed of late", days=9, **ago(2.9))
        await ended(session, ada, "on the list", days=900)
    await forget(stored)
    assert await names(stored) == {"removed of late", "on the list"}
    left = {table.__tablename__: await count(stored, table) for table in (AttemptRow, ReplicaRow, EventRow)}
    assert left == {"attempts": 2, "replicas": 2, "task_events": 2}, "what hung on it is left"
    await forget(stored)
    assert await names(stored) == {"removed of late", "on the list"}, "a second time forgets more"


@pytest.mark.parametrize(
    "more",
    [
        {"state": "stopping"},
        {"due_at": now()},
        {"lock_owner": "jobs-1"},
    ],
    ids=["not ended", "due", "worked on"],
)
async def test_what_is_still_worked_on_is_not_forgotten(stored: Sessions, more: dict[str, Any]) -> None:
    async with stored() as session, session.begin():
        ada = await a_caller(session, "ada")
        await ended(session, ada, "busy", days=9, **ago(4) | more)
    await forget(stored)
    assert await names(stored) == {"busy"}, "its engine's objects are nobody's now"


async def test_of_too_many_of_one_user_removed_ones_go_and_then_the_oldest_and_nobody_elses(stored: Sessions) -> None:
    async with stored() as session, session.begin():
        ada, bob = [await a_caller(session, name) for name in ("ada", "bob")]
        for number in range(KEPT + 3):
            await ended(session, ada, f"ada {number}", days=500 - number)
        await ended(session, ada, "ada removed", days=2, **ago(2))
        await a_task(session, ada, "ada runs", state="running", created_at=now() - timedelta(days=600))
        for number in range(KEPT):
            await ended(session, bob, f"bob {number}", days=700)
    await forget(stored)
    of_ada = {name for name in await names(stored) if name.startswith("ada")}
    assert of_ada == {"ada runs"} | {f"ada {number}" for number in range(3, KEPT + 3)}, "not the oldest went"
    assert await count(stored, TaskRow) == 1 + 2 * KEPT, "what others have went for it"


async def test_who_removes_what_they_submit_pushes_out_nothing_that_is_on_the_list(stored: Sessions) -> None:
    async with stored() as session, session.begin():
        ada = await a_caller(session, "ada")
        for number in range(KEPT // 2):
            await ended(session, ada, f"listed {number}", days=500)
        for number in range(KEPT):
            await ended(session, ada, f"removed {number}", days=2, **ago(2))
    await forget(stored)
    listed = [name for name in await names(stored) if name.startswith("listed")]
    assert (len(listed), await count(stored, TaskRow)) == (KEPT // 2, KEPT), "pushed out by removed ones"


async def test_what_ended_within_a_day_is_not_too_many_yet(stored: Sessions) -> None:
    """A process that lost its claim may still submit one of its attempts, and its pace is counted by it."""
    async with stored() as session, session.begin():
        ada = await a_caller(session, "ada")
        for number in range(KEPT + 5):
            await ended(session, ada, f"new {number}", days=0.9)
    await forget(stored)
    assert await count(stored, TaskRow) == KEPT + 5, "what just ended went"


@contextmanager
def at_once(monkeypatch: pytest.MonkeyPatch, number: int) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setattr(forgetting, "AT_ONCE", number)
        yield


async def test_many_are_forgotten_some_at_a_time(stored: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stored() as session, session.begin():
        ada = await a_caller(session, "ada")
        for number in range(5):
            await ended(session, ada, f"old {number}", days=9, **ago(9))
    with at_once(monkeypatch, 2):
        async with stored() as session, session.begin():
            assert await forgetting.forget(session, Settings())  # type: ignore[arg-type]
        assert await count(stored, TaskRow) == 3, "more at once than it may"
        await forget(stored)
    assert await count(stored, TaskRow) == 0


@pytest.fixture
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    often = replace(TASKS, periodic=tuple(replace(work, every=timedelta(seconds=0.2)) for work in TASKS.periodic))
    monkeypatch.setattr(application, "DOMAINS", (often, *(each for each in DOMAINS if each is not TASKS)))


@pytest.mark.parametrize("different", [{"tasks": {"removed_retention_days": 3}}])
async def test_jobs_forgets_them_and_their_files_stay(looks_often: None, platform: RunningPlatform) -> None:
    admin = await platform.admin()
    database = connect(platform.configuration, pool_size=1)
    opened = sessions(database)
    try:
        async with opened() as session, session.begin():
            ada = await a_caller(session, "ada")
            forgotten = (await ended(session, ada, "old", days=9, **ago(4))).id
            output = platform.home("ada") / "tasks" / forgotten / "output"
            output.mkdir(parents=True)
            (output / "model").write_text("weights")

        async def is_gone() -> bool:
            return "old" not in await names(opened)

        await eventually(is_gone)
        assert (output / "model").read_text() == "weights", "a file of the user's went"
        assert (await admin.get(f"/tasks/{forgotten}")).status_code == 404
    finally:
        await database.dispose()
