"""Forgetting who did what: after the time that is configured, and when the rows are too many.

Of too many, rows of the day with most of them go, and of that day those of whoever has most: so nobody pushes out what
others did, nor what was done on other days. Of a day with more than three rows of one actor, what was first and what
was last stays; a flood loses its own. Rows that were refused or failed go before others while they are more than a
tenth of what is kept. Sign-ins that failed are nobody's.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.repository import AuditTrailRepository
from atoll.configuration import Configuration


async def forget(session: AsyncSession, _configuration: Configuration) -> bool:
    """Remove some of the rows that are old or else too many; more may be left where some were."""
    rows = AuditTrailRepository(session)
    return await rows.forget_old() > 0 or await rows.forget_too_many() > 0
