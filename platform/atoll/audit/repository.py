"""Queries about who did what."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Boolean, ColumnElement, func, literal_column, or_, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit.filters import Filters
from atoll.audit_trail.models import AuditRow
from atoll.database.identifiers import first_id
from atoll.identity.models import UserRow
from atoll.identity.repository import holding

Found = Sequence[tuple[AuditRow, UserRow | None]]
# A row's id is of the moment at which it was written, or, of what is a row a minute, of that minute's begin. With room
# for clocks of before, which a process read twice.
_IDS_APART = timedelta(minutes=2)
# Each name is found behind the one before, whoever has however many records between them.
_NAMES = text("""
WITH RECURSIVE names AS (
    (SELECT actor_name FROM audit WHERE actor_name LIKE :pattern ORDER BY actor_name USING ~<~ LIMIT 1)
    UNION ALL
    SELECT (
        SELECT actor_name FROM audit WHERE actor_name LIKE :pattern AND actor_name ~>~ names.actor_name
        ORDER BY actor_name USING ~<~ LIMIT 1
    )
    FROM names WHERE names.actor_name IS NOT NULL
)
SELECT actor_name FROM names WHERE actor_name IS NOT NULL LIMIT :most
""")


class AuditRepository:
    """The audit trail with the accounts as they are now; everything, since only holders of audit:read get here."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def page(self, filters: Filters, *, limit: int, after: str | None) -> Found:
        """Records with their actors, newest first."""
        query = select(AuditRow, UserRow).join(UserRow, UserRow.id == AuditRow.actor_id, isouter=True)
        query = query.where(*_selected(filters)).order_by(AuditRow.id.desc()).limit(limit)
        if after is not None:
            query = query.where(AuditRow.id < after)
        return [(row[0], row[1]) for row in (await self._session.execute(query)).all()]

    async def one(self, record_id: str) -> tuple[AuditRow, UserRow | None] | None:
        """One record with its actor."""
        query = select(AuditRow, UserRow).join(UserRow, UserRow.id == AuditRow.actor_id, isouter=True)
        found = (await self._session.execute(query.where(AuditRow.id == record_id))).first()
        return None if found is None else (found[0], found[1])

    async def count(self, filters: Filters, most: int) -> int:
        """How many there are; no more than `most` are counted."""
        some = select(AuditRow.id).where(*_selected(filters)).limit(most).subquery()
        return await self._session.scalar(select(func.count()).select_from(some)) or 0

    async def newest(self) -> str:
        """The id of the newest record; empty while there is none."""
        return await self._session.scalar(select(func.max(AuditRow.id))) or ""

    async def accounts(self, words: str, limit: int) -> Sequence[UserRow]:
        """Accounts, also those that were deleted, with all `words` in their names."""
        query = select(UserRow).order_by(UserRow.name).limit(limit)
        query = query.where(*holding(words, UserRow.name, UserRow.nickname))
        return (await self._session.scalars(query)).all()

    async def names(self, begin: str, limit: int) -> Sequence[str]:
        """Names of actors that begin so, in order; also of those who have no account."""
        escaped = begin.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        found = await self._session.execute(_NAMES, {"pattern": f"{escaped}%", "most": limit})
        return [row[0] for row in found]


def _selected(filters: Filters) -> list[ColumnElement[bool]]:
    """What holds of the records that the filters select."""
    row, found = AuditRow, []
    if filters.since is not None:
        found += [row.at >= filters.since, row.id >= first_id(filters.since - _IDS_APART)]
    if filters.until is not None:
        found += [row.at < filters.until, row.id < first_id(filters.until + _IDS_APART)]
    if filters.actor is not None:
        found.append(row.actor_name == filters.actor)
    if filters.action is not None:
        begins = row.action.startswith(f"{filters.action}.", autoescape=True)
        found.append(row.action == filters.action if "." in filters.action else begins)
    if filters.object is not None:
        begins = func.lower(row.object_name).startswith(filters.object.lower(), autoescape=True)
        found.append(or_(row.object_id == filters.object, begins))
    if filters.outcome is not None:
        found.append(row.outcome == filters.outcome)
        if filters.outcome != "done":
            found.append(literal_column("outcome <> 'done'", Boolean))  # as the index says it
    if filters.address is not None:
        found.append(row.address == filters.address)
    return found
