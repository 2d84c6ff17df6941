"""How often the API asks the database for one look at tasks: on a busy machine each round trip is a wait."""

from collections import Counter
from contextvars import ContextVar
from typing import Any

import pytest
from asyncpg.protocol import Protocol
from atoll.web.requests import RequestChecks

from tests.unit.platform.conftest import RunningPlatform, training

ASKING = ("query", "prepare", "bind_execute", "bind", "execute", "close_statement")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Round trips by path: the service `jobs` asks the same server in the meantime."""
    asked: Counter[str] = Counter()
    path_of: ContextVar[str] = ContextVar("path_of", default="")
    checks = RequestChecks.__call__

    async def remembered(self: RequestChecks, scope: Any, *rest: Any) -> None:
        path_of.set(scope.get("path", ""))
        await checks(self, scope, *rest)

    monkeypatch.setattr(RequestChecks, "__call__", remembered)
    for name in ASKING:
        ask = getattr(Protocol, name)

        def counted(*arguments: Any, ask: Any = ask, **more: Any) -> Any:
            asked[path_of.get()] += 1
            return ask(*arguments, **more)

        monkeypatch.setattr(Protocol, name, counted)
    return asked


async def test_a_look_at_tasks_is_few_round_trips(platform: RunningPlatform, asked: Counter[str]) -> None:
    admin = await platform.admin()
    task = (await admin.post("/trainings", training())).json()
    found = {}
    for path in ("/tasks", f"/tasks/{task['id']}", "/session"):
        took = []
        for _ in range(10):  # each connection of the pool prepares a statement at first
            asked.clear()
            answer = await admin.get(path)
            assert answer.status_code == 200, answer.text
            took.append(asked[f"/api/v1{path}"])
        found[path.removesuffix(task["id"])] = min(took)
    # Who asks is one, begin and end of the transaction are two; a task that was tried has rows of that.
    most = {"/tasks": 3 + 5, "/tasks/": 3 + 5, "/session": 3 + 1}
    assert {path: times for path, times in found.items() if times > most[path]} == {}
    assert found["/session"], "nothing was counted"
