"""The live view: every change of a task that the caller may see, as it happens."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sse_starlette import ServerSentEvent

from atoll.database.notifications import TASKS
from atoll.identity.caller import Caller
from atoll.tasks import views
from atoll.tasks.changes import parse
from atoll.tasks.policy import TASKS_READ_ALL
from atoll.tasks.repository import TaskRepository
from atoll.tasks.schemas import StateChanged
from atoll.web.events import event
from atoll.web.platform import Platform


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
        """`hello` at first and after every gap, then `task` and `deleted`."""
        async with self.parts.listener.subscribe(TASKS) as queue:
            yield event("hello")
            while True:
                told = await queue.get()
                if told is None:
                    yield event("hello")
                    continue
                change = parse(told)
                if not (self.everybody or change.owner_id == self.caller.id):
                    continue
                async with self.parts.sessions() as session:
                    row = await TaskRepository(session).of_anybody(change.task_id)
                if row is None:
                    continue
                if row.deleted_at is not None:
                    yield event("deleted", StateChanged(id=row.id))
                else:
                    yield event("task", views.summary(self.caller, row))
