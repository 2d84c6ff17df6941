"""PostgreSQL's NOTIFY as the wire between processes: a hint that something changed, never the data itself."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterable

import asyncpg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.database.connection import connected, tls, url

TASKS = "atoll_tasks"
DUE = "atoll_due"
OPERATIONS = "atoll_operations"
SESSIONS_ENDED = "atoll_sessions_ended"
PAUSE_S = 1.0
LOOK_EVERY_S = 15.0
ANSWER_S = 5.0
_UNREACHABLE = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)

log = logging.getLogger(__name__)


async def notify(session: AsyncSession, channel: str, payload: str) -> None:
    """Tell listeners, once the transaction of `session` is committed."""
    await session.execute(text("SELECT pg_notify(:channel, :payload)"), {"channel": channel, "payload": payload})


class Listener:
    """One connection that listens; subscribers get payloads, and `None` after a gap in which some may be lost."""

    def __init__(self, configuration: Configuration, channels: Iterable[str]) -> None:
        self._configuration = configuration
        self._subscribers: dict[str, set[asyncio.Queue[str | None]]] = {channel: set() for channel in channels}

    @contextlib.asynccontextmanager
    async def subscribe(self, channel: str) -> AsyncIterator[asyncio.Queue[str | None]]:
        """A queue of payloads of `channel`."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(maxsize=1000)
        self._subscribers[channel].add(queue)
        try:
            yield queue
        finally:
            self._subscribers[channel].discard(queue)

    async def run(self) -> None:
        """Listen until cancelled; a lost connection is made again."""
        while True:
            try:
                await self._listen()
                log.warning("the connection that listens to the database was lost")
            except _UNREACHABLE as error:
                log.warning("cannot listen to the database, trying again: %s", str(error) or type(error).__name__)
            await asyncio.sleep(PAUSE_S)

    async def _listen(self) -> None:
        """Pass on what is heard until the connection ends."""
        where = url(self._configuration)
        connection = await connected(
            host=where.query.get("host") or where.host,
            port=where.port or self._configuration.database.port,
            user=where.username,
            password=where.password,
            database=where.database,
            timeout=ANSWER_S,
            ssl=tls(self._configuration) or False,
        )
        closed = asyncio.Event()
        try:
            connection.add_termination_listener(lambda _connection: closed.set())
            for channel in self._subscribers:
                await connection.add_listener(channel, self._heard)
            for channel in self._subscribers:
                self._pass_on(channel, None)
            while not closed.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY_S):
                        await closed.wait()
                if not closed.is_set():
                    # Who only listens never learns that the other side is gone.
                    await connection.execute("SELECT 1", timeout=ANSWER_S)
        finally:
            with contextlib.suppress(*_UNREACHABLE):
                await connection.close(timeout=2)

    def _heard(self, _connection: object, _process: int, channel: str, payload: object) -> None:
        self._pass_on(channel, str(payload))

    def _pass_on(self, channel: str, payload: str | None) -> None:
        for queue in self._subscribers[channel]:
            if queue.full():  # a subscriber that is too slow reads everything again
                while not queue.empty():
                    queue.get_nowait()
                payload = None
            queue.put_nowait(payload)
