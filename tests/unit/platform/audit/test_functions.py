"""What whoever takes `api` over can do to the audit: write rows of now, and no more. Needs PostgreSQL's wheel."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from atoll.api.contents import ensure_tables
from atoll.audit_trail.functions import LONGEST_TEXT, MOST_DETAILS_BYTES
from atoll.audit_trail.models import AuditRow
from atoll.audit_trail.repository import _TOLD
from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.database.connection import connect
from atoll.database.identifiers import new_id
from atoll.database.migrate import alembic_config
from atoll.database.rights import API, JOBS, ROLES
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import as_service, configuration

KEPT, DAYS = 1000, 9
ADD = """
SELECT audit_add(:actor, 'ada', 'x', 'x', '', :name, :outcome, :address, '', CAST(:details AS jsonb), :once)
"""
USUAL: dict[str, Any] = {
    "actor": "ada", "name": "", "outcome": "done", "address": "198.51.100.7", "details": "{}", "once": None
}  # fmt: skip
FLOOD = """
SELECT audit_add(actor, actor, 'task.create', 'task', '', 'flood', 'done', '', '', '{}', NULL)
FROM generate_series(1, 1500), unnest(ARRAY['ada', 'bob']) AS actor
"""
ACCOUNTS = """
INSERT INTO users (id, name, nickname, password_hash, must_change_password, active, created_at, version)
SELECT name, name, '', '', false, true, now(), 1 FROM unnest(CAST(:names AS text[])) AS name
"""
WRITTEN = """
INSERT INTO audit SELECT :prefix || n, CAST(:begin AS timestamptz) + make_interval(secs => n * :apart), actor, actor,
'x', 'x', '', :prefix, :outcome, '', '', '{}' FROM generate_series(1, :number) AS n,
unnest(ARRAY['ada', 'bob']) AS actor WHERE n % 2 = (actor = 'ada')::int
"""


@dataclass
class Roles:
    """A connection of each role, and of whoever made the tables (`owner`)."""

    settings: Configuration
    engines: dict[str, AsyncEngine]

    async def write(self, prefix: str, begin: datetime, number: int, apart: float, outcome: str = "done") -> None:
        """Rows of ada and bob in turn, with names and times that no service may give them."""
        what = {"prefix": prefix, "begin": begin, "number": number, "apart": apart, "outcome": outcome}
        await self.do("owner", WRITTEN, **what)

    async def forget(self) -> int:
        """As `jobs` does, until nothing is to be forgotten; the number of rows."""
        forgotten = 0
        while (gone := (await self.do(JOBS, "SELECT audit_forget_old() + audit_forget_too_many()"))[0][0]) > 0:
            forgotten += gone
        return forgotten

    async def do(self, role: str, statement: str, **values: Any) -> list[Any]:
        async with self.engines[role].begin() as connection:
            done = await connection.execute(text(statement), values)
            return list(done.all()) if done.returns_rows else []


@pytest.fixture
async def roles(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Roles]:
    settings = configuration(tmp_path, postgres, database_name)
    settings = settings.model_copy(
        update={"audit": settings.audit.model_copy(update={"retention_days": DAYS, "rows": KEPT})}
    )
    engines = {role: connect(as_service(settings, role), pool_size=1) for role in ROLES}
    made = Roles(settings, {"owner": connect(settings, pool_size=1), **engines})
    await ensure_tables(made.engines["owner"], settings)
    await made.do("owner", ACCOUNTS, names=["ada", "bob"])
    yield made
    for engine in made.engines.values():
        await engine.dispose()


async def test_a_row_is_of_now_and_has_a_size_whoever_writes_it(roles: Roles) -> None:
    before = new_id()
    await asyncio.sleep(0.002)
    long = "ä" * 5000
    odd: tuple[dict[str, Any], ...] = (
        {},
        {"name": long, "address": long, "details": json.dumps({"image": long})},
        {"outcome": "never heard of", "details": "[1]"},
        {"outcome": "denied", "details": '{"times": "many", "route": "/"}', "once": "/"},
        {"outcome": "denied", "details": "{}", "once": "/"},
    )
    for changed in odd:
        await roles.do(API, ADD, **(USUAL | changed))
    await asyncio.sleep(0.002)
    after = new_id()
    rows = await roles.do(API, "SELECT * FROM audit ORDER BY at")
    assert len(rows) == len(odd) - 1, "what is a row a minute is one (and the minute may have turned)"
    usual, large, unheard, folded = rows
    assert all(len(row.id) == len(before) for row in rows)
    assert all(before[:10] <= row.id[:10] <= after[:10] for row in (usual, large, unheard)), "an id of another time"
    assert folded.id[:10] <= after[:10]
    assert all(abs(row.at - now()) < timedelta(seconds=30) for row in rows)
    assert (len(large.object_name), len(large.address)) == (LONGEST_TEXT, LONGEST_TEXT)
    assert large.details == {"truncated": True}
    assert (unheard.outcome, unheard.details) == ("failed", {"truncated": True}), "no answer of the API could tell it"
    assert folded.details == {"times": 2, "route": "/"}
    kept = json.dumps({"image": "x" * MOST_DETAILS_BYTES})
    await roles.do(API, ADD, **(USUAL | {"details": kept}))
    (last,) = await roles.do(API, "SELECT details FROM audit ORDER BY id DESC LIMIT 1")
    assert json.dumps(last.details) == kept


async def test_a_flood_in_others_names_pushes_out_nothing_that_was_there_before(roles: Roles) -> None:
    """Of other days nothing, of its own day not what came first."""
    today = now().replace(hour=0, minute=0, second=0, microsecond=0)
    await roles.write("before", today - timedelta(days=3), 300, 60)
    await roles.write("today", today, 100, 0.001)
    await roles.do(API, FLOOD)
    assert await roles.forget() == 300 + 100 + 3000 - KEPT
    left = await roles.do("owner", "SELECT object_name, actor_id, count(*) AS n FROM audit GROUP BY 1, 2")
    numbers = {(row.object_name, row.actor_id): row.n for row in left}
    assert {key: n for key, n in numbers.items() if key[0] != "flood"} == {
        (name, actor): n for name, n in (("before", 150), ("today", 50)) for actor in ("ada", "bob")
    }, "pushed out by a flood"


async def test_a_flood_by_many_names_pushes_out_nothing_of_other_days(roles: Roles) -> None:
    for days in range(1, 7):
        await roles.write(f"before{days}", now() - timedelta(days=days), 100, 1)
    names = [f"made-up-{number}" for number in range(300)]
    await roles.do(API, ACCOUNTS, names=names)
    flood = FLOOD.replace("ARRAY['ada', 'bob']", "CAST(:names AS text[])").replace("1500", "5")
    await roles.do(API, flood, names=names)
    assert await roles.forget() == 6 * 100 + 5 * 300 - KEPT
    ((left,),) = await roles.do("owner", "SELECT count(*) FROM audit WHERE object_name LIKE 'before%'")
    assert left == 6 * 100, "pushed out by names that were made up"


async def test_a_day_is_as_long_for_every_caller(roles: Roles) -> None:
    await roles.write("young", now() - timedelta(days=DAYS - 1), 100, 1)
    async with roles.engines[JOBS].begin() as connection:
        change = (now().timetuple().tm_yday - DAYS + 1) % 365  # when its clocks go two weeks ahead, and back
        await connection.execute(text(f"SET TimeZone = 'AAA+167BBB-167,{change},{change}'"))
        assert await connection.scalar(text("SELECT audit_forget_old()")) == 0


async def test_what_was_refused_goes_first_on_however_many_days_it_was(roles: Roles) -> None:
    today = now().replace(hour=0, minute=0, second=0, microsecond=0)
    await roles.write("done", today - timedelta(days=1), 400, 1)
    for days in range(1, 8):
        await roles.write(f"denied{days}", today - timedelta(days=days), 120, 1, "denied")
    assert await roles.forget() == 400 + 7 * 120 - KEPT
    ((left,),) = await roles.do("owner", "SELECT count(*) FROM audit WHERE outcome = 'done'")
    assert left == 400, "pushed out by what was refused"


async def test_what_is_forgotten_is_found_by_its_time_among_many(roles: Roles) -> None:
    many = 60_000
    await roles.write("r", now() - timedelta(days=DAYS + 1), many, 14.4)
    engine = roles.engines["owner"].execution_options(isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text("VACUUM ANALYZE audit"))
        old = await connection.scalar(text("SELECT prosrc FROM pg_proc WHERE proname = 'audit_forget_old'"))
        plan = "\n".join((await connection.scalars(text(f"EXPLAIN {old}"))).all())
        assert "Seq Scan on audit" not in plan, f"all rows are read for the few that are old:\n{plan}"
        too_many = await connection.scalar(text("SELECT prosrc FROM pg_proc WHERE proname = 'audit_forget_too_many'"))
        (counted,) = re.findall(r"SELECT true FROM audit [^)]*", str(too_many))
        plan = "\n".join((await connection.scalars(text(f"EXPLAIN {counted}"))).all())
        assert "Index Only Scan using ix_audit_at" in plan, plan


async def test_an_upgraded_database_lets_services_write_the_audit_by_the_function_alone(roles: Roles) -> None:
    async with roles.engines["owner"].begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "0014"))
        for statement in (
            "CREATE FUNCTION audit_count_again(row_id text) RETURNS void LANGUAGE sql AS ''",
            "CREATE FUNCTION audit_forget_of(actor text, most int, only_refused boolean) RETURNS bigint "
            "LANGUAGE sql AS 'SELECT 1::bigint'",
            f"GRANT INSERT ON audit TO {API}",
            f"GRANT SELECT ON audit TO {JOBS}",
        ):
            await connection.execute(text(statement))
    await ensure_tables(roles.engines["owner"], roles.settings)
    functions = await roles.do("owner", "SELECT proname FROM pg_proc WHERE proname LIKE 'audit\\_%' ORDER BY 1")
    assert [row[0] for row in functions] == ["audit_add", "audit_forget_old", "audit_forget_too_many"]
    for role, right in ((API, "INSERT"), (JOBS, "SELECT")):
        ((held,),) = await roles.do("owner", f"SELECT has_any_column_privilege('{role}', 'audit', '{right}')")
        assert not held, f"{role} still holds {right}"


async def test_the_columns_of_the_audit_are_one_list(roles: Roles) -> None:
    """They stand with the row, with who adds it, and with the function, which takes them in the order of the call."""
    asked = "SELECT proargnames FROM pg_proc WHERE oid = CAST('audit_add' AS regproc)"
    async with roles.engines["owner"].connect() as connection:
        arguments = await connection.scalar(text(asked))
    columns = [column.name for column in AuditRow.__table__.columns if column.name not in ("id", "at")]
    assert list(_TOLD) == columns, "the repository hands other columns to `audit_add` than a row has"
    assert arguments == [*_TOLD, "once_a_minute"], "`audit_add` takes other columns than it is called with"
