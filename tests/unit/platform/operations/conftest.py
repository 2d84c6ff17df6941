"""The platform with kinds of operations for tests, and `jobs` as processes that can be killed."""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from atoll.api.application import application as api_application
from atoll.api.contents import ensure_contents
from atoll.api.domains import channels
from atoll.database.claims import Claims
from atoll.database.connection import Sessions, connect, sessions
from atoll.database.notifications import Listener
from atoll.database.rights import API, JOBS
from atoll.files.application import application as files_application
from atoll.identity.caller import Caller
from atoll.identity.repository import IdentityRepository
from atoll.jobs.application import application as jobs_application
from atoll.jobs.operations import Operations
from atoll.operations.models import OperationRow
from atoll.operations.service import OperationService
from atoll.web.domain import OperationKind
from sqlalchemy import select, text

from tests.ports import free_ports
from tests.unit.platform.conftest import RunningPlatform, as_service, configuration, eventually, serving, trust
from tests.unit.platform.operations import ledger

TREE = Path(__file__).parents[4]
KINDS = {kind.name: kind for kind in ledger.KINDS}
RETRY_S = 0.02


@dataclass
class Operated(RunningPlatform):
    """The platform and its database."""

    sessions: Sessions = None  # type: ignore[assignment]
    processes: list[asyncio.subprocess.Process] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    async def caller(self, name: str = "admin") -> Caller:
        async with self.sessions() as session:
            user = await IdentityRepository(session).user_by_name(name)
        assert user is not None
        return Caller(
            id=user.id,
            name=user.name,
            nickname=user.nickname,
            uid=user.uid,
            permissions=frozenset(),
            must_change_password=False,
            address="",
            request_id="test",
        )

    async def start(self, kind: str, owner: str = "admin", key: str | None = None, **parameters: Any) -> str:
        caller = await self.caller(owner)
        async with self.sessions() as session, session.begin():
            made = await OperationService(session, self.configuration.operations).start(
                caller, KINDS[kind], kind, parameters, key=key
            )
        return made.id

    async def row(self, operation_id: str) -> OperationRow:
        async with self.sessions() as session:
            return await session.get_one(OperationRow, operation_id)

    async def rows(self) -> Sequence[OperationRow]:
        async with self.sessions() as session:
            return (await session.scalars(select(OperationRow).order_by(OperationRow.id))).all()

    async def once(self, operation_id: str, *states: str, timeout_s: float = 20) -> OperationRow:
        async def look() -> OperationRow | None:
            row = await self.row(operation_id)
            return row if row.state in states else None

        found: OperationRow = await eventually(look, timeout_s)
        return found

    async def ledger(self, operation_id: str | None = None) -> list[tuple[str, str, int]]:
        async with self.sessions() as session:
            found = await session.execute(text("SELECT operation_id, what, attempt FROM ledger ORDER BY at"))
            return [(row[0], row[1], row[2]) for row in found.all() if operation_id in (None, row[0])]

    async def jobs_process(self, lease_s: float) -> asyncio.subprocess.Process:
        """A `jobs` of its own, with the kinds of the ledger, as soon as it is ready."""
        number = next(self.numbers)
        root = self.configuration.secrets.parent / f"jobs{number}"
        # The engine of each is its own: they share the database and `files`.
        settings = self.configuration.model_copy(
            update={"storage": self.configuration.storage.model_copy(update={"root": root})}
        )
        root.mkdir()
        (port,) = free_ports(1)
        (root / "config.yaml").write_text(json.dumps(as_service(settings, JOBS).model_dump(mode="json")))
        with (root / "log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                str(Path(ledger.__file__)),
                env={
                    **os.environ,
                    "ATOLL_CONFIG": str(root / "config.yaml"),
                    "ATOLL_PORT": str(port),
                    "LEASE_S": str(lease_s),
                    "PYTHONPATH": f"{TREE}/platform:{TREE}",
                },
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)

        async def ready() -> bool:
            assert process.returncode is None, (root / "log").read_text()[-3000:]
            with contextlib.suppress(httpx.HTTPError):
                async with httpx.AsyncClient(verify=trust()) as http:
                    return (await http.get(f"http://127.0.0.1:{port}/healthz")).is_success
            return False

        await eventually(ready, 60)
        return process


@contextlib.asynccontextmanager
async def worked_on(
    operated: Operated, kinds: Sequence[OperationKind] = ledger.KINDS, lease_s: float = 60, **limits: Any
) -> AsyncIterator[None]:
    """A `jobs` within this process that is told to end afterwards."""
    listener = Listener(operated.configuration, channels())
    operations = Operations(
        operated.sessions,
        listener,
        kinds,
        {},
        lease=timedelta(seconds=lease_s),
        limits=replace(ledger.MANY, **{"retry_s": RETRY_S, "longest_sleep_s": 0.1, **limits}),
    )
    running = [asyncio.create_task(listener.run()), asyncio.create_task(operations.run())]
    try:
        yield
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No `jobs` gives anything back: its row looks like that of one that was killed."""

    async def nothing(*_: Any, **__: Any) -> None:
        pass

    monkeypatch.setattr(Claims, "give_back", nothing)


@contextlib.asynccontextmanager
async def _operated(tmp_path: Path, postgres: str, database_name: str, *, with_jobs: bool) -> AsyncIterator[Operated]:
    settings = configuration(tmp_path, postgres, database_name)
    database = connect(settings, pool_size=20)
    await ensure_contents(sessions(database), settings)
    async with database.begin() as connection:
        await connection.execute(text(ledger.TABLE))
        await connection.execute(text(f"GRANT ALL ON ledger TO {JOBS}"))
    async with contextlib.AsyncExitStack() as stack:
        files = await stack.enter_async_context(serving(files_application(settings)))
        settings = configuration(tmp_path, postgres, database_name, files=files)
        if with_jobs:
            app = jobs_application(as_service(settings, JOBS), kinds=ledger.KINDS, limits=ledger.MANY)
            await stack.enter_async_context(serving(app))
        api = await stack.enter_async_context(serving(api_application(as_service(settings, API))))
        running = Operated(settings, f"http://127.0.0.1:{api}", sessions=sessions(database))
        try:
            yield running
        finally:
            for client in running.clients:
                await client.aclose()
            for process in running.processes:
                if process.returncode is None:
                    process.send_signal(signal.SIGKILL)
                    await process.wait()
            await database.dispose()


@pytest.fixture
async def operated(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Operated]:
    """The platform with a `jobs` in this process."""
    async with _operated(tmp_path, postgres, database_name, with_jobs=True) as running:
        yield running


@pytest.fixture
async def without_jobs(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Operated]:
    """The platform without any `jobs`; tests start processes of it."""
    async with _operated(tmp_path, postgres, database_name, with_jobs=False) as running:
        yield running
