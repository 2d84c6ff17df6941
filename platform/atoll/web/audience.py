"""Who looks on while rows change: each change is read once for all of them, however many there are."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from typing import ClassVar, Generic, TypeVar

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.connection import Sessions
from atoll.database.notifications import Listener

MOST_WAITING = 1000
Row = TypeVar("Row")
log = structlog.get_logger(__name__)


class Audience(ABC, Generic[Row]):
    """Everybody in this process who looks on at one channel. Who may be told of a change is judged by its payload."""

    channel: ClassVar[str]

    def __init__(self) -> None:
        self._seats: dict[asyncio.Queue[Row | None], Callable[[str], bool]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._listens = asyncio.Event()

    @abstractmethod
    async def read(self, session: AsyncSession, payload: str) -> Row | None:
        """What a change is about, whosever it is; None where there is nothing to tell."""

    @contextlib.asynccontextmanager
    async def look_on(
        self, listener: Listener, sessions: Sessions, concerned: Callable[[str], bool]
    ) -> AsyncIterator[asyncio.Queue[Row | None]]:
        """A queue of what changes with a payload that one is `concerned` by, and None after a gap."""
        queue: asyncio.Queue[Row | None] = asyncio.Queue(maxsize=MOST_WAITING)
        self._seats[queue] = concerned
        try:
            if self._reading is None:
                self._listens = asyncio.Event()
                self._reading = asyncio.create_task(self._follow(listener, sessions, self._listens))
            await self._listens.wait()
            yield queue
        finally:
            del self._seats[queue]
            if not self._seats and self._reading is not None:
                reading, self._reading = self._reading, None
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)

    async def _follow(self, listener: Listener, sessions: Sessions, listens: asyncio.Event) -> None:
        async with listener.subscribe(self.channel) as told:
            listens.set()
            while True:
                waiting = [await told.get()]
                while not told.empty():
                    waiting.append(told.get_nowait())
                for payload in dict.fromkeys(waiting):  # what changed twice by now is read once
                    await self._tell(sessions, payload)

    async def _tell(self, sessions: Sessions, payload: str | None) -> None:
        row: Row | None = None
        told = [queue for queue, concerned in self._seats.items() if payload is None or concerned(payload)]
        if payload is not None and told:
            try:
                async with sessions() as session:
                    row = await self.read(session, payload)
            except Exception:  # whatever it is, the view of nobody may end in silence: they are told of a gap
                log.exception("a change cannot be told", channel=self.channel)
            else:
                if row is None:
                    return
        for queue in told:
            if queue.full():  # one who is too slow reads everything again
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)
            else:
                queue.put_nowait(row)
