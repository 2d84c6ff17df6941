"""What the API asks while it answers: each round trip is a wait on a busy machine, and may tell what is there."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from asyncpg.protocol import Protocol
from atoll.web.requests import RequestChecks
from sqlalchemy import Engine, event

ASKING = ("query", "prepare", "bind_execute", "bind", "execute", "close_statement")
_PATH: ContextVar[str] = ContextVar("path", default="")  # of the request that is being answered; empty outside of one


def _remember_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """The service `jobs` asks the same server in the meantime: what is counted is told apart by the path."""
    checks = RequestChecks.__call__

    async def remembered(self: RequestChecks, scope: Any, *rest: Any) -> None:
        _PATH.set(scope.get("path", ""))
        await checks(self, scope, *rest)

    monkeypatch.setattr(RequestChecks, "__call__", remembered)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Round trips to the database by path."""
    _remember_paths(monkeypatch)
    asked: Counter[str] = Counter()
    for name in ASKING:
        ask = getattr(Protocol, name)

        def counted(*arguments: Any, ask: Any = ask, **more: Any) -> Any:
            asked[_PATH.get()] += 1
            return ask(*arguments, **more)

        monkeypatch.setattr(Protocol, name, counted)
    return asked


@dataclass(frozen=True)
class Questions:
    """What was asked by path: statements as the database got them, and requests to other services."""

    statements: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    requests: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def forget(self, path: str) -> None:
        """What was asked for it so far."""
        self.statements.pop(path, None)
        self.requests.pop(path, None)

    def of(self, path: str) -> tuple[list[str], list[str]]:
        """Both, of one request."""
        return [*self.statements.get(path, ())], [*self.requests.get(path, ())]


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Questions]:
    """All that is asked on the way to an answer, in its order."""
    _remember_paths(monkeypatch)
    found = Questions()

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        found.statements[_PATH.get()].append(statement)

    send = httpx.AsyncClient.send

    async def noted(self: httpx.AsyncClient, request: httpx.Request, **more: Any) -> httpx.Response:
        found.requests[_PATH.get()].append(f"{request.method} {request.url.path}")
        return await send(self, request, **more)

    monkeypatch.setattr(httpx.AsyncClient, "send", noted)
    event.listen(Engine, "before_cursor_execute", note)
    yield found
    event.remove(Engine, "before_cursor_execute", note)
