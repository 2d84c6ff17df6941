"""The loops of `jobs`: listen, watch, work."""

import asyncio
import contextlib
import os
import socket
from collections.abc import Sequence
from datetime import timedelta

import structlog
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from atoll.audit_trail.forgetting import forget
from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.database.claims import Claims
from atoll.database.connection import Sessions
from atoll.database.identifiers import new_id
from atoll.database.notifications import DUE, Listener
from atoll.engines.base import Engine
from atoll.engines.repository import NodeRepository
from atoll.homes.client import FilesClient
from atoll.jobs.composed import do_from_time_to_time
from atoll.jobs.operations import Operations
from atoll.jobs.provision import Provisioner
from atoll.jobs.reconcile import Reconciler
from atoll.tasks.models import AttemptRow, TaskRow
from atoll.web.domain import PeriodicWork

WORKERS = 8
LONGEST_SLEEP_S = 30.0
NODES_EVERY_S = 2.0
RETRY_S = 5.0
ADOPT_EVERY_S = 600.0
AUDIT_EVERY_S = 3600.0
FORGOTTEN_AT_ONCE = 500
log = structlog.get_logger(__name__)


class Process:
    """One replica of `jobs`."""

    def __init__(
        self,
        configuration: Configuration,
        sessions: Sessions,
        engine: Engine,
        files: FilesClient,
        listener: Listener,
        operations: Operations,
        periodic: Sequence[PeriodicWork],
    ) -> None:
        self._sessions = sessions
        self._tasks = Claims(sessions, TaskRow)
        self._engine = engine
        self._listener = listener
        owner = f"{socket.gethostname()}-{os.getpid()}-{new_id()[-6:]}"
        self._reconcilers = [Reconciler(sessions, engine, files, f"{owner}-{number}") for number in range(WORKERS)]
        self._operations = operations
        self._audit = configuration.audit
        self._periodic = periodic
        self._provisioner = Provisioner(configuration, sessions, engine, files)
        self._work = asyncio.Event()
        self._nodes = asyncio.Event()
        self._listed = asyncio.Event()
        self._provision = asyncio.Event()

    @property
    def engine(self) -> Engine:
        """The engine, for logs."""
        return self._engine

    async def ready(self) -> str | None:
        """What keeps this replica from working."""
        return None if self._engine.synced else "the engine has not listed its objects yet"

    async def run(self) -> None:
        """All loops until cancelled; one that fails ends the process, and its supervisor starts it again."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listener.run())
            group.create_task(self._listen())
            group.create_task(self._watch())
            group.create_task(self._adopt())
            group.create_task(self._write_nodes())
            group.create_task(self._keep_provisioned())
            group.create_task(self._operations.run())
            group.create_task(self._forget_audit())
            group.create_task(do_from_time_to_time(self._sessions, self._periodic))
            for reconciler in self._reconcilers:
                group.create_task(self._worker(reconciler))

    async def _listen(self) -> None:
        async with self._listener.subscribe(DUE) as queue:
            while True:
                payload = await queue.get()
                if payload in (None, "provision"):
                    self._provision.set()
                if payload is None or not payload.startswith("operation "):
                    self._work.set()

    async def _watch(self) -> None:
        async for attempt_id in self._engine.run():
            if self._engine.synced:
                self._listed.set()
            if attempt_id is None:
                self._nodes.set()
            else:
                await self._wake([attempt_id])

    async def _adopt(self) -> None:
        """Look at every attempt of which the engine has something, first as soon as that is known: what happened while
        nobody watched is not told again, and what a cut off submission left is told by nobody.
        """
        await self._listed.wait()
        while True:
            attempts = list(self._engine.adopt())
            log.info("attempts adopted", count=len(attempts))
            await self._wake(attempts)
            await asyncio.sleep(ADOPT_EVERY_S)

    async def _wake(self, attempts: Sequence[str]) -> None:
        of_attempts = select(AttemptRow.task_id).where(AttemptRow.id.in_(attempts))
        await self._tasks.wake(TaskRow.id.in_(of_attempts))
        self._work.set()

    async def _worker(self, reconciler: Reconciler) -> None:
        while True:
            self._work.clear()
            # Before the engine has listed everything, GONE means nothing.
            claimed = await self._tasks.take(reconciler.owner) if self._engine.synced else None
            if claimed is not None:
                await reconciler.work(claimed)
                self._work.set()
                continue
            pause_s = await self._sleep_s()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._work.wait()

    async def _sleep_s(self) -> float:
        if not self._engine.synced:
            return 0.2
        moment = await self._tasks.next_due()
        if moment is None:
            return LONGEST_SLEEP_S
        return min(LONGEST_SLEEP_S, max(0.05, (moment - now()).total_seconds()))

    async def _forget_audit(self) -> None:
        """Old rows are removed, some at a time, so that nobody waits for it."""
        kept = timedelta(days=self._audit.retention_days)
        while True:
            with contextlib.suppress(SQLAlchemyError, OSError):
                gone = FORGOTTEN_AT_ONCE
                while gone == FORGOTTEN_AT_ONCE:
                    async with self._sessions() as session, session.begin():
                        gone = await forget(session, now() - kept, self._audit.rows, FORGOTTEN_AT_ONCE)
            await asyncio.sleep(AUDIT_EVERY_S)

    async def _write_nodes(self) -> None:
        """Machines change often (every pod moves their use): written at most every two seconds."""
        written = None
        while True:
            await self._nodes.wait()
            self._nodes.clear()
            seen = list(self._engine.nodes())
            if seen != written:
                async with self._sessions() as session, session.begin():
                    await NodeRepository(session).replace(seen)
                written = seen
                self._provision.set()  # quotas of CPU and memory follow the machines
            await asyncio.sleep(NODES_EVERY_S)

    async def _keep_provisioned(self) -> None:
        while True:
            complete = await self._provisioner.run() if self._engine.synced else False
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if complete else RETRY_S):
                    await self._provision.wait()
            self._provision.clear()
