"""What the roles of the services may do: exactly what the table says, tried on PostgreSQL. Needs its wheel."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from atoll.api import domains
from atoll.api.contents import ensure_contents, ensure_tables
from atoll.audit_trail.models import AuditRow
from atoll.database.base import now
from atoll.database.connection import connect, sessions
from atoll.database.rights import API, JOBS, ROLES
from sqlalchemy import exc, func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import as_service, configuration

HELD = """
SELECT privilege, table_name, column_name
FROM information_schema.columns, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) AS privilege
WHERE table_schema = 'public' AND has_column_privilege(:role, 'public.' || table_name, column_name, privilege)
"""
HELD_OF_TABLES = """
SELECT privilege, table_name
FROM information_schema.tables, unnest(ARRAY['DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS privilege
WHERE table_schema = 'public' AND has_table_privilege(:role, 'public.' || table_name, privilege)
"""
NEVER = {
    API: (
        "DELETE FROM audit",
        "TRUNCATE audit",
        "UPDATE audit SET actor_name = 'eve'",
        "UPDATE audit SET details = '{}'",
        "INSERT INTO audit SELECT * FROM audit",
        "SELECT audit_forget_old()",
        "SELECT audit_forget_too_many()",
        "SELECT lock_turns()",
        "SELECT secrets FROM tasks",
        "UPDATE tasks SET specification = '{}'",
        "UPDATE attempts SET finished_at = now()",
        "UPDATE virtual_clusters SET name = 'mine'",
        "UPDATE virtual_clusters SET deleted_at = now()",
        "DELETE FROM virtual_clusters",
        "DELETE FROM users",
        "UPDATE users SET uid = DEFAULT",
        "INSERT INTO users (id, name, nickname, uid, password_hash, must_change_password, active, created_at, version)"
        " OVERRIDING SYSTEM VALUE VALUES ('e', 'eve', '', 30007, '', false, true, now(), 1)",
        "UPDATE roles SET preset = false",
        "UPDATE user_roles SET role_id = 'admin'",
        "UPDATE group_roles SET role_id = 'admin'",
        "UPDATE group_members SET user_id = 'eve'",
    ),
    JOBS: (
        "DELETE FROM audit",
        "TRUNCATE audit",
        "INSERT INTO audit SELECT * FROM audit",
        "UPDATE audit SET outcome = 'denied'",
        "SELECT * FROM audit",
        "SELECT audit_add('', '', '', '', '', '', '', '', '', '{}', NULL)",
        "SELECT lock_judging()",
        "SELECT lock_starts('ada')",
        "SELECT password_hash FROM users",
        "SELECT email FROM users",
        "SELECT phone FROM users",
        "UPDATE users SET active = true",
        "SELECT * FROM roles",
        "UPDATE roles SET grants = '{administration}'",
        "SELECT * FROM user_roles",
        "INSERT INTO user_roles VALUES ('ada', 'admin')",
        "INSERT INTO group_roles VALUES ('ops', 'admin')",
        "INSERT INTO group_members VALUES ('ops', 'ada')",
        "DELETE FROM group_members",
        "SELECT * FROM groups",
        "UPDATE virtual_clusters SET version = 1",
        "UPDATE virtual_cluster_quotas SET count = 1000",
        "INSERT INTO virtual_cluster_members SELECT * FROM virtual_cluster_members",
        "DELETE FROM virtual_cluster_groups",
        "SELECT * FROM user_settings",
        "SELECT * FROM sessions",
        "INSERT INTO sessions SELECT * FROM sessions",
    ),
}
NEVER_BY_ANY = (
    "CREATE TABLE more (id int)",
    "ALTER TABLE audit ADD COLUMN more int",
    "DROP TABLE audit",
    "CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "DROP FUNCTION audit_forget_old()",
    "CREATE ROLE more",
    "SET ROLE postgres",
    "COPY audit TO PROGRAM 'cat'",
    "UPDATE alembic_version SET version_num = '0001'",
)


@pytest.fixture
async def engines(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[dict[str, AsyncEngine]]:
    """A connection of each, and one of whoever made the tables."""
    settings = configuration(tmp_path, postgres, database_name)
    made = {role: connect(as_service(settings, role), pool_size=1) for role in ("postgres", *ROLES)}
    yield made
    for engine in made.values():
        await engine.dispose()


@pytest.mark.parametrize("role", ROLES)
async def test_a_role_holds_exactly_the_rights_of_the_table(engines: dict[str, AsyncEngine], role: str) -> None:
    async with engines["postgres"].connect() as connection:
        columns: dict[str, set[str]] = {}
        found = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
        for table, column in await connection.execute(text(found)):
            columns.setdefault(table, set()).add(column)
        held = {tuple(row) for row in await connection.execute(text(HELD), {"role": role})}
        of_tables = {tuple(row) for row in await connection.execute(text(HELD_OF_TABLES), {"role": role})}
    assert set(columns) == set(domains.rights()), "a table that no manifest names, or the other way round"
    wanted = {
        (right, table, column)
        for table, rights in domains.rights().items()
        for right in ("SELECT", "INSERT", "UPDATE")
        for column in rights.of(role).columns(right, columns[table])
    }
    assert held == wanted, f"{role} holds other rights than the table says: {sorted(held ^ wanted)}"
    assert of_tables == {("DELETE", table) for table, rights in domains.rights().items() if rights.of(role).remove}


async def test_functions_are_for_their_callers_and_nobody_else(engines: dict[str, AsyncEngine]) -> None:
    asked = """
    SELECT r.rolname, p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace, pg_roles r
    WHERE n.nspname = 'public' AND r.rolname = ANY(:roles) AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
    """
    async with engines["postgres"].connect() as connection:
        held = {tuple(row) for row in await connection.execute(text(asked), {"roles": list(ROLES)})}
    assert held == {
        (API, "audit_add(text,text,text,text,text,text,text,text,text,jsonb,text)"),
        (API, "grams(text[])"),
        (API, "lock_judging()"),
        (API, "lock_starts(text)"),
        (API, "sought(text)"),
        (JOBS, "audit_forget_old()"),
        (JOBS, "audit_forget_too_many()"),
        (JOBS, "lock_turns()"),
        (JOBS, "may_be_root(text)"),
    }


def test_no_column_is_named_that_is_not_there() -> None:
    for name, rights in domains.rights().items():
        there = (
            {column.name for column in domains.metadata().tables[name].columns}
            if name in domains.metadata().tables
            else set()
        )
        for role in ROLES:
            assert {*rights.of(role).hidden, *rights.of(role).changes, *rights.of(role).filled} <= there, (name, role)


@pytest.mark.parametrize(
    ("role", "statement"), [(role, each) for role in ROLES for each in (*NEVER[role], *NEVER_BY_ANY)]
)
async def test_whoever_takes_a_service_over_gets_no_further(
    engines: dict[str, AsyncEngine], role: str, statement: str
) -> None:
    async def refused() -> str:
        try:
            async with engines[role].begin() as connection:
                await connection.execute(text(statement))
        except exc.DBAPIError as error:
            return str(error.orig)
        return "done"

    said = await refused()
    assert "permission denied" in said or "must be owner" in said, f"{role} was let do `{statement}`: {said}"


async def test_jobs_forgets_nothing_that_is_to_be_kept(
    engines: dict[str, AsyncEngine], tmp_path: Path, postgres: str, database_name: str
) -> None:
    """However it asks: the number of days and of rows is what the migration was told."""
    settings = configuration(tmp_path, postgres, database_name)
    settings = settings.model_copy(update={"audit": settings.audit.model_copy(update={"retention_days": 9, "rows": 4})})
    await ensure_tables(engines["postgres"], settings)
    await ensure_contents(sessions(engines["postgres"]), settings)

    async def left() -> list[str]:
        async with sessions(engines["postgres"])() as session:
            return list((await session.scalars(select(AuditRow.id).order_by(AuditRow.id))).all())

    async with sessions(engines["postgres"])() as session, session.begin():
        for days in (10, 8, 7, 6, 5, 4):
            row = AuditRow(id=f"{99 - days}", at=now() - timedelta(days=days), actor_name="ada", details={})
            row.action = row.outcome = row.object_kind = row.object_id = row.object_name = row.address = "x"
            row.request_id = "x"
            session.add(row)
    async with engines[JOBS].begin() as connection:
        gone = await connection.scalar(select(func.audit_forget_old()))
    assert gone == 1, "rows went that are younger than they are kept"
    assert await left() == ["91", "92", "93", "94", "95"], "rows went that are younger than they are kept"
    async with engines[JOBS].begin() as connection:
        assert await connection.scalar(select(func.audit_forget_too_many())) == 1
        assert await connection.scalar(select(func.audit_forget_too_many())) == 0
    assert len(await left()) == 4, "rows went though there were not too many"
