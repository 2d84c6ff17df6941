"""Ten thousand accounts: lists are as quick as with ten, and take as few questions. On a real database."""

import time
from collections import Counter
from typing import Any

import pytest
from atoll.database.connection import connect, sessions
from atoll.identity.repository import IdentityRepository
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import a_group, a_role, id_of, may, registered
from tests.unit.platform.round_trips import asked

__all__ = ["asked"]

MANY = 10_000
FILL = (
    "INSERT INTO users (id, name, nickname, password_hash, must_change_password, active, created_at, version)"
    " SELECT 'many' || n, 'person-' || n, 'Person ' || n, '', false, true, now(), 1"
    " FROM generate_series(1, :many) AS n",
    "INSERT INTO user_roles (user_id, role_id) SELECT id, 'user' FROM users WHERE id LIKE 'many%'",
    "INSERT INTO user_roles (user_id, role_id) SELECT id, 'annotator' FROM users WHERE id LIKE 'many77%'",
    "INSERT INTO groups (id, name, name_key, description, created_at, version)"
    " SELECT 'many' || n, 'Group ' || n, 'group ' || n, '', now(), 1 FROM generate_series(1, 100) AS n",
    "INSERT INTO group_roles (group_id, role_id) SELECT id, 'user' FROM groups",
    "INSERT INTO group_members (group_id, user_id)"
    " SELECT 'many' || (1 + n % 100), 'many' || n FROM generate_series(1, :many) AS n",
    "ANALYZE",
)
SECONDS = 2.0


@pytest.fixture
async def many(portal: RunningPlatform) -> RunningPlatform:
    """Accounts, each with a role and in a group."""
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("ALTER TABLE users DISABLE TRIGGER users_uid"))
        for statement in FILL:
            uid = statement.replace("nickname,", "nickname, uid,").replace(
                "'Person ' || n,", "'Person ' || n, 40000 + n,"
            )
            values = {"many": MANY} if ":many" in statement else {}
            await connection.execute(text(uid), values)
        await connection.execute(text("ALTER TABLE users ENABLE TRIGGER users_uid"))
    await database.dispose()
    return portal


async def questions(asked: Counter[str], client: Any, path: str, **params: Any) -> int:
    """How often the database is asked for a page, once statements are prepared."""
    took = []
    for _ in range(8):
        asked.clear()
        answer = await client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        took.append(asked[f"/api/v1{path}"])
    return min(took)


async def test_a_page_of_ten_thousand_takes_as_few_questions_as_a_page_of_one(
    many: RunningPlatform, asked: Counter[str]
) -> None:
    admin = await many.admin()
    # Who asks is one, begin and end of the transaction are two; then the page, and what accounts have is one each.
    most = {
        "/users": 3 + 7,
        "/groups": 3 + 4,
        "/roles": 3 + 3,
        "/roles/user/users": 3 + 2,
        "/groups/many1/users": 3 + 2,
    }
    for path, wanted in most.items():
        one, full = [await questions(asked, admin, path, limit=limit) for limit in (1, 200)]
        assert one == full <= wanted, path
        assert one > 3, "nothing was counted"
    began = time.monotonic()
    cursor = (await admin.get("/users", params={"limit": 200})).json()["next_cursor"]
    for query in (
        {"cursor": cursor},
        {"words": "person 77"},
        {"words": "nobody of that name"},
        {"role": "annotator"},
        {"group": "many7"},
        {"waiting": True},
    ):
        assert (await admin.get("/users", params={"limit": 200} | query)).is_success
    assert (await admin.get("/user-management")).json()["users"] == MANY + 1
    assert time.monotonic() - began < 7 * SECONDS


async def test_a_session_shows_all_that_its_user_has_by_one_question(
    portal: RunningPlatform, asked: Counter[str]
) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    user = await id_of(ada)
    before = await questions(asked, ada, "/session")
    roles = [await a_role(admin, f"Role {n}", grant) for n, grant in enumerate(("nodes:read", "overview:read"))]
    for n in range(5):
        await a_group(admin, f"Group {n}", roles, [user])
    assert (await admin.http.put(f"/users/{user}/roles", json={"roles": roles})).is_success
    assert await may(ada) == ["nodes:read", "overview:read"]
    assert await questions(asked, ada, "/session") == before <= 3 + 1


async def plan(database: AsyncEngine, **query: Any) -> str:
    """How the database finds a page of accounts."""
    found: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        found.append((statement, parameters))

    event.listen(database.sync_engine, "before_cursor_execute", note)
    async with sessions(database)() as session:
        await IdentityRepository(session).users(51, query.pop("after", None), **query)
        statement, parameters = found[-1]
        connection = await session.connection()
        rows = await connection.exec_driver_sql(f"EXPLAIN {statement}", parameters)
        told = "\n".join(row[0] for row in rows)
    event.remove(database.sync_engine, "before_cursor_execute", note)
    return told


async def test_a_page_is_found_by_an_index_wherever_there_is_one(many: RunningPlatform) -> None:
    """Words are looked for in the middle of names, for which the database has no index here: it looks at all."""
    database = connect(many.configuration, pool_size=1)
    try:
        for query in ({}, {"after": "person-5"}, {"active": True}):
            told = await plan(database, **query)
            assert "uq_users_name" in told, told
            assert "Sort" not in told, told
        for query, index in (({"role": "annotator"}, "user_roles"), ({"group": "many7"}, "group_members")):
            told = await plan(database, **query)
            assert f"ix_{index}" in told or f"pk_{index}" in told, told
    finally:
        await database.dispose()
