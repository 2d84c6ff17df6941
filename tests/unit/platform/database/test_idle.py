"""Connections that lie idle in the pool: none that died is handed out, and none that lives is asked each time."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from atoll.database import connection
from atoll.database.connection import connect
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import configuration


@pytest.fixture
async def engine(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[AsyncEngine]:
    made = connect(configuration(tmp_path, postgres, database_name), pool_size=2)
    yield made
    await made.dispose()


@pytest.fixture
async def other(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[AsyncEngine]:
    made = connect(configuration(tmp_path, postgres, database_name))
    yield made
    await made.dispose()


@pytest.fixture
def asked(engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The connections of which it was asked whether their server is there."""
    asked: list[object] = []
    ask = engine.dialect.do_ping

    def counted(one: object) -> bool:
        asked.append(one)
        return ask(one)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.sync_engine.dialect, "do_ping", counted)
    return asked


async def server_of(engine: AsyncEngine) -> int:
    async with engine.connect() as one:
        found: int = (await one.execute(text("SELECT pg_backend_pid()"))).scalar_one()
        return found


async def both(engine: AsyncEngine) -> tuple[int, int]:
    """The servers of two connections, which lie in the pool from then on."""
    async with engine.connect() as one, engine.connect() as other:
        found = [(await each.execute(text("SELECT pg_backend_pid()"))).scalar_one() for each in (one, other)]
    return found[0], found[1]


async def test_one_in_use_is_not_asked_each_time(engine: AsyncEngine, asked: list[object]) -> None:
    assert len({await server_of(engine) for _ in range(5)}) == 1
    assert asked == []


async def test_one_that_was_idle_for_long_is_asked(
    engine: AsyncEngine, asked: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await server_of(engine)
    monkeypatch.setattr(connection, "ASKED_AGAIN_S", 0.0)
    assert await server_of(engine) == before
    assert len(asked) == 1


@pytest.mark.parametrize("asked_again_s", [0.0, 60.0], ids=["is asked", "has heard of it"])
async def test_one_whose_server_has_ended_is_replaced_before_it_is_used(
    engine: AsyncEngine, other: AsyncEngine, monkeypatch: pytest.MonkeyPatch, asked_again_s: float
) -> None:
    before = await both(engine)
    async with other.connect() as by:
        for server in before:
            await by.execute(text("SELECT pg_terminate_backend(:server, 5000)"), {"server": server})
    if asked_again_s:
        await asyncio.sleep(0.1)  # a process that has time hears of it
    monkeypatch.setattr(connection, "ASKED_AGAIN_S", asked_again_s)
    assert await server_of(engine) not in before
