"""Between the processes: who may ask, health, metrics, and how a service is run."""

import contextlib
import hmac
import logging
import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

import structlog
import uvicorn
from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from atoll.configuration import Configuration, ConfigurationError, Tls, load
from atoll.providers import LOOPBACK
from atoll.web import bodies, told
from atoll.web.errors import NotSignedIn

STARTUP_FAILURE = 3  # as uvicorn itself ends
HEALTH = frozenset(
    {"/healthz", "/readyz", "/metrics"}
)  # for the kubelet and Prometheus; the gateway passes them not on
# A request is many short steps between waits, and each has to get the interpreter back from a thread that computes
# (what a task reported, a password's table): not after Python's usual 5 ms.
SWITCH_INTERVAL_S = 0.0005
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


async def _nothing() -> None:
    """Nothing stands in the way."""


def add_health(app: FastAPI, ready: Ready, ended: Ready = _nothing) -> None:
    """`/healthz` (the process lives, or only a new one can serve), `/readyz` (else says why not) and `/metrics`."""

    @app.get("/healthz", include_in_schema=False)
    async def healthz() -> Response:
        return _health(await ended())

    @app.get("/readyz", include_in_schema=False)
    async def readyz() -> Response:
        obstacle = "it is about to end" if getattr(app.state, "leaving", False) else await ready()
        return _health(obstacle)

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _health(obstacle: str | None) -> Response:
    return JSONResponse({"ok": obstacle is None, "obstacle": obstacle}, 200 if obstacle is None else 503)


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


class _LastAnswers:
    """While the service leaves, each answer is the last of its connection: the next request finds another process."""

    def __init__(self, app: FastAPI) -> None:
        self._app: ASGIApp = app
        self._state = app.state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def last(message: Message) -> None:
            if message["type"] == "http.response.start" and getattr(self._state, "leaving", False):
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            await send(message)

        await self._app(scope, receive, last if scope["type"] == "http" else send)


class _Server(uvicorn.Server):
    """Told to end, it serves on for `drain_s`: who asks may not know yet, or be about to use a kept connection."""

    def __init__(self, config: uvicorn.Config, app: FastAPI, drain_s: float) -> None:
        super().__init__(config)
        self._state = app.state
        self._drain_s = drain_s
        self._ends_at: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig != signal.SIGTERM or not self.started or not self._drain_s or self._ends_at is not None:
            super().handle_exit(sig, frame)
            return
        self._state.leaving = True
        self._ends_at = time.monotonic() + self._drain_s

    async def on_tick(self, counter: int) -> bool:
        if self._ends_at is not None and time.monotonic() >= self._ends_at and not self.should_exit:
            super().handle_exit(signal.SIGTERM, None)
        return await super().on_tick(counter)


def _latest(_config: uvicorn.Config, usual: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    context = usual()
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def serve(app: FastAPI, *, host: str, port: int, tls: Tls | None, most_body_bytes: int = bodies.SIBLINGS) -> None:
    """Run a service until it is told to end; on the open socket that `$ATOLL_SOCKET` numbers, if it is handed one.

    With `tls` it speaks nothing else; without it, it serves on loopback alone.

    Where `$ATOLL_DRAIN_S` says so, it first goes on serving for a while (see `_Server`), so that another process takes
    over and no request is lost; what takes longer, a download say, has as long as `$ATOLL_GRACE_S` says behind that.
    """
    if tls is None and host not in LOOPBACK and "ATOLL_SOCKET" not in os.environ:
        sys.exit(f"{host}: nothing is served on a network in clear: name a certificate and its key in `tls`")
    configure_logs()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    handed = os.environ.get("ATOLL_SOCKET")
    config = uvicorn.Config(
        bodies.Bounded(_LastAnswers(app), most_body_bytes),
        host=host,
        port=port,
        loop="uvloop",  # a connection by TLS holds 83 KiB in it, and 323 KiB in asyncio's own
        http="httptools",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips="*",  # a NetworkPolicy lets only the gateway reach the API
        timeout_graceful_shutdown=int(os.environ.get("ATOLL_GRACE_S", "5")),
        timeout_keep_alive=15,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
        ssl_context_factory=_latest if tls else None,
    )
    try:
        config.load()
    except OSError as error:  # ssl's too
        sys.exit(f"{tls}: cannot be served with ({error})")
    server = _Server(config, app, float(os.environ.get("ATOLL_DRAIN_S", "0")))
    with contextlib.suppress(KeyboardInterrupt):
        server.run([socket.socket(fileno=int(handed))] if handed else None)
    if not server.started:
        sys.exit(STARTUP_FAILURE)


def run(application: Callable[[Configuration], FastAPI], port: int, most_body_bytes: int = bodies.SIBLINGS) -> None:
    """Be a service (`python -m atoll.NAME`). `$ATOLL_LISTEN` and `$ATOLL_PORT` may say where it listens."""
    try:
        configuration = load()
        app = application(configuration)
    except ConfigurationError as error:
        sys.exit(str(error))
    serve(
        app,
        host=os.environ.get("ATOLL_LISTEN", "0.0.0.0"),
        port=int(os.environ.get("ATOLL_PORT", str(port))),
        tls=configuration.tls,
        most_body_bytes=most_body_bytes,
    )
