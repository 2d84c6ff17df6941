"""How often the API asks the database: on a busy machine each round trip is a wait."""

from collections import Counter
from contextvars import ContextVar
from typing import Any

import pytest
from asyncpg.protocol import Protocol
from atoll.web.requests import RequestChecks

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
