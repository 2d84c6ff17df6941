"""The live view: every change of an operation that the caller may see, as it happens."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession
from sse_starlette import ServerSentEvent

from atoll.database.notifications import OPERATIONS
from atoll.identity.caller import Caller
from atoll.operations.models import OperationRow
from atoll.operations.policy import OPERATIONS_READ_ALL
from atoll.operations.repository import OperationRepository, parse
from atoll.operations.service import view
from atoll.web.audience import Audience
from atoll.web.events import event
from atoll.web.platform import Platform


class OperationAudience(Audience[OperationRow]):
    """All viewers of this process."""

    channel = OPERATIONS

    async def read(self, session: AsyncSession, payload: str) -> OperationRow | None:
        """The operation; none where another owner is told than its own: anybody may tell."""
        change = parse(payload)
        row = await OperationRepository(session).of_anybody(change.operation_id)
        return row if row is not None and row.owner_id == change.owner_id else None


@dataclass
class LiveOperations:
    """One viewer."""

    parts: Platform
    caller: Caller
    everybody: bool

    def __post_init__(self) -> None:
        if self.everybody:
            self.caller.require(OPERATIONS_READ_ALL)

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """`hello` at first and after every gap, then `operation`. Those of others cost no query."""
        audience = self.parts.part(OperationAudience)
        async with audience.look_on(self.parts.listener, self.parts.sessions, self._concerned) as changed:
            yield event("hello")
            while True:
                row = await changed.get()
                yield event("hello") if row is None else event("operation", view(self.caller, row))

    def _concerned(self, payload: str) -> bool:
        return self.everybody or parse(payload).owner_id == self.caller.id
