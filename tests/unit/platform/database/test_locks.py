"""The locks that belong to no table: the next one waits, and nobody has many. Needs PostgreSQL's wheel."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from atoll.database.connection import connect
from atoll.database.locks import JUDGING, OWNERS, STARTS, TURNS, UIDS
from atoll.database.rights import API, JOBS, ROLES
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import as_service, configuration

Engines = dict[str, AsyncEngine]


@pytest.fixture
async def engines(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Engines]:
    settings = configuration(tmp_path, postgres, database_name)
    made = {role: connect(as_service(settings, role), pool_size=2) for role in ROLES}
    yield made
    for engine in made.values():
        await engine.dispose()


async def lock(engine: AsyncEngine, function: str) -> None:
    async with engine.begin() as connection:
        await connection.execute(text(f"SELECT {function}"))


@pytest.mark.parametrize(
    ("role", "function"), [(API, "lock_judging()"), (API, "lock_starts('ada')"), (JOBS, "lock_turns()")]
)
async def test_the_next_one_waits_until_the_transaction_ends(engines: Engines, role: str, function: str) -> None:
    async with engines[role].begin() as first:
        await first.execute(text(f"SELECT {function}"))
        second = asyncio.create_task(lock(engines[role], function))
        await asyncio.sleep(0.5)
        assert not second.done(), "two at a time"
    await asyncio.wait_for(second, 10)


async def test_starts_of_others_and_what_else_is_judged_do_not_wait(engines: Engines) -> None:
    async with engines[API].begin() as first:
        await first.execute(text("SELECT lock_starts('ada')"))
        await asyncio.wait_for(lock(engines[API], "lock_starts('bob')"), 10)
        await asyncio.wait_for(lock(engines[API], "lock_judging()"), 10)
        await asyncio.wait_for(lock(engines[JOBS], "lock_turns()"), 10)


async def test_whoever_asks_for_locks_of_all_owners_has_few(engines: Engines) -> None:
    async with engines[API].begin() as connection:
        await connection.execute(text("SELECT count(lock_starts(g::text)) FROM generate_series(1, 10000) g"))
        held = await connection.scalar(text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"))
    assert held == OWNERS, "one account fills the table of locks"


async def test_each_lock_of_the_database_has_a_key_of_its_own_that_is_told_in_one_place(engines: Engines) -> None:
    """Also those that a migration takes, which stays as it was."""
    functions = text(
        "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc LIKE '%advisory%'"
    )
    async with engines[JOBS].connect() as connection:
        found = {
            name: [int(key) for key in re.findall(r"pg_advisory_xact_lock\((\d+)", source)]
            for name, source in (await connection.execute(functions)).all()
        }
    told = {"lock_judging": JUDGING, "lock_turns": TURNS, "lock_starts": STARTS, "users_next_uid": UIDS}
    assert found == {name: [key] for name, key in told.items()}
    assert len({*told.values()}) == len(told), "two locks have one key"
