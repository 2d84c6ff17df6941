"""Rows of the audit as they come in the course of years, which no service may write."""

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from atoll.audit_trail.models import AuditRow
from atoll.database.connection import Sessions
from atoll.database.identifiers import first_id
from sqlalchemy import insert

from tests.unit.platform.people import portal

__all__ = ["portal"]


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


async def write(sessions: Sessions, rows: Sequence[dict[str, Any]]) -> None:
    """Put them there."""
    async with sessions() as session, session.begin():
        await session.execute(insert(AuditRow), rows)


def minutes(number: float) -> timedelta:
    """So many."""
    return timedelta(minutes=number)
