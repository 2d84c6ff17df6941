"""What each application of the tests would make again, though it is the same for all: its routes, its SQL.

A test's platform is three applications and as many engines. FastAPI 0.165 reads the signatures of all routes again for
each application that includes their routers, and SQLAlchemy composes each statement again for each engine: half of the
time of a short test. A server makes them once; so do all servers of one session of tests.
"""

from typing import Any

from fastapi import routing
from sqlalchemy.engine.base import Engine
from sqlalchemy.orm import Mapper
from sqlalchemy.util import LRUCache


def keep() -> None:
    """From now on, routes that are included under the same prefix, and statements, are made once in this process."""
    _keep_routes()
    _keep_statements()


def _keep_routes() -> None:
    make = routing._EffectiveRouteContext.from_api_route
    made: dict[tuple[int, str], tuple[Any, Any]] = {}

    def once(*, original_route: routing.APIRoute, include_context: Any) -> Any:
        key = (id(original_route), include_context.path_for(original_route))
        if key not in made:
            context = make(original_route=original_route, include_context=include_context)
            made[key] = (original_route, context)  # the route is held: its id is nobody else's
        return made[key][1]

    routing._EffectiveRouteContext.from_api_route = once  # type: ignore[method-assign]


class _Statements(LRUCache[Any, Any]):
    """Statements composed for one engine serve all: each speaks to the same PostgreSQL by the same driver."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(_without_dialect(key), default)

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(_without_dialect(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(_without_dialect(key), value)


def _without_dialect(key: Any) -> Any:
    """The same key with the kind of its dialect in place of the dialect, which each engine has for itself."""
    return (type(key[0]), *key[1:]) if isinstance(key, tuple) and hasattr(key[0], "paramstyle") else key


def _keep_statements() -> None:
    composed = _Statements(4000)

    def of_all(_owner: Any) -> _Statements:
        return composed

    def not_its_own(_owner: Any, _its_own: Any) -> None:
        """Each engine makes an empty one at first."""

    for owner in (Engine, Mapper):  # a mapper keeps the statements of a flush, by dialect too
        setattr(owner, "_compiled_cache", property(of_all, not_its_own))  # noqa: B010 - what is declared there is an attribute
