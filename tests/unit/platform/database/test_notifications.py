"""What one process tells the others by way of the database, also while that is away."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
from atoll.api.application import application
from atoll.database import notifications
from atoll.database.notifications import TASKS, Listener

from tests.unit.platform.conftest import configuration, serving


class Connection:
    """Stands in for a connection; `refuses` is raised by LISTEN, `deaf` never answers."""

    def __init__(self, refuses: Exception | None = None, *, deaf: bool = False) -> None:
        self.refuses, self.deaf = refuses, deaf
        self.looks = 0

    def add_termination_listener(self, _ended: Callable[[Any], None]) -> None:
        pass

    async def add_listener(self, _channel: str, _heard: Any) -> None:
        if self.refuses is not None:
            raise self.refuses

    async def execute(self, _query: str, timeout: float) -> None:  # noqa: ASYNC109 - asyncpg's
        self.looks += 1
        if self.deaf:
            await asyncio.sleep(timeout)
            raise TimeoutError

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 - asyncpg's
        if self.deaf:
            await asyncio.sleep(timeout)
            raise TimeoutError


async def heard(connections: list[Connection], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gaps: int) -> None:
    """Wait for `gaps` notices that a listener begins anew, on one connection after the other."""
    monkeypatch.setattr(notifications, "PAUSE_S", 0.01)
    monkeypatch.setattr(notifications, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(notifications, "ANSWER_S", 0.05)
    left = iter(connections)

    async def connect(**_: Any) -> Connection:
        return next(left)

    monkeypatch.setattr(asyncpg, "connect", connect)
    listener = Listener(configuration(tmp_path, "/nowhere", "none"), [TASKS])
    async with listener.subscribe(TASKS) as queue, asyncio.timeout(10):
        running = asyncio.create_task(listener.run())
        try:
            for _ in range(gaps):
                assert await queue.get() is None
            assert not running.done()
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


@pytest.mark.parametrize(
    "error",
    [
        asyncpg.exceptions.CannotConnectNowError("the database system is starting up"),
        asyncpg.exceptions.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
        asyncpg.InterfaceError("connection is closed"),
    ],
)
async def test_a_database_that_refuses_to_be_listened_to_is_asked_again(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await heard([Connection(error), Connection()], tmp_path, monkeypatch, 1)


async def test_a_connection_on_which_nobody_answers_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = Connection(deaf=True)
    await heard([deaf, Connection()], tmp_path, monkeypatch, 2)
    assert deaf.looks == 1


async def test_an_api_that_hears_of_nothing_is_not_ready(
    tmp_path: Path, postgres: str, database_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = asyncio.Event()

    async def run(_self: Listener) -> None:
        await end.wait()

    monkeypatch.setattr(Listener, "run", run)
    app = application(configuration(tmp_path, postgres, database_name))
    async with serving(app) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        assert (await client.get("/readyz")).status_code == 200
        end.set()
        await asyncio.sleep(0)
        answer = await client.get("/readyz")
        assert (answer.status_code, answer.json()["obstacle"]) == (503, "it does not hear of changes in the database")
