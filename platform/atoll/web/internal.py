"""Between the processes: who may ask, health, metrics, and how a service is run."""

import contextlib
import hmac
import logging
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import structlog
import uvicorn
from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from atoll.web import told
from atoll.web.errors import NotSignedIn

STARTUP_FAILURE = 3  # as uvicorn itself ends
Ready = Callable[[], Awaitable[str | None]]


@dataclass(frozen=True)
class InternalToken:
    """Lets only siblings pass: they all hold the same generated token."""

    token: str

    async def __call__(self, request: Request) -> None:
        """Raise NotSignedIn unless the request carries the token."""
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise NotSignedIn(told.NotSignedIn())


def internal_only(token: str) -> Any:
    """A dependency for whole routers."""
    return Depends(InternalToken(token))


def add_health(app: FastAPI, ready: Ready) -> None:
    """`/healthz` (the process lives), `/readyz` (it can serve; else says why not) and `/metrics`."""

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:
        return JSONResponse({"ok": True})

    @app.get("/readyz", include_in_schema=False)
    async def readyz() -> Response:
        obstacle = await ready()
        return JSONResponse({"ok": obstacle is None, "obstacle": obstacle}, 200 if obstacle is None else 503)

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def configure_logs() -> None:
    """JSON lines on stderr, ours and those of libraries."""
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.getLogger("httpx").setLevel(logging.WARNING)


def serve(app: FastAPI, *, host: str, port: int) -> None:
    """Run a service until it is told to end; on the open socket that `$ATOLL_SOCKET` numbers, if it is handed one."""
    configure_logs()
    handed = os.environ.get("ATOLL_SOCKET")
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips="*",  # a NetworkPolicy lets only the gateway reach the API
        timeout_graceful_shutdown=5,
        timeout_keep_alive=15,
    )
    server = uvicorn.Server(config)
    with contextlib.suppress(KeyboardInterrupt):
        server.run([socket.socket(fileno=int(handed))] if handed else None)
    if not server.started:
        sys.exit(STARTUP_FAILURE)
