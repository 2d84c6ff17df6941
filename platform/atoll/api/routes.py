"""The web application: routes, errors, what is checked of every request."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.middleware import Middleware

from atoll.api.domains import DOMAINS
from atoll.web import errors
from atoll.web.requests import RequestChecks

PREFIX = "/api/v1"
ROUTERS: tuple[tuple[str, APIRouter], ...] = tuple(
    (domain.name, router) for domain in DOMAINS for router in domain.routers
)


def operation_id(domain: str, route: APIRoute) -> str:
    """`<domain>_<verb>`: stable, and readable in generated clients."""
    return f"{domain}_{route.name}"


Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def routes(
    origins: frozenset[str], lifespan: Lifespan | None = None, behind_checks: Sequence[Middleware] = ()
) -> FastAPI:
    """All routes with their checks; what is behind them is set in `app.state.platform`."""
    app = FastAPI(
        title="Atoll",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=lifespan,
        middleware=behind_checks,
    )
    for domain, router in ROUTERS:
        app.include_router(router, prefix=PREFIX, generate_unique_id_function=partial(operation_id, domain))
    errors.install(app)
    app.add_middleware(RequestChecks, origins=origins)
    return app
