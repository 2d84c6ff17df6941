"""The live view: every change of a task that the caller may see, as it happens."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession
from sse_starlette import ServerSentEvent

from atoll.database.notifications import TASKS
from atoll.identity.caller import Caller
from atoll.tasks import views
from atoll.tasks.changes import parse
from atoll.tasks.models import TaskRow
from atoll.tasks.policy import TASKS_READ_ALL
from atoll.tasks.repository import TaskRepository
from atoll.tasks.schemas import StateChanged
from atoll.web.audience import Audience
from atoll.web.events import event
from atoll.web.platform import Platform


class TaskAudience(Audience[TaskRow]):
    """All viewers of this process."""

    channel = TASKS

    async def read(self, session: AsyncSession, payload: str) -> TaskRow | None:
        """The task, also when it was removed; none where another owner is told than its own: anybody may tell."""
        change = parse(payload)
        row = await TaskRepository(session).of_anybody(change.task_id)
        return row if row is not None and row.owner_id == change.owner_id else None


@dataclass
class LiveTasks:
    """One viewer."""

    parts: Platform
    caller: Caller
    everybody: bool

    def __post_init__(self) -> None:
        if self.everybody:
            self.caller.require(TASKS_READ_ALL)

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """`hello` at first and after every gap, then `task` and `deleted`. Tasks of others cost no query."""
        audience = self.parts.part(TaskAudience)
        async with audience.look_on(self.parts.listener, self.parts.sessions, self._concerned) as changed:
            yield event("hello")
            while True:
                row = await changed.get()
                if row is None:
                    yield event("hello")
                elif row.deleted_at is not None:
                    yield event("deleted", StateChanged(id=row.id))
                else:
                    yield event("task", views.summary(self.caller, row))

    def _concerned(self, payload: str) -> bool:
        return self.everybody or parse(payload).owner_id == self.caller.id
