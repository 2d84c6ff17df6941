"""Tables that somebody takes along: of each user one at a time, and written down before the first byte leaves.

They are read in parts, each by itself: whoever reads slowly keeps no connection of the database, and no more than a
part is in memory.
"""

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import ClassVar

from sqlalchemy.ext.asyncio import AsyncSession
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from atoll.audit.codes import ExportRunning
from atoll.database.connection import without_transaction
from atoll.identity.caller import Caller
from atoll.web.errors import TooMany
from atoll.web.platform import Platform
from atoll.web.spreadsheets import line, table

RETRY_AFTER_S = 10


class Exports:
    """Whose exports are under way in this process."""

    def __init__(self) -> None:
        self._users: set[str] = set()

    @contextlib.contextmanager
    def taken(self, user_id: str) -> Iterator[None]:
        """Have one. Raises TooMany."""
        if user_id in self._users:
            raise TooMany(ExportRunning(), headers={"Retry-After": str(RETRY_AFTER_S)})
        self._users.add(user_id)
        try:
            yield
        finally:
            self._users.discard(user_id)


class Export(Response):
    """The answer to who asked for one; refused like any other request where there is one already, or too much of it."""

    name: ClassVar[str]  # of the file
    head: ClassVar[Sequence[str]]

    def __init__(self, parts: Platform, caller: Caller) -> None:
        super().__init__()
        self._parts, self._caller = parts, caller

    async def begin(self, session: AsyncSession) -> None:
        """Judge it, and write down who takes what. Raises ApiError for what cannot be taken."""
        raise NotImplementedError

    async def part(self, session: AsyncSession) -> Sequence[Sequence[str]]:
        """The next lines, none behind the last."""
        raise NotImplementedError

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it. Raises TooMany, and what `begin` raises."""
        with self._parts.part(Exports).taken(self._caller.id):
            async with self._parts.sessions() as session, session.begin():
                await self.begin(session)
            await table(self.name, self.head, self._lines())(scope, receive, send)

    async def _lines(self) -> AsyncIterator[str]:
        while True:
            async with self._parts.sessions() as session:
                await without_transaction(session)
                found = await self.part(session)
            if not found:
                return
            yield "".join(map(line, found))
