"""Who works on which task: rows with an owner and an expiry, so any number of replicas may run and any may die."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import case, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.connection import Sessions
from atoll.tasks.models import AttemptRow, TaskRow

LEASE = timedelta(seconds=60)


class ClaimLost(Exception):
    """The lease expired while the work was done and another replica took over."""


@dataclass(frozen=True)
class Claim:
    """A task that is ours until the lease ends. `due_at` tells whether it became due again meanwhile."""

    task_id: str
    due_at: datetime


async def claim(sessions: Sessions, owner: str) -> Claim | None:
    """The task that has been due longest, None when there is none."""
    async with sessions() as session, session.begin():
        due = (
            select(TaskRow.id)
            .where(
                TaskRow.due_at <= func.now(),
                or_(TaskRow.lock_expires_at.is_(None), TaskRow.lock_expires_at < func.now()),
            )
            .order_by(TaskRow.due_at)
            .limit(1)
            .with_for_update(skip_locked=True)
            .scalar_subquery()
        )
        statement = (
            update(TaskRow)
            .where(TaskRow.id == due)
            .values(lock_owner=owner, lock_expires_at=func.now() + LEASE)
            .returning(TaskRow.id, TaskRow.due_at)
            .execution_options(synchronize_session=False)
        )
        row = (await session.execute(statement)).first()
    return None if row is None or row[1] is None else Claim(row[0], row[1])


async def release(sessions: Sessions, claimed: Claim, owner: str, next_due: datetime | None) -> None:
    """Give it back; a wake-up that came meanwhile wins over `next_due`."""
    async with sessions() as session, session.begin():
        await session.execute(
            update(TaskRow)
            .where(TaskRow.id == claimed.task_id, TaskRow.lock_owner == owner)
            .values(
                lock_owner=None,
                lock_expires_at=None,
                due_at=case((TaskRow.due_at == claimed.due_at, next_due), else_=TaskRow.due_at),
            )
            .execution_options(synchronize_session=False)
        )


async def wake(sessions: Sessions, attempt_id: str) -> None:
    """The task of an attempt is due now."""
    async with sessions() as session, session.begin():
        await session.execute(
            update(TaskRow)
            .where(TaskRow.id == select(AttemptRow.task_id).where(AttemptRow.id == attempt_id).scalar_subquery())
            .values(due_at=func.clock_timestamp())
            .execution_options(synchronize_session=False)
        )


async def next_due(sessions: Sessions) -> datetime | None:
    """When the next task becomes due or its lease ends."""
    async with sessions() as session:
        moment: datetime | None = await session.scalar(
            select(func.min(func.greatest(TaskRow.due_at, TaskRow.lock_expires_at))).where(TaskRow.due_at.is_not(None))
        )
        return moment


async def hold(session: AsyncSession, claimed: Claim, owner: str) -> TaskRow:
    """The row, locked until the transaction of `session` ends. Raises ClaimLost."""
    row: TaskRow | None = await session.scalar(
        select(TaskRow).where(TaskRow.id == claimed.task_id, TaskRow.lock_owner == owner).with_for_update(of=TaskRow)
    )
    if row is None:
        raise ClaimLost(claimed.task_id)
    return row
