"""What a change costs when many look on: a look into the database, not one for each of them. On a real one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from atoll.api.contents import ensure_contents
from atoll.api.domains import DOMAINS, channels, permissions
from atoll.database.connection import connect, sessions
from atoll.database.notifications import TASKS, Listener
from atoll.identity.caller import Caller
from atoll.identity.models import UserRow
from atoll.tasks.changes import tell
from atoll.tasks.live import LiveTasks
from atoll.tasks.models import TaskRow
from atoll.tasks.repository import TaskRepository
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.web.platform import Platform
from sqlalchemy import event, select
from sqlalchemy.exc import InterfaceError

from tests.unit.platform.conftest import configuration

CHANGES = 5
Events = AsyncIterator[Any]


@pytest.fixture
async def platform(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Platform]:
    """What the API's process holds, and listens."""
    settings = configuration(tmp_path, postgres, database_name)
    database = connect(settings, pool_size=5)
    await ensure_contents(sessions(database), settings)
    held = {part.kind: part.make(settings) for domain in DOMAINS if domain.name == "tasks" for part in domain.parts}
    platform = Platform(settings, database, sessions(database), Listener(settings, channels()), held)
    async with platform.listener.subscribe(TASKS) as queue:
        listening = asyncio.create_task(platform.listener.run())
        assert await queue.get() is None  # it listens, and says so
    yield platform
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await database.dispose()


@pytest.fixture
async def task(platform: Platform) -> TaskRow:
    async with platform.sessions() as session, session.begin():
        owner = (await session.scalars(select(UserRow))).one()
        cluster = (await session.scalars(select(VirtualClusterRow))).one()
        about = {"definition": {}, "specification": {}, "devices": 0, "nodes": 1, "framework": "plain"}
        row = TaskRow(name="t", kind="training", owner_id=owner.id, virtual_cluster_id=cluster.id, **about)
        session.add(row)
    return row


@pytest.fixture
def asked(platform: Platform) -> list[str]:
    """The looks at tasks, as the database gets them."""
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM tasks" in statement:
            found.append(statement)

    event.listen(platform.database.sync_engine, "before_cursor_execute", note)
    return found


def administrator(number: int) -> Caller:
    name = f"admin{number}"
    return Caller(
        id=f"01{name}",
        name=name,
        nickname=name,
        uid=30100 + number,
        permissions=frozenset(permissions()),
        must_change_password=False,
        address="127.0.0.1",
        request_id="",
    )


@contextlib.asynccontextmanager
async def looking_on(platform: Platform, viewers: int) -> AsyncIterator[list[Events]]:
    views: list[Any] = [LiveTasks(platform, administrator(number), True).events() for number in range(viewers)]
    for events in views:
        assert (await anext(events)).event == "hello"
    yield views
    for events in views:
        await events.aclose()


async def change(platform: Platform, row: TaskRow) -> None:
    async with platform.sessions() as session, session.begin():
        await tell(session, row)


@pytest.mark.parametrize("viewers", [1, 20])
async def test_a_change_is_read_once_for_all_who_look_at_all(
    platform: Platform, task: TaskRow, asked: list[str], viewers: int
) -> None:
    async with asyncio.timeout(30), looking_on(platform, viewers) as views:
        for _ in range(CHANGES):
            await change(platform, task)
            told = [await anext(events) for events in views]
            assert {(each.event, f'"id":"{task.id}"' in each.data) for each in told} == {("task", True)}
    assert len(asked) == CHANGES


async def test_a_look_that_fails_tells_all_of_a_gap(
    platform: Platform, task: TaskRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any) -> None:
        raise InterfaceError("the database is away", None, OSError())

    async with asyncio.timeout(30), looking_on(platform, 2) as views:
        with monkeypatch.context() as broken:
            broken.setattr(TaskRepository, "of_anybody", away)
            await change(platform, task)
            assert [(await anext(events)).event for events in views] == ["hello", "hello"]
        await change(platform, task)
        assert [(await anext(events)).event for events in views] == ["task", "task"]


async def test_who_comes_back_after_the_last_one_left_is_told_again(platform: Platform, task: TaskRow) -> None:
    async with asyncio.timeout(30):
        for _ in range(2):
            async with looking_on(platform, 1) as (events,):
                await change(platform, task)
                assert (await anext(events)).event == "task"
    assert not platform.listener._subscribers[TASKS]
