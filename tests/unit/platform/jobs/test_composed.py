"""What `jobs` makes of the manifests."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from atoll.about.domain import DOMAIN as ABOUT
from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.database.connection import Sessions, sessions
from atoll.identity.accounts import add_account
from atoll.jobs.composed import Parts, do_from_time_to_time
from atoll.web.domain import PeriodicWork, ProcessPart
from atoll.web.idempotency import KEPT
from atoll.web.models import IdempotencyRow
from sqlalchemy import exc, select
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

CONFIGURATION: Any = None


@pytest.fixture
async def database(postgres: str, database_name: str) -> AsyncIterator[Sessions]:
    engine = create_async_engine(f"postgresql+asyncpg://postgres@/{database_name}?host={postgres}")
    yield sessions(engine)
    await engine.dispose()


async def test_a_part_is_made_once_and_only_when_a_handler_asks_for_it() -> None:
    made: list[str] = []
    closed: list[str] = []

    class One(str): ...

    class Other(str): ...

    async def close(part: str) -> None:
        closed.append(part)

    def make(_: Configuration) -> One:
        made.append("one")
        return One("one")

    def missing(_: Configuration) -> Other | None:
        return None

    parts = Parts(CONFIGURATION, [ProcessPart(One, make, close), ProcessPart(Other, missing, close)])
    assert made == []
    assert parts[One] is parts[One]
    assert made == ["one"]
    with pytest.raises(KeyError, match="Other is not configured"):
        parts[Other]
    await parts.close()
    assert closed == ["one"]


async def test_periodic_work_goes_on_after_a_failure_and_beside_one_that_fails(database: Sessions) -> None:
    done: list[str] = []
    enough = asyncio.Event()

    async def works(_: AsyncSession, __: Configuration) -> bool:
        done.append("works")
        if done.count("works") > 2 and done.count("fails") > 2:
            enough.set()
        return False

    async def fails(_: AsyncSession, __: Configuration) -> bool:
        done.append("fails")
        raise exc.InterfaceError("the database is away", None, OSError())

    often = timedelta(milliseconds=5)
    works_of_all = [PeriodicWork("works", often, works), PeriodicWork("fails", often, fails)]
    running = asyncio.create_task(do_from_time_to_time(CONFIGURATION, database, works_of_all))
    async with asyncio.timeout(10):
        await enough.wait()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running


async def test_keys_that_nobody_sends_again_are_forgotten(database: Sessions) -> None:
    async with database() as session, session.begin():
        user = await add_account(session, "ada", "")
        for key, age in (("old", KEPT + timedelta(minutes=1)), ("fresh", KEPT - timedelta(minutes=1))):
            session.add(IdempotencyRow(user_id=user.id, key=key, request_hash="", created_at=now() - age))
    (work,) = ABOUT.periodic
    async with database() as session, session.begin():
        await work.do(session, CONFIGURATION)
    async with database() as session:
        assert (await session.scalars(select(IdempotencyRow.key))).all() == ["fresh"]
