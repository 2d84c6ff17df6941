"""The work on tasks: who is due is claimed and reconciled, by several workers of each process."""

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial

import structlog

from atoll.database.base import now
from atoll.database.claims import Claim, Claims
from atoll.database.connection import Sessions
from atoll.database.notifications import DUE, Listener
from atoll.database.patience import patiently
from atoll.engines.base import Engine
from atoll.engines.reports import Reports
from atoll.homes.client import FilesClient
from atoll.tasks.models import TaskRow
from atoll.tasks.reconcile import Reconciler
from atoll.tasks.repository import of_attempts
from atoll.web.domain import Replica, Run

WORKERS = 8
LONGEST_SLEEP_S = 30.0
ADOPT_EVERY_S = 600.0
log = structlog.get_logger(__name__)


def work(replica: Replica) -> Run:
    """All of it, in one process."""
    engine: Engine = replica.parts[Engine]
    files: FilesClient = replica.parts[FilesClient]
    names = [f"{replica.name}-{number}" for number in range(WORKERS)]
    reconcilers = [Reconciler(replica.sessions, engine, files, name) for name in names]
    return Workers(replica.sessions, engine, replica.parts[Reports], replica.listener, reconcilers).run


class Workers:
    """Those of one process."""

    def __init__(
        self,
        sessions: Sessions,
        engine: Engine,
        reports: Reports,
        listener: Listener,
        reconcilers: Sequence[Reconciler],
    ) -> None:
        self._tasks = Claims(sessions, TaskRow)
        self._engine = engine
        self._reports = reports
        self._listener = listener
        self._reconcilers = reconcilers
        self._work = asyncio.Event()
        reports.follow(self._wake)

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._adopt())
            for reconciler in self._reconcilers:
                group.create_task(self._worker(reconciler))

    async def _listen(self) -> None:
        async with self._listener.subscribe(DUE) as queue:
            while True:
                payload = await queue.get()
                if payload is None or not payload.startswith("operation "):
                    self._work.set()

    async def _adopt(self) -> None:
        """Look at every attempt of which the engine has something, first as soon as that is known: what happened while
        nobody watched is not told again, and what a cut off submission left is told by nobody.
        """
        await self._reports.listed.wait()
        while True:
            attempts = list(self._engine.adopt())
            log.info("attempts adopted", count=len(attempts))
            await self._wake(attempts)
            await asyncio.sleep(ADOPT_EVERY_S)

    async def _wake(self, attempts: Sequence[str]) -> None:
        await patiently("wake tasks", lambda: self._tasks.wake(of_attempts(attempts)))
        self._work.set()

    async def _worker(self, reconciler: Reconciler) -> None:
        while True:
            self._work.clear()
            # Before the engine has listed everything, GONE means nothing.
            claimed = await patiently("take a task", partial(self._take, reconciler.owner))
            if claimed is not None:
                await reconciler.work(claimed)
                self._work.set()
                continue
            pause_s = await patiently("see when a task is due", self._sleep_s)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._work.wait()

    async def _take(self, owner: str) -> Claim | None:
        return await self._tasks.take(owner) if self._engine.synced else None

    async def _sleep_s(self) -> float:
        if not self._engine.synced:
            return 0.2
        moment = await self._tasks.next_due()
        if moment is None:
            return LONGEST_SLEEP_S
        return min(LONGEST_SLEEP_S, max(0.05, (moment - now()).total_seconds()))
