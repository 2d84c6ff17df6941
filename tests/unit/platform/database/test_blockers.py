"""Who holds a lock keeps no migration waiting, whatever the lock. Needs PostgreSQL's wheel."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from atoll.api.contents import ensure_contents
from atoll.configuration import Configuration
from atoll.database import blockers
from atoll.database.connection import connect, sessions
from atoll.database.migrate import MIGRATING, upgrade
from atoll.database.rights import ROLES
from sqlalchemy import Connection, exc, text
from sqlalchemy.ext.asyncio import AsyncConnection

from tests.unit.platform.conftest import as_service, configuration


@pytest.fixture
def settings(tmp_path: Path, postgres: str, database_name: str, monkeypatch: pytest.MonkeyPatch) -> Configuration:
    monkeypatch.setattr(blockers, "PATIENCE_S", 0.3)
    monkeypatch.setattr(blockers, "EVERY_S", 0.1)
    return configuration(tmp_path, postgres, database_name)


@contextlib.asynccontextmanager
async def holding(settings: Configuration, role: str, statement: str) -> AsyncIterator[AsyncConnection]:
    """A connection of `role` that has said `statement` and keeps what it got by it."""
    engine = connect(as_service(settings, role), pool_size=1)
    try:
        async with engine.connect() as connection:
            await connection.execute(text(statement))
            yield connection
            with contextlib.suppress(exc.DBAPIError):
                await connection.rollback()
    finally:
        await engine.dispose()


async def is_ended(connection: AsyncConnection) -> bool:
    try:
        await connection.execute(text("SELECT 1"))
    except exc.DBAPIError:
        return True
    return False


def change_a_table(connection: Connection) -> None:
    connection.execute(text("LOCK TABLE virtual_clusters IN ACCESS EXCLUSIVE MODE"))


@pytest.mark.parametrize("role", ROLES)
async def test_a_service_that_holds_a_lock_keeps_no_migration_waiting(settings: Configuration, role: str) -> None:
    owner = connect(settings, pool_size=1)
    try:
        async with holding(settings, role, "LOCK TABLE virtual_clusters IN ACCESS SHARE MODE") as held:
            try:
                async with asyncio.timeout(10):
                    await upgrade(owner, change_a_table)
                    await ensure_contents(sessions(owner), settings)
            except TimeoutError:
                raise AssertionError(f"{role} keeps a migration waiting") from None
            assert await is_ended(held)
    finally:
        await owner.dispose()


async def test_a_service_that_waits_for_the_migration_that_waits_for_it_loses(
    settings: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own look for a deadlock is over by then: the migration's would find it, and end the migration."""
    monkeypatch.setattr(blockers, "PATIENCE_S", 2.0)  # more than PostgreSQL waits before it looks
    owner = connect(settings, pool_size=1)
    api = connect(as_service(settings, ROLES[0]), pool_size=1)

    async def hold_and_wait() -> None:
        async with api.begin() as connection:
            await connection.execute(text("SELECT count(*) FROM users"))
            held.set()
            await changing.wait()
            await connection.execute(text("SELECT count(*) FROM virtual_clusters"))

    held, changing = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def change_both(connection: Connection) -> None:
        change_a_table(connection)
        loop.call_soon(changing.set)
        connection.execute(text("SELECT pg_sleep(1.6)"))
        connection.execute(text("LOCK TABLE users IN ACCESS EXCLUSIVE MODE"))

    service = asyncio.create_task(hold_and_wait())
    try:
        await held.wait()
        async with asyncio.timeout(20):
            await upgrade(owner, change_both)
        with pytest.raises(exc.DBAPIError):
            await service
    finally:
        service.cancel()
        await asyncio.gather(service, return_exceptions=True)
        await owner.dispose()
        await api.dispose()


async def test_another_migration_is_waited_for(settings: Configuration) -> None:
    owner = connect(settings, pool_size=1)
    try:
        async with holding(settings, "postgres", f"SELECT pg_advisory_lock({MIGRATING})") as held:
            second = asyncio.create_task(upgrade(owner))
            await asyncio.sleep(1.5)
            assert not second.done()
            assert not await is_ended(held), "a migration was ended by another"
        await asyncio.wait_for(second, 10)
    finally:
        await owner.dispose()
