"""The log of a replica: from the engine while it lives, from shared storage otherwise. Both hold the same bytes."""

import asyncio
import codecs
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import structlog
from sse_starlette import ServerSentEvent

from atoll.database.notifications import TASKS
from atoll.engines.live_log import JobsClient, LiveLogGone
from atoll.homes.client import FilesClient
from atoll.identity.caller import Caller
from atoll.tasks.changes import parse
from atoll.tasks.codes import NoSuchReplica
from atoll.tasks.life_cycle import ENDED, State
from atoll.tasks.models import TaskRow
from atoll.tasks.schemas import LogEnd, LogLines
from atoll.tasks.service import TaskService
from atoll.web.errors import NotFound, TooMany, Unavailable
from atoll.web.events import event
from atoll.web.platform import Platform

LOOK_AGAIN_S = 1.0
SLOWEST_LOOK_S = 5.0
_LARGEST_EVENT = 1 << 16
log = structlog.get_logger(__name__)


def log_path(task_id: str, attempt: int, rank: int) -> str:
    """Where a replica's log lies in the owner's home."""
    return f"tasks/{task_id}/log/{attempt}-{rank}.log"


@dataclass
class TaskLog:
    """One replica's log."""

    parts: Platform
    caller: Caller
    row: TaskRow
    attempt: int
    rank: int

    @classmethod
    async def open(cls, parts: Platform, caller: Caller, task_id: str, *, rank: int, attempt: int | None) -> "TaskLog":
        """The log, once the caller may see it. Raises NotFound."""
        async with parts.sessions() as session:
            row = await TaskService(session).row(caller, task_id)
        if rank >= row.nodes or (attempt is not None and attempt > max(1, len(row.attempts))):
            raise NotFound(NoSuchReplica(rank=rank))
        return cls(parts, caller, row, attempt or max(1, len(row.attempts)), rank)

    @property
    def task_name(self) -> str:
        """For the name of a download."""
        return self.row.name

    async def content(self) -> AsyncIterator[bytes]:
        """All that storage has now; empty when nothing was written yet."""
        try:
            async for chunk in self.parts.part(FilesClient).read(self.row.owner, self._path()):
                yield chunk
        except NotFound:
            return

    async def events(self, offset: int, *, follow: bool) -> AsyncIterator[ServerSentEvent]:
        """`log` events from `offset`, then `end` (with `follow`: once the task has ended)."""
        # Characters that a chunk cuts in half are completed by the next one.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        async for chunk in self._bytes(offset, follow=follow):
            for start in range(0, len(chunk), _LARGEST_EVENT):
                part = chunk[start : start + _LARGEST_EVENT]
                offset += len(part)
                pending = len(decoder.getstate()[0])
                text = decoder.decode(part)
                pending = len(decoder.getstate()[0])
                if text:
                    yield event("log", LogLines(text=text, offset=offset - pending), str(offset - pending))
        yield event("end", LogEnd(state=State(self.row.state), exit_code=self.row.exit_code))

    async def _bytes(self, offset: int, *, follow: bool) -> AsyncIterator[bytes]:
        if not follow:
            async for chunk in self._stored(offset):
                yield chunk
            return
        pause_s = LOOK_AGAIN_S
        async with self.parts.listener.subscribe(TASKS) as changes:
            while not await self._ended():
                before = offset
                try:
                    async for chunk in self.parts.part(JobsClient).log(self._attempt_id(), self.rank, offset):
                        offset += len(chunk)
                        yield chunk
                except LiveLogGone:
                    async for chunk in self._stored_patiently(offset):
                        offset += len(chunk)
                        yield chunk
                await self._change(changes, pause_s)
                # Each look asks the database and both siblings: rarely while nothing comes.
                pause_s = LOOK_AGAIN_S if offset > before else min(SLOWEST_LOOK_S, pause_s * 2)
        # Other machines may see the last bytes on shared storage a moment late.
        async for chunk in self._stored(offset):
            offset += len(chunk)
            yield chunk

    async def _change(self, changes: asyncio.Queue[str | None], longest_s: float) -> None:
        """Until something happened to the task, or it is time to look at its log again."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                while (told := await changes.get()) is not None and parse(told).task_id != self.row.id:
                    continue

    async def _stored_patiently(self, offset: int) -> AsyncIterator[bytes]:
        """As `_stored`; while `files` is being restarted there is just nothing new."""
        try:
            async for chunk in self._stored(offset):
                yield chunk
        except (TooMany, Unavailable, httpx.HTTPError) as error:
            log.info("a followed log waits for the file service", task=self.row.id, error=str(error))

    async def _stored(self, offset: int) -> AsyncIterator[bytes]:
        try:
            async for chunk in self.parts.part(FilesClient).read(self.row.owner, self._path(), start=offset):
                yield chunk
        except NotFound:
            return

    async def _ended(self) -> bool:
        """Look at the task again; ends the stream as well when the caller may no longer see it."""
        async with self.parts.sessions() as session:
            self.row = await TaskService(session).row(self.caller, self.row.id)
        replicas = [
            replica
            for attempt in self.row.attempts
            if attempt.number == self.attempt
            for replica in attempt.replicas
            if replica.rank == self.rank
        ]
        gone = any(replica.state in ("succeeded", "failed") for replica in replicas)
        older = self.attempt < len(self.row.attempts)
        return State(self.row.state) in ENDED or (older and gone)

    def _attempt_id(self) -> str:
        return next((item.id for item in self.row.attempts if item.number == self.attempt), "none")

    def _path(self) -> str:
        return log_path(self.row.id, self.attempt, self.rank)
