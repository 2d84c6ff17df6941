"""The audit as a file for spreadsheet programs: of what the filters select all, or nothing.

It is read in parts, each by itself: whoever reads slowly keeps no connection of the database, and no more than a part
is in memory. That somebody took it is in the audit before the first byte leaves.
"""

import contextlib
import json
from collections.abc import AsyncIterator, Iterator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from atoll.audit.codes import ExportRunning, TooManyRecords
from atoll.audit.filters import Filters
from atoll.audit.repository import AuditRepository
from atoll.audit_trail.models import AuditRow
from atoll.audit_trail.record import record
from atoll.database.connection import without_transaction
from atoll.identity.caller import Caller
from atoll.web.errors import Invalid, TooMany
from atoll.web.platform import Platform
from atoll.web.spreadsheets import line, table

MOST_RECORDS = 100_000
AT_ONCE = 500
RETRY_AFTER_S = 10
COLUMNS = (
    "at", "actor_name", "action", "outcome", "object_kind", "object_name", "object_id", "address", "request_id",
    "details", "id",
)  # fmt: skip
NAME = "audit.csv"


class Exports:
    """Whose exports are under way in this process: of each user one at a time."""

    def __init__(self) -> None:
        self._users: set[str] = set()

    @contextlib.contextmanager
    def taken(self, user_id: str) -> Iterator[None]:
        """Have one. Raises TooMany."""
        if user_id in self._users:
            raise TooMany(ExportRunning(), headers={"Retry-After": str(RETRY_AFTER_S)})
        self._users.add(user_id)
        try:
            yield
        finally:
            self._users.discard(user_id)


class AuditExport(Response):
    """The answer to who asked for it; refused like any other request where there is too much of it."""

    def __init__(self, parts: Platform, caller: Caller, filters: Filters) -> None:
        super().__init__()
        self._parts, self._caller, self._filters = parts, caller, filters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it. Raises TooMany, Invalid."""
        with self._parts.part(Exports).taken(self._caller.id):
            newest = await self._begin()
            await table(NAME, COLUMNS, self._lines(newest))(scope, receive, send)

    async def _begin(self) -> str:
        """Write down who takes what; the id of the last record that is in it, which is older than that."""
        async with self._parts.sessions() as session, session.begin():
            records = AuditRepository(session)
            newest = await records.newest()
            number = await records.count(self._filters, MOST_RECORDS + 1)
            if number > MOST_RECORDS:
                raise Invalid(TooManyRecords(limit=MOST_RECORDS))
            details = {"records": number, **self._filters.told()}
            await record(session, self._caller, "audit.export", kind="audit", identifier="", name=NAME, details=details)
        return newest

    async def _lines(self, newest: str) -> AsyncIterator[str]:
        after, more = f"{newest}0", True  # what is before that is no newer
        while more:
            async with self._parts.sessions() as session:
                await without_transaction(session)
                found = await AuditRepository(session).page(self._filters, limit=AT_ONCE, after=after)
            yield "".join(line(_cells(row)) for row, _ in found)
            more = len(found) == AT_ONCE
            after = found[-1][0].id if found else after


def _cells(row: AuditRow) -> Iterator[str]:
    for column in COLUMNS:
        value = getattr(row, column)
        if column == "at":
            yield value.isoformat()
        elif column == "details":
            yield json.dumps(value, ensure_ascii=False) if value else ""
        else:
            yield value
