"""Rows of the audit as they come in the course of years, which no service may write."""

import random
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from atoll.audit_trail.models import AuditRow
from atoll.database.connection import Sessions, connect, sessions
from atoll.database.identifiers import first_id
from sqlalchemy import insert

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import portal

__all__ = ["portal"]

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
async def opened(portal: RunningPlatform) -> AsyncIterator[Sessions]:
    """Sessions of the platform's database, as the API has them."""
    database = connect(portal.configuration, pool_size=1)
    yield sessions(database)
    await database.dispose()


def row(at: datetime, **more: Any) -> dict[str, Any]:
    """A row of that moment."""
    usual = {
        **{"actor_id": None, "actor_name": "ada", "action": "task.create", "object_kind": "task", "object_id": ""},
        **{"object_name": "", "outcome": "done", "address": "198.51.100.7", "request_id": "", "details": {}},
    }
    return {"id": an_id(at), "at": at, **usual, **more}


def an_id(at: datetime) -> str:
    """Of that moment, and else by chance."""
    return first_id(at)[:10] + "".join(random.choices("0123456789abcdefghjkmnpqrstvwxyz", k=16))


async def write(opened: Sessions, rows: Sequence[dict[str, Any]]) -> None:
    """Put them there."""
    async with opened() as session, session.begin():
        await session.execute(insert(AuditRow), rows)


def minutes(number: float) -> timedelta:
    """So many."""
    return timedelta(minutes=number)
