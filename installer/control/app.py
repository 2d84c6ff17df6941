"""The control service: a router per noun. What it answers stands in `answers.py`, the contract in `openapi.json`."""

from __future__ import annotations

from fastapi import Depends, FastAPI

from installer.cluster import version
from installer.control import contract, problems
from installer.control.accounts import Users
from installer.control.bodies import Bodies
from installer.control.callers import allowed
from installer.control.current import Current
from installer.control.operations import Operations
from installer.control.routers import about, images, nodes, operations, runs, services
from installer.control.settings import Settings
from installer.control.trail import Trail
from installer.control.turns import Turns


def create_app(settings: Settings) -> FastAPI:
    """Make the application for one cluster."""
    app = FastAPI(
        title="Atoll control service", version=version(), docs_url=None, redoc_url=None, dependencies=[Depends(allowed)]
    )
    problems.install(app)
    app.add_middleware(Turns)
    app.add_middleware(Bodies)
    trail = Trail()
    app.state.users = Users(settings.kubeconfig, trail)
    current = Current(settings)
    book = Operations(settings.state)
    app.include_router(about.routes(settings))
    app.include_router(nodes.routes(current))
    app.include_router(services.routes(settings, current, book, trail))
    app.include_router(operations.routes(book))
    app.include_router(runs.routes(settings, trail))
    app.include_router(images.routes(settings))
    app.openapi = lambda: contract.of(app)  # type: ignore[method-assign] # FastAPI's own way to shape the contract
    return app
