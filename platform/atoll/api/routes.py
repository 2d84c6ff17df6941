"""The web application: routes, errors, what is checked of every request."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from fastapi import APIRouter, FastAPI

from atoll.about.routes import router as about
from atoll.api.openapi import operation_id
from atoll.audit.routes import router as audit
from atoll.identity.routes import router as identity
from atoll.images.routes import router as images
from atoll.monitoring.routes import router as monitoring
from atoll.nodes.routes import router as nodes
from atoll.overview.routes import router as overview
from atoll.services.routes import router as services
from atoll.tasks.routes import router as tasks
from atoll.tasks.streams import router as streams
from atoll.training.routes import router as training
from atoll.virtual_clusters.routes import router as virtual_clusters
from atoll.web import errors
from atoll.web.requests import RequestChecks

PREFIX = "/api/v1"
# Streams come before tasks: `/tasks/stream` is not the task of that id.
ROUTERS: tuple[APIRouter, ...] = (
    about,
    identity,
    overview,
    training,
    streams,
    tasks,
    virtual_clusters,
    images,
    nodes,
    services,
    monitoring,
    audit,
)


Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def routes(origins: frozenset[str], lifespan: Lifespan | None = None) -> FastAPI:
    """All routes with their checks; what is behind them is set in `app.state.platform`."""
    app = FastAPI(
        title="Atoll",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        generate_unique_id_function=operation_id,
        lifespan=lifespan,
    )
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    errors.install(app)
    app.add_middleware(RequestChecks, origins=origins)
    return app
