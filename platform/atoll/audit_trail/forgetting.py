"""Forgetting who did what: after the time that is configured, and when the rows are too many, the oldest first."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.models import AuditRow


async def forget(session: AsyncSession, before: datetime, most: int, at_once: int) -> int:
    """Remove rows of before then, and those beyond the newest `most`. Gives how many, at most `at_once`."""
    newest = select(AuditRow.id).order_by(AuditRow.id.desc())
    beyond = await session.scalar(newest.offset(most).limit(1))
    # Ids are sorted by time: the oldest stand first, so that a batch ends where the young begin.
    oldest = select(AuditRow.id, AuditRow.at).order_by(AuditRow.id).limit(at_once)
    found = (await session.execute(oldest)).all()
    gone = [row.id for row in found if row.at < before or (beyond is not None and row.id <= beyond)]
    await session.execute(delete(AuditRow).where(AuditRow.id.in_(gone)))
    return len(gone)
