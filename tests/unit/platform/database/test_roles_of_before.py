"""Accounts of before keep what they may do over the migration, and back. On a real database."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from atoll.api.contents import ensure_contents
from atoll.configuration import Configuration
from atoll.database.connection import connect, sessions
from atoll.database.migrate import alembic_config, upgrade
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import configuration

BEFORE = "0019"
ACCOUNTS = {"both": ["admin", "user"], "ruler": ["admin"], "ada": ["user"], "odd": ["guest"], "none": []}
ADDED = """
INSERT INTO users (id, name, nickname, password_hash, must_change_password, roles, active, created_at, version)
VALUES (:name, :name, '', '', false, CAST(:roles AS varchar[]), true, now(), 1)
"""
HELD = """
SELECT users.name, array_remove(array_agg(role_id ORDER BY role_id), NULL) FROM users
LEFT JOIN user_roles ON user_roles.user_id = users.id GROUP BY users.name
"""


@pytest.fixture
def settings(tmp_path: Path, postgres: str, database_name: str) -> Configuration:
    return configuration(tmp_path, postgres, database_name)


@pytest.fixture
async def owner(settings: Configuration) -> AsyncIterator[AsyncEngine]:
    """Whoever made the tables."""
    engine = connect(settings, pool_size=1)
    await ensure_contents(sessions(engine), settings)
    yield engine
    await engine.dispose()


async def back(owner: AsyncEngine) -> None:
    async with owner.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), BEFORE))


async def found(owner: AsyncEngine, query: str) -> dict[str, Any]:
    async with owner.connect() as connection:
        return {row[0]: row[1] for row in await connection.execute(text(query))}


async def test_each_account_holds_its_roles_of_before_and_the_first_one_is_an_administrator(
    owner: AsyncEngine,
) -> None:
    await back(owner)
    async with owner.begin() as connection:
        for name, roles in ACCOUNTS.items():
            await connection.execute(text(ADDED), {"name": name, "roles": roles})
        # Whatever somebody wrote there by hand.
        await connection.execute(text("UPDATE users SET roles = '{user}' WHERE name = 'admin'"))
    await upgrade(owner)
    assert await found(owner, HELD) == {
        "admin": ["admin", "user"],
        "both": ["admin", "user"],
        "ruler": ["admin"],
        "ada": ["user"],
        "odd": [],
        "none": [],
    }
    reached = await found(owner, "SELECT name, phone || email || coalesce(deleted_at::text, '') FROM users")
    assert set(reached.values()) == {""}


async def test_the_version_before_finds_the_roles_that_it_knows(owner: AsyncEngine) -> None:
    async with owner.begin() as connection:
        await connection.execute(
            text(ADDED.replace("roles, ", "").replace("CAST(:roles AS varchar[]), ", "")), {"name": "ada"}
        )
        for role in ("user", "annotator"):
            await connection.execute(text("INSERT INTO user_roles VALUES ('ada', :role)"), {"role": role})
    await back(owner)
    assert await found(owner, "SELECT name, roles FROM users") == {"admin": ["admin"], "ada": ["user"]}
