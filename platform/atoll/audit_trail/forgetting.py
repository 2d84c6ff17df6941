"""Forgetting who did what: after the time that is configured, and when the rows are too many.

Of too many, rows of whoever has most of them go, the oldest first, so that nobody pushes out what others did: of those
that were refused or failed, while these are more than a tenth of what is kept, else of all. Sign-ins that failed are
nobody's: of these one address pushes out what it did itself.
"""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.repository import AuditTrailRepository
from atoll.configuration import Configuration
from atoll.database.base import now

AT_ONCE = 2000
OF_ALL_REFUSED = 10


async def forget(session: AsyncSession, configuration: Configuration) -> bool:
    """Remove some of the rows that are old or too many; more are left where these were as many as are taken at once."""
    rows = AuditTrailRepository(session)
    settings = configuration.audit
    before = now() - timedelta(days=settings.retention_days)
    if await rows.forget_old(before, AT_ONCE) == AT_ONCE:
        return True
    if not await rows.are_more_than(settings.rows):
        return False
    found = await rows.of_actors()
    beyond = sum(each.rows for each in found) - settings.rows
    beyond_refused = sum(each.refused for each in found) - settings.rows // OF_ALL_REFUSED
    if beyond_refused > 0:
        actor = max(found, key=lambda each: each.refused).actor_id
        await rows.forget_of(actor, max(0, min(beyond, beyond_refused, AT_ONCE)), refused=True)
    else:
        actor = max(found, key=lambda each: each.rows).actor_id
        await rows.forget_of(actor, max(0, min(beyond, AT_ONCE)), refused=False)
    return True
