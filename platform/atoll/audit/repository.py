"""Queries about who did what."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.models import AuditRow
from atoll.identity.models import UserRow


class AuditRepository:
    """The audit trail with the accounts as they are now; everything, since only holders of audit:read get here."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def page(
        self, *, actor: str | None, action: str | None, limit: int, after: str | None
    ) -> Sequence[tuple[AuditRow, UserRow | None]]:
        """Records with their actors, newest first."""
        query = (
            select(AuditRow, UserRow)
            .join(UserRow, UserRow.id == AuditRow.actor_id, isouter=True)
            .order_by(AuditRow.id.desc())
            .limit(limit)
        )
        if after is not None:
            query = query.where(AuditRow.id < after)
        if actor is not None:
            query = query.where(AuditRow.actor_name == actor)
        if action is not None:
            query = query.where(AuditRow.action == action)
        return [(row[0], row[1]) for row in (await self._session.execute(query)).all()]
