"""What a handler of operations is given, and how it ends.

A handler does the work of one kind: `async def handler(work: Work) -> dict[str, Any] | None`; what it returns is the
operation's result. It is called anew when the process that called it ended. Then `work.checkpoint` is what it stored
last; a kind that is not `resumable` is failed instead. So that nothing is done twice:

* what it writes to the database it writes in `work.transaction()`, which is the holder's or nobody's, and stores its
  checkpoint in the same transaction;
* what it does elsewhere it makes repeatable: named by `work.id`, marked by `work.fence`, which only ever grows.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.operations.models import OperationRow, OperationState
from atoll.web.codes import ReasonCode

Part = TypeVar("Part")


class Cancelled(Exception):
    """The owner does not want it any more; raised where the handler looks, and best not caught by it."""


class Failed(Exception):
    """It cannot be done; `reason` is what its owner is told."""

    def __init__(self, reason: ReasonCode) -> None:
        super().__init__(reason.text)
        self.reason = reason


class Owner(Protocol):
    """Whose operation it is."""

    @property
    def name(self) -> Any:
        """The user's name, which is also the name of the home."""

    @property
    def uid(self) -> Any:
        """The uid."""


class Hold(Protocol):
    """A transaction in which the row is locked and ours."""

    def __call__(self) -> AbstractAsyncContextManager[tuple[AsyncSession, OperationRow]]:
        """Raises ClaimLost."""


class Work:
    """One attempt at an operation."""

    def __init__(self, row: OperationRow, fence: int, hold: Hold, parts: Mapping[type[Any], Any]) -> None:
        self.id = row.id
        self.owner: Owner = row.owner
        self.owner_id = row.owner_id
        self.parameters = row.parameters
        self.checkpoint = row.checkpoint
        self.attempt = row.attempts
        self.fruitless = row.fruitless
        self.started_at = row.started_at or row.created_at
        self.fence = fence
        self._hold = hold
        self._parts = parts
        self._obstacles: list[Callable[[], Exception]] = []

    def part(self, kind: type[Part]) -> Part:
        """What the process holds for all, by its class: the client of `files`, for example."""
        found: Part = self._parts[kind]
        return found

    def end_with(self, error: Callable[[], Exception]) -> None:
        """From now on `check` raises this: it was cancelled, or the claim was lost."""
        self._obstacles.append(error)

    def check(self) -> None:
        """Look whether to go on; costs nothing. Raises Cancelled, ClaimLost."""
        if self._obstacles:
            raise self._obstacles[-1]()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncSession]:
        """What is written here is written by the holder of the claim or not at all. Raises Cancelled, ClaimLost."""
        self.check()
        async with self._hold() as (session, row):
            if row.cancel_wanted and row.ending is None:
                raise Cancelled
            yield session

    async def store(
        self, checkpoint: dict[str, Any], *, progress: float | None = None, message: ReasonCode | None = None
    ) -> None:
        """Keep where to go on. Raises Cancelled, ClaimLost."""
        async with self.transaction() as session:
            await self.store_in(session, checkpoint, progress=progress, message=message)

    async def store_in(
        self,
        session: AsyncSession,
        checkpoint: dict[str, Any] | None = None,
        *,
        progress: float | None = None,
        message: ReasonCode | None = None,
    ) -> None:
        """The same, in a transaction of `transaction()`: together with what the checkpoint tells was done."""
        row = await session.get_one(OperationRow, self.id)
        if checkpoint is not None:
            if checkpoint != row.checkpoint:
                row.fruitless = row.waits = 0
            row.checkpoint = checkpoint
            self.checkpoint = checkpoint
        if progress is not None:
            row.progress = min(1.0, max(0.0, progress))
        if message is not None:
            row.message = message.reason().model_dump()

    async def last_step(self) -> None:
        """Only the end is left, and nobody cancels it any more: what is done now stays. Raises Cancelled, ClaimLost."""
        async with self.transaction() as session:
            row = await session.get_one(OperationRow, self.id)
            row.ending = OperationState.FINISHED

    async def progress(self, fraction: float, message: ReasonCode | None = None) -> None:
        """Tell how far it is, 0 to 1, and at what. Raises Cancelled, ClaimLost."""
        async with self.transaction() as session:
            await self.store_in(session, progress=fraction, message=message)
