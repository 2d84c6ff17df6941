"""What is told when a task changes: which one and whose, so that who may not know of it need not ask for it."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.notifications import TASKS, notify
from atoll.tasks.models import TaskRow


@dataclass(frozen=True)
class Change:
    """A task that changed; its columns are read by whoever cares."""

    task_id: str
    owner_id: str


async def tell(session: AsyncSession, row: TaskRow) -> None:
    """Tell everybody who looks on, once the transaction of `session` is committed."""
    await notify(session, TASKS, f"{row.id} {row.owner_id}")


def parse(payload: str) -> Change:
    """What `tell` told."""
    task_id, _, owner_id = payload.partition(" ")
    return Change(task_id, owner_id)
