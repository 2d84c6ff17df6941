"""Forgetting tasks: removed ones after the time that is configured, and those that are too many of one user.

Of too many, removed ones go before those on the lists, and of each the oldest. Attempts, replicas and events go with
their task; what it wrote is in its owner's home and stays there. One that has not ended, or is still worked on, stays.
"""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.tasks.repository import TaskRepository

AT_ONCE = 500
# By then nothing of it turns up at the engine: a process that lost its claim may submit an attempt late (`adopt`).
SETTLED = timedelta(days=1)


async def forget(session: AsyncSession, configuration: Configuration) -> bool:
    """Remove some of the tasks that are to be forgotten; more may be left where some were."""
    tasks, settings = TaskRepository(session), configuration.tasks
    removed_before = now() - timedelta(days=settings.removed_retention_days)
    return (
        await tasks.forget_removed(removed_before, AT_ONCE) > 0
        or await tasks.forget_too_many(settings.kept_per_user, now() - SETTLED, AT_ONCE) > 0
    )
