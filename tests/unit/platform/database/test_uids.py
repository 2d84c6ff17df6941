"""Uids of accounts: as whom people's tasks run and whose their files are. Tried on PostgreSQL. Needs its wheel."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from atoll.api.contents import ensure_contents, ensure_tables
from atoll.configuration import Configuration
from atoll.database.connection import connect, sessions
from atoll.database.migrate import alembic_config
from atoll.database.rights import API
from atoll.identity.models import FIRST_UID, NO_UIDS
from sqlalchemy import exc, text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import RunningPlatform, as_service, configuration

GREATEST = 2**31 - 1
ADDED = """
INSERT INTO users (id, name, nickname, password_hash, must_change_password, active, created_at, version)
SELECT :name, :name, '', '', false, true, now(), 1
"""
SEVERAL = """
INSERT INTO users (id, name, nickname, password_hash, must_change_password, active, created_at, version)
SELECT i::text, i::text, '', '', false, true, now(), 1 FROM generate_series(1, 3) AS i
"""
ADDED_AS = """
INSERT INTO users (id, name, nickname, uid, password_hash, must_change_password, active, created_at, version)
OVERRIDING SYSTEM VALUE VALUES (:name, :name, '', :uid, '', false, true, now(), 1)
"""
UID = text("SELECT uid FROM users WHERE name = :name")


@pytest.fixture
def settings(tmp_path: Path, postgres: str, database_name: str) -> Configuration:
    return configuration(tmp_path, postgres, database_name)


@pytest.fixture
async def owner(settings: Configuration) -> AsyncIterator[AsyncEngine]:
    """Whoever made the tables."""
    engine = connect(settings, pool_size=2)
    yield engine
    await engine.dispose()


@pytest.fixture
async def api(settings: Configuration) -> AsyncIterator[AsyncEngine]:
    """The service that adds accounts."""
    engine = connect(as_service(settings, API), pool_size=2)
    yield engine
    await engine.dispose()


async def added(engine: AsyncEngine, name: str) -> int:
    async with engine.begin() as connection:
        await connection.execute(text(ADDED), {"name": name})
        return int(await connection.scalar(UID, {"name": name}) or 0)


async def last_is(owner: AsyncEngine, uid: int) -> None:
    async with owner.begin() as connection:
        await connection.execute(text("UPDATE users SET uid = :uid WHERE name = 'ada'"), {"uid": uid})


async def test_rows_that_come_to_nothing_use_no_uid_up(api: AsyncEngine) -> None:
    """Whoever takes the API over and tries often pushes nobody beyond the uids that have user namespaces."""
    assert await added(api, "ada") == FIRST_UID
    async with api.begin() as connection:
        tried = text(f"{ADDED} FROM generate_series(1, 50) ON CONFLICT DO NOTHING")
        assert (await connection.execute(tried, {"name": "ada"})).rowcount == 0
    for _ in range(3):
        with pytest.raises(exc.IntegrityError, match="pk_users"):
            await added(api, "ada")
    async with api.connect() as connection:
        await connection.execute(text(ADDED), {"name": "nobody-after-all"})
        await connection.rollback()
    assert await added(api, "eve") == FIRST_UID + 1, "uids were used up, and nobody has them"


async def test_accounts_that_are_added_at_once_have_uids_of_their_own(api: AsyncEngine) -> None:
    async with api.begin() as connection:
        await connection.execute(text(ADDED), {"name": "ada"})
        other = asyncio.create_task(added(api, "eve"))
        await asyncio.wait([other], timeout=0.3)
        assert not other.done(), "the uid was given while it was not sure which was the last"
    assert await other == FIRST_UID + 1


async def test_rows_of_one_statement_have_uids_of_their_own(owner: AsyncEngine) -> None:
    async with owner.begin() as connection:
        await connection.execute(text(SEVERAL))
        found = (await connection.scalars(text("SELECT uid FROM users ORDER BY uid"))).all()
    assert found == [FIRST_UID, FIRST_UID + 1, FIRST_UID + 2]


async def test_the_uid_of_who_was_disabled_is_not_given_again(owner: AsyncEngine, api: AsyncEngine) -> None:
    given = await added(api, "ada")
    async with api.begin() as connection:
        await connection.execute(text("UPDATE users SET active = false"))
        with pytest.raises(exc.ProgrammingError, match="permission denied"):
            await connection.execute(text("DELETE FROM users"))
    assert await added(api, "eve") == given + 1


async def test_nobody_chooses_a_uid(owner: AsyncEngine) -> None:
    """Not even the owner, whose row it is: the one that is given stands there."""
    async with owner.begin() as connection:
        await connection.execute(text(ADDED_AS), {"name": "eve", "uid": 0})
        assert await connection.scalar(UID, {"name": "eve"}) == FIRST_UID


async def test_no_account_has_a_uid_of_the_system_or_of_nobody(owner: AsyncEngine) -> None:
    await added(owner, "ada")
    for uid in (0, 1000, FIRST_UID - 1, *NO_UIDS):
        with pytest.raises(exc.IntegrityError, match="ck_users_uid"):
            await last_is(owner, uid)


async def test_the_uids_of_nobody_are_left_out(owner: AsyncEngine, api: AsyncEngine) -> None:
    await added(api, "ada")
    await last_is(owner, min(NO_UIDS) - 1)
    assert await added(api, "eve") == max(NO_UIDS) + 1


async def test_an_account_for_which_no_uid_is_left_is_refused_in_words(
    platform: RunningPlatform, owner: AsyncEngine
) -> None:
    admin = await platform.admin()
    await platform.user(admin, "ada")
    await last_is(owner, GREATEST)
    eve = {"name": "eve", "nickname": "Eve", "password": "first-for-xxxxxxxx", "roles": ["user"]}
    refused = await admin.post("/users", eve)
    assert (refused.status_code, refused.json()["code"]) == (409, "no_uid_left"), refused.text
    await last_is(owner, GREATEST - 1)
    await platform.user(admin, "eve")


async def test_accounts_with_uids_of_others_have_their_own_and_are_disabled_by_the_upgrade(
    settings: Configuration, owner: AsyncEngine
) -> None:
    """Whoever had taken the API over could put them there before 0016, which then failed."""
    from alembic import command

    await ensure_contents(sessions(owner), settings)
    async with owner.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "0015"))
        for name, uid in (("root", 0), ("nobody", 65534), ("ada", 30017)):
            await connection.execute(text(ADDED_AS), {"name": name, "uid": uid})
    await ensure_tables(owner, settings)
    async with owner.connect() as connection:
        rows = (await connection.execute(text("SELECT name, uid, active FROM users ORDER BY uid"))).all()
    assert {row.name: row.uid for row in rows if row.active} == {"admin": FIRST_UID, "ada": 30017}
    assert {row.name for row in rows if not row.active} == {"root", "nobody"}
    assert all(row.uid >= FIRST_UID and row.uid not in NO_UIDS for row in rows)


async def test_the_version_before_goes_on_with_uids_of_its_own(settings: Configuration, owner: AsyncEngine) -> None:
    from alembic import command

    await added(owner, "ada")
    async with owner.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "0016"))
    assert await added(owner, "eve") == FIRST_UID + 1
    await ensure_tables(owner, settings)
    assert await added(owner, "joe") == FIRST_UID + 2
