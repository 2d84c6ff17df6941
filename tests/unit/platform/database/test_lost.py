"""However a connection is lost, real PostgreSQL and asyncpg at both ends: it is told as what passes."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from atoll.database import connection, patience
from atoll.database.connection import AWAY, LOST, connect
from atoll.database.patience import patiently
from sqlalchemy import exc, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from structlog.testing import capture_logs

from tests.unit.platform.conftest import configuration

END = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture
async def engine(
    tmp_path: Path, postgres: str, database_name: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[AsyncEngine]:
    monkeypatch.setattr(connection, "IDLE_IN_TRANSACTION_S", 1)
    made = connect(configuration(tmp_path, postgres, database_name), pool_size=3, command_timeout_s=2)
    yield made
    await made.dispose()


async def ended_by_an_administrator(engine: AsyncEngine, _: AsyncConnection) -> None:
    async with engine.connect() as other:
        await other.execute(text(END))


async def idle_for_too_long(_engine: AsyncEngine, _: AsyncConnection) -> None:
    await asyncio.sleep(4)


async def idle_since_the_process_had_no_time(_engine: AsyncEngine, _: AsyncConnection) -> None:
    time.sleep(4)  # noqa: ASYNC251 - this is what it is about: what the server said is read in the next step


@pytest.mark.parametrize(
    "happens",
    [ended_by_an_administrator, idle_for_too_long, idle_since_the_process_had_no_time],
    ids=lambda it: it.__name__,
)
async def test_a_connection_that_is_lost_in_a_transaction_is_told_as_what_passes(
    engine: AsyncEngine, happens: Any
) -> None:
    with pytest.raises(LOST):  # noqa: PT012 - the end of the transaction belongs to it
        async with engine.begin() as held:
            await held.execute(text("SELECT 1"))
            await happens(engine, held)
            await held.execute(text("SELECT 2"))
    async with engine.connect() as anew:
        assert await anew.scalar(text("SELECT 3")) == 3, "the pool gave the lost one out again"


async def test_a_server_that_does_not_answer_is_told_as_what_passes(engine: AsyncEngine) -> None:
    with pytest.raises((exc.SQLAlchemyError, OSError)) as told:
        async with engine.connect() as held:
            await held.execute(text("SELECT pg_sleep(5)"))
    assert isinstance(told.value, LOST), f"not told as what passes: {told.value!r}"


async def test_two_that_wait_for_each_other_are_told_as_what_passes(engine: AsyncEngine) -> None:
    async with engine.begin() as made:
        await made.execute(text("CREATE TABLE knots (id int PRIMARY KEY)"))
        await made.execute(text("INSERT INTO knots VALUES (1), (2)"))
    first_has = [asyncio.Event(), asyncio.Event()]
    soon = text("SET LOCAL deadlock_timeout = '50ms'")

    async def tie(mine: int, others: int) -> None:
        async with engine.begin() as held:
            await held.execute(soon)
            await held.execute(text("SELECT * FROM knots WHERE id = :id FOR UPDATE"), {"id": mine})
            first_has[mine - 1].set()
            await first_has[others - 1].wait()
            await held.execute(text("SELECT * FROM knots WHERE id = :id FOR UPDATE"), {"id": others})

    ends = await asyncio.gather(tie(1, 2), tie(2, 1), return_exceptions=True)
    assert sorted(isinstance(end, LOST) for end in ends) == [False, True], ends


async def test_a_server_that_only_reads_leads_no_more_and_is_left(engine: AsyncEngine) -> None:
    async with engine.connect() as held:
        await held.execute(text("SET default_transaction_read_only = on"))
        await held.commit()
        with pytest.raises(LOST) as told:
            await held.execute(text("CREATE TABLE nothing (id int)"))
    assert isinstance(told.value, exc.DBAPIError)
    assert told.value.connection_invalidated
    async with engine.begin() as anew:
        await anew.execute(text("CREATE TABLE something (id int)"))


async def test_a_connection_that_is_lost_while_it_is_set_up_is_told_as_what_passes(
    engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_ = asyncpg.connect

    async def ended(*arguments: Any, **options: Any) -> Any:
        made = await connect_(*arguments, **options)
        await made.close()
        return made

    monkeypatch.setattr(asyncpg, "connect", ended)
    with pytest.raises(LOST):
        async with engine.connect():
            pass


async def test_that_nobody_is_there_is_told_as_what_passes(
    tmp_path: Path, postgres: str, database_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = configuration(tmp_path, postgres, database_name)
    (tmp_path / "nobody").mkdir()
    gone = settings.model_copy(
        update={"database": settings.database.model_copy(update={"host": str(tmp_path / "nobody")})}
    )
    made = connect(gone)
    with pytest.raises(exc.OperationalError):
        async with made.connect():
            pass
    await made.dispose()


async def test_a_mistake_in_a_statement_is_told_as_one(engine: AsyncEngine) -> None:
    with pytest.raises(exc.ProgrammingError) as told:
        async with engine.connect() as held:
            await held.execute(text("SELECT nothing FROM nowhere"))
    assert not isinstance(told.value, AWAY)


async def test_who_is_patient_goes_on_when_the_database_is_back_and_tells_it_once(
    engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "PAUSE_S", 0.01)
    tries = 0

    async def step() -> int:
        nonlocal tries
        tries += 1
        async with engine.begin() as held:
            if tries < 4:
                await held.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
            return int(await held.scalar(text("SELECT 5")) or 0)

    with capture_logs() as told:
        assert await patiently("count", step, 0.01) == 5
    assert tries == 4
    assert [line["event"] for line in told] == [
        "the database is away, going on when it is back",
        "the database is back",
    ]


async def test_who_is_patient_does_not_wait_out_a_mistake() -> None:
    async def step() -> None:
        raise ValueError("a mistake")

    with pytest.raises(ValueError, match="a mistake"):
        await asyncio.wait_for(patiently("err", step), 5)
