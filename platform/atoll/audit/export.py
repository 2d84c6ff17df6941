"""The audit as a file for spreadsheet programs: of what the filters select all, or nothing."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit.codes import TooManyRecords
from atoll.audit.exporting import Export
from atoll.audit.filters import Filters
from atoll.audit.repository import AuditRepository
from atoll.audit_trail.models import AuditRow
from atoll.audit_trail.record import record
from atoll.identity.caller import Caller
from atoll.web.errors import Invalid
from atoll.web.platform import Platform

MOST_RECORDS = 100_000
AT_ONCE = 500


class AuditExport(Export):
    """Records that a caller asked for, newest first."""

    name = "audit.csv"
    head = (
        "at", "actor_name", "action", "outcome", "object_kind", "object_name", "object_id", "address", "request_id",
        "details", "id",
    )  # fmt: skip

    def __init__(self, parts: Platform, caller: Caller, filters: Filters) -> None:
        super().__init__(parts, caller)
        self._filters = filters
        self._after = ""

    async def begin(self, session: AsyncSession) -> None:
        """What is in it is older than that somebody takes it. Raises Invalid."""
        records = AuditRepository(session)
        self._after = f"{await records.newest()}0"  # what is before that is no newer
        number = await records.count(self._filters, MOST_RECORDS + 1)
        if number > MOST_RECORDS:
            raise Invalid(TooManyRecords(limit=MOST_RECORDS))
        details = {"records": number, **self._filters.told()}
        await record(
            session, self._caller, "audit.export", kind="audit", identifier="", name=self.name, details=details
        )

    async def part(self, session: AsyncSession) -> Sequence[Sequence[str]]:
        """The next records."""
        found = await AuditRepository(session).page(self._filters, limit=AT_ONCE, after=self._after)
        if found:
            self._after = found[-1][0].id
        return [_cells(row) for row, _ in found]


def _cells(row: AuditRow) -> list[str]:
    return [_told(getattr(row, column)) for column in AuditExport.head]


def _told(value: Any) -> str:
    match value:
        case str():
            return value
        case datetime():
            return value.isoformat()
        case _:
            return json.dumps(value, ensure_ascii=False) if value else ""
