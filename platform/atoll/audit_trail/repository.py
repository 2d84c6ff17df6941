"""Every query about the rows themselves; with the accounts of their actors the domain `audit` reads them."""

from collections.abc import Sequence

from sqlalchemy import column, func, null, select, type_coerce
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.models import AuditRow

# As `audit_add` takes them; id and time are of its own making.
_TOLD = (
    "actor_id", "actor_name", "action", "object_kind", "object_id", "object_name", "outcome", "address", "request_id",
    "details",
)  # fmt: skip


class AuditTrailRepository:
    """What was written down, whoever did it; the owner of the table does it (`atoll.audit_trail.functions`)."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, row: AuditRow, *, once_a_minute: str | None = None) -> None:
        """Add the row; of those that have `once_a_minute` the first of a minute is one, and counts the others."""
        told = (type_coerce(getattr(row, name), AuditRow.__table__.c[name].type) for name in _TOLD)
        await self._session.execute(select(func.audit_add(*told, once_a_minute)))

    async def add_all(self, rows: Sequence[AuditRow]) -> None:
        """Add many rows by one question."""
        table = AuditRow.__table__
        sent = func.jsonb_to_recordset(
            type_coerce([{name: getattr(row, name) for name in _TOLD} for row in rows], JSONB)
        ).table_valued(*(column(name, table.c[name].type) for name in _TOLD))
        told = sent.render_derived(name="told", with_types=True)
        added = func.audit_add(*(told.c[name] for name in _TOLD), null())
        await self._session.execute(select(func.count(added)))

    async def forget_old(self) -> int:
        """Remove some rows that are older than they are kept; their number."""
        return await self._session.scalar(select(func.audit_forget_old())) or 0

    async def forget_too_many(self) -> int:
        """Remove some rows while there are more than are kept; their number."""
        return await self._session.scalar(select(func.audit_forget_too_many())) or 0
