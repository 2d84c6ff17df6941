"""The live view: every change of an operation that the caller may see, as it happens."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from sse_starlette import ServerSentEvent

from atoll.database.connection import Sessions
from atoll.database.notifications import OPERATIONS, Listener
from atoll.identity.caller import Caller
from atoll.operations.policy import OPERATIONS_READ_ALL
from atoll.operations.repository import OperationRepository
from atoll.operations.service import view
from atoll.web.events import event


@dataclass
class LiveOperations:
    """One viewer."""

    listener: Listener
    sessions: Sessions
    caller: Caller
    everybody: bool

    def __post_init__(self) -> None:
        if self.everybody:
            self.caller.require(OPERATIONS_READ_ALL)

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """`hello` at first and after every gap, then `operation`. Foreign ones cost no query."""
        async with self.listener.subscribe(OPERATIONS) as queue:
            yield event("hello")
            while True:
                payload = await queue.get()
                if payload is None:
                    yield event("hello")
                    continue
                owner_id, _, operation_id = payload.partition(" ")
                if not (self.everybody or owner_id == self.caller.id):
                    continue
                async with self.sessions() as session:
                    row = await OperationRepository(session).get(self.caller, operation_id)
                if row is not None:
                    yield event("operation", view(self.caller, row))
