"""Every query about the rows themselves; with the accounts of their actors the domain `audit` reads them."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.models import AuditRow


class AuditTrailRepository:
    """What was written down, whoever did it."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def forget(self, *, before: datetime, keep: int, at_once: int) -> int:
        """Remove rows that are older than `before` or not among the `keep` newest; the number of them."""
        newest = select(AuditRow.id).order_by(AuditRow.id.desc())
        beyond = await self._session.scalar(newest.offset(keep).limit(1))
        # Ids are sorted by time: the oldest stand first, so that a batch ends where the young begin.
        oldest = select(AuditRow.id, AuditRow.at).order_by(AuditRow.id).limit(at_once)
        found = (await self._session.execute(oldest)).all()
        gone = [row.id for row in found if row.at < before or (beyond is not None and row.id <= beyond)]
        await self._session.execute(delete(AuditRow).where(AuditRow.id.in_(gone)))
        return len(gone)
