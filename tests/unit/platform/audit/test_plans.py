"""Two hundred thousand records: each filter is found by its index, and a page is there at once. On a real database."""

import re
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from atoll.audit.filters import Filters
from atoll.audit.repository import AuditRepository
from atoll.database.connection import connect, sessions
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import portal

__all__ = ["portal"]

MANY = 200_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
APART_S = 60
# Tasks of some people for the most part, by whom it was made; what is seldom is one in a thousand. Ids are of their
# moments, as `audit_add` makes them.
FILL = """
INSERT INTO audit SELECT
    (SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
        (((extract(epoch FROM at) * 1000)::bigint >> (45 - 5 * place)) & 31)::int + 1, 1), '' ORDER BY place)
     FROM generate_series(0, 9) AS place) || substr(md5(n::text), 1, 16),
    at, NULL, 'person-' || n % 300, CASE WHEN n % 1000 = 0 THEN 'role.create' WHEN n % 10 = 0 THEN 'session.create'
        ELSE 'task.create' END,
    'x', 'object-' || n, CASE WHEN n % 1000 = 1 THEN 'Seldom ' ELSE 'model ' END || n,
    CASE WHEN n % 50 = 3 THEN 'denied' WHEN n % 1000 = 4 THEN 'failed' ELSE 'done' END,
    '198.51.' || n % 200 || '.7', '', '{}'
FROM generate_series(1, :many) AS n, LATERAL (SELECT CAST(:begin AS timestamptz) + make_interval(secs => n * :apart) AS at) AS moment
"""  # noqa: E501
SECONDS = 0.5


@pytest.fixture
async def database(portal: RunningPlatform) -> AsyncIterator[AsyncEngine]:
    made = connect(portal.configuration, pool_size=1)
    async with made.begin() as connection:
        await connection.execute(text(FILL), {"many": MANY, "begin": BEGIN, "apart": APART_S})
        await connection.execute(text("ANALYZE audit"))
    yield made
    await made.dispose()


async def asked(database: AsyncEngine, filters: Filters, **more: Any) -> tuple[str, int, float]:
    """How the database finds a page, how many rows it has, and how many seconds it took."""
    found: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        found.append((statement, parameters))

    async with sessions(database)() as session:
        event.listen(database.sync_engine, "before_cursor_execute", note)
        began = time.monotonic()
        page = await AuditRepository(session).page(filters, limit=51, after=more.get("after"))
        took = time.monotonic() - began
        event.remove(database.sync_engine, "before_cursor_execute", note)
        statement, parameters = found[-1]
        connection = await session.connection()
        rows = await connection.exec_driver_sql(f"EXPLAIN {statement}", parameters)
        return "\n".join(row[0] for row in rows), len(page), took


HALF = BEGIN + timedelta(seconds=MANY * APART_S / 2)
HOUR = {"since": HALF, "until": HALF + timedelta(hours=1)}
PLANS: list[tuple[dict[str, Any], str, int]] = [
    ({}, "pk_audit", 51),
    (HOUR, "pk_audit|ix_audit_at", 51),
    ({"until": BEGIN + timedelta(minutes=30)}, "pk_audit|ix_audit_at", 29),
    ({"actor": "person-7"}, "ix_audit_actor_name_id", 51),
    ({"actor": "nobody"}, "ix_audit_actor_name_id", 0),
    ({"action": "role.create"}, "ix_audit_action_id", 51),
    ({"action": "role"}, "ix_audit_action_id", 51),
    ({"action": "nothing.done"}, "ix_audit_action_id", 0),
    ({"object": "object-77"}, "ix_audit_object_id_id", 1),
    ({"object": "seldom 1"}, "ix_audit_object_name", 51),
    ({"address": "198.51.7.7"}, "ix_audit_address_id", 51),
    ({"outcome": "failed"}, "ix_audit_not_done", 51),
    ({"outcome": "denied"}, "ix_audit_not_done", 51),
    ({"actor": "person-7", "action": "role", "outcome": "denied"}, "ix_audit_", 0),
]


async def test_each_filter_is_found_by_its_index_and_a_page_is_there_at_once(database: AsyncEngine) -> None:
    for filters, index, wanted in PLANS:
        told, number, took = await asked(database, Filters(**filters))
        assert re.search(index, told), f"{filters}: {told}"
        assert "Seq Scan on audit" not in told, f"{filters}: all records are read: {told}"
        assert number == wanted, filters
        assert took < SECONDS, f"{filters}: {took:.2f} s"
    # Deep in the list it is as quick as at its begin.
    async with sessions(database)() as session:
        middle = (await AuditRepository(session).page(Filters(until=HALF), limit=1, after=None))[0][0].id
    told, number, took = await asked(database, Filters(), after=middle)
    assert ("pk_audit" in told, number) == (True, 51), told
    assert took < SECONDS
    # Names and numbers, too, are found without reading all.
    async with sessions(database)() as session:
        records = AuditRepository(session)
        began = time.monotonic()
        assert await records.names("person-29", 40) == ["person-29", *(f"person-29{n}" for n in range(10))]
        assert len(await records.names("p", 40)) == 40
        assert await records.names("x", 40) == []
        assert await records.count(Filters(), 100_001) == 100_001
        assert await records.count(Filters(actor="person-7"), 100_001) == len(range(7, MANY + 1, 300))
        assert time.monotonic() - began < 5 * SECONDS
