"""Forgetting who did what: after the time that is configured, and when the rows are too many, the oldest first."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.repository import AuditTrailRepository
from atoll.configuration import Configuration
from atoll.database.base import now

AT_ONCE = 500


async def forget(session: AsyncSession, configuration: Configuration) -> bool:
    """Remove some of the rows that are old or too many; more are left where these were as many as are taken at once."""
    settings = configuration.audit
    before = now() - timedelta(days=settings.retention_days)
    gone = await AuditTrailRepository(session).forget(before=before, keep=settings.rows, at_once=AT_ONCE)
    return gone == AT_ONCE
