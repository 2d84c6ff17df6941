"""Forgetting operations: after the time that is configured, and the oldest of whoever has too many; files stay."""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.operations.repository import OperationRepository

AT_ONCE = 500
STILL_COUNTED = timedelta(hours=1)  # by `web/pace.py`, that is, and somebody may look for what just ended


async def forget(session: AsyncSession, configuration: Configuration) -> bool:
    """Remove some of those that are to be forgotten; more may be left where some were."""
    operations, settings = OperationRepository(session), configuration.operations
    return (
        await operations.forget(now() - timedelta(days=settings.retention_days), AT_ONCE) > 0
        or await operations.forget_too_many(settings.kept_per_user, now() - STILL_COUNTED, AT_ONCE) > 0
    )
