"""Reading the audit."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit.schemas import AuditRecord
from atoll.audit_trail.models import AuditRow
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class AuditService:
    """What was done, newest first; the route lets only holders of audit:read in."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def list(self, *, actor: str | None, action: str | None, limit: int, cursor: str | None) -> Page[AuditRecord]:
        """One page."""
        query = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit + 1)
        if (after := decode(cursor)) is not None:
            query = query.where(AuditRow.id < after)
        if actor is not None:
            query = query.where(AuditRow.actor_name == actor)
        if action is not None:
            query = query.where(AuditRow.action == action)
        rows, following = cut((await self._session.scalars(query)).all(), limit, lambda row: row.id)
        return Page(items=[AuditRecord.model_validate(row) for row in rows], next_cursor=following)
