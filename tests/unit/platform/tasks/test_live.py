"""What a live view asks of the database. Needs nothing: the running platform is in `test_tasks.py`."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from atoll.database.notifications import TASKS
from atoll.tasks.changes import Change, parse, tell
from atoll.tasks.live import LiveTasks, TaskAudience
from atoll.tasks.repository import TaskRepository


class Viewer:
    """A live view whose looks into the database are counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, caller_id: str, *, everybody: bool = False) -> None:
        self.changes: asyncio.Queue[str | None] = asyncio.Queue()
        self.asked: list[str] = []
        self.owners = {"mine": "ada", "theirs": "bob"}

        async def of_anybody(_repository: Any, task_id: str) -> Any:
            self.asked.append(task_id)
            return SimpleNamespace(id=task_id, deleted_at="now", owner_id=self.owners[task_id])

        monkeypatch.setattr(TaskRepository, "of_anybody", of_anybody)
        parts: Any = SimpleNamespace(
            listener=SimpleNamespace(subscribe=self._subscribe),
            sessions=self._session,
            part={TaskAudience: TaskAudience()}.__getitem__,
        )
        caller: Any = SimpleNamespace(id=caller_id, require=lambda _: None)
        self.events = LiveTasks(parts, caller, everybody).events()

    @contextlib.asynccontextmanager
    async def _subscribe(self, channel: str) -> AsyncIterator[asyncio.Queue[str | None]]:
        assert channel == TASKS
        yield self.changes

    @contextlib.asynccontextmanager
    async def _session(self) -> AsyncIterator[None]:
        yield


async def test_changes_of_others_cost_a_viewer_no_query(monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = Viewer(monkeypatch, "ada")
    assert (await anext(viewer.events)).event == "hello"
    for number in range(100):
        viewer.changes.put_nowait(f"task{number} bob")
    viewer.changes.put_nowait("mine ada")
    assert (await anext(viewer.events)).event == "deleted"
    assert viewer.asked == ["mine"]
    await viewer.events.aclose()  # type: ignore[attr-defined]


async def test_a_change_that_is_told_with_another_owner_reaches_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has an account of the database may tell what they like."""
    for viewer in (Viewer(monkeypatch, "ada"), Viewer(monkeypatch, "admin", everybody=True)):
        await anext(viewer.events)
        viewer.changes.put_nowait("theirs ada")
        viewer.changes.put_nowait("mine ada")
        told = await anext(viewer.events)
        assert '"id":"mine"' in str(told.data), "a change of another's task is told"
        await viewer.events.aclose()  # type: ignore[attr-defined]


async def test_who_looks_at_all_is_told_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = Viewer(monkeypatch, "admin", everybody=True)
    await anext(viewer.events)
    viewer.changes.put_nowait("theirs bob")
    await anext(viewer.events)
    assert viewer.asked == ["theirs"]
    await viewer.events.aclose()  # type: ignore[attr-defined]


async def test_a_change_is_told_with_its_owner() -> None:
    told: list[dict[str, str]] = []

    async def execute(_statement: Any, values: dict[str, str]) -> None:
        told.append(values)

    session: Any = SimpleNamespace(execute=execute)
    row: Any = SimpleNamespace(id="01task", owner_id="01ada")
    await tell(session, row)
    assert parse(told[0]["payload"]) == Change("01task", "01ada")
