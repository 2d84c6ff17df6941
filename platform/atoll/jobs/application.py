"""HTTP of `jobs`: health, metrics, and the output of replicas for the API."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from datetime import timedelta

import structlog
from fastapi import APIRouter, FastAPI, Query
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from atoll.api.domains import DOMAINS, channels
from atoll.configuration import Configuration
from atoll.database.claims import LEASE
from atoll.database.connection import connect, sessions
from atoll.database.notifications import Listener
from atoll.engines import codes
from atoll.engines.base import Engine, EngineError, LogGone
from atoll.engines.factory import make_engine
from atoll.jobs.composed import Parts
from atoll.jobs.operations import Limits, Operations
from atoll.jobs.process import Process
from atoll.web import errors
from atoll.web.domain import OperationKind
from atoll.web.errors import NotFound, Unavailable
from atoll.web.internal import add_health, internal_only

FIRST_BYTES_S = 2.0
log = structlog.get_logger(__name__)


class _Output:
    """A replica's output. Most programs are silent for long: nobody waits for their first word before an answer."""

    def __init__(self, chunks: AsyncGenerator[bytes, None]) -> None:
        self._chunks = chunks
        self._first = asyncio.create_task(self._read_first())

    async def _read_first(self) -> bytes:
        return await anext(self._chunks, b"")

    async def begin(self) -> None:
        """Wait a moment for the first bytes. Raises LogGone and EngineError when the engine knows that by then."""
        try:
            await asyncio.wait({self._first}, timeout=FIRST_BYTES_S)
            if self._first.done():
                self._first.result()
        except BaseException:
            await self.close()
            raise

    async def content(self) -> AsyncIterator[bytes]:
        """All bytes; a log that goes just ends, and whoever follows it asks again."""
        with contextlib.suppress(LogGone, EngineError):
            yield await self._first
            async for chunk in self._chunks:
                yield chunk

    async def close(self) -> None:
        """Stop reading, also in the middle of waiting."""
        self._first.cancel()
        await asyncio.gather(self._first, return_exceptions=True)
        await self._chunks.aclose()


class _OutputResponse(StreamingResponse):
    """Lets go of the output with the answer, also when the other side is gone before the first byte."""

    def __init__(self, output: _Output) -> None:
        super().__init__(output.content(), media_type="application/octet-stream")
        self._output = output

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._output.close()


def application(
    configuration: Configuration,
    *,
    kinds: Iterable[OperationKind] | None = None,
    limits: Limits | None = None,
    lease: timedelta = LEASE,
) -> FastAPI:
    """The service. `kinds` of operations: those of all domains when nothing is said."""
    if kinds is None:
        kinds = [kind for domain in DOMAINS for kind in domain.operations]
    token = configuration.secret("internal_token")
    database = connect(configuration, pool_size=16)
    parts = Parts(configuration, [part for domain in DOMAINS for part in domain.parts])
    held: dict[str, Engine] = {}

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        held["engine"] = parts[Engine] = engine = await make_engine(configuration)
        listener = Listener(configuration, channels())
        most = limits or Limits.of(configuration.operations)
        operations = Operations(sessions(database), listener, kinds, parts, limits=most, lease=lease)
        process = Process(configuration, sessions(database), listener, parts, operations, DOMAINS)
        running = asyncio.create_task(process.run())
        running.add_done_callback(_end_with)
        try:
            yield
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await engine.close()
            await parts.close()
            await database.dispose()

    router = APIRouter(prefix="/internal/jobs", dependencies=[internal_only(token)])

    @router.get("/attempts/{attempt_id}/log")
    async def log_of(attempt_id: str, rank: int = Query(ge=0), offset: int = Query(ge=0)) -> Response:
        output = _Output(held["engine"].logs(attempt_id, rank, offset))
        try:
            await output.begin()
        except LogGone as error:
            raise NotFound(codes.LogGone()) from error
        except EngineError as error:
            raise Unavailable(codes.EngineUnavailable(why=str(error))) from error
        return _OutputResponse(output)

    async def ready() -> str | None:
        if (engine := held.get("engine")) is None:
            return "starting"
        return None if engine.synced else "the engine has not listed its objects yet"

    app = FastAPI(title="jobs", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.include_router(router)
    errors.install(app)
    add_health(app, ready)
    return app


def _end_with(running: asyncio.Task[None]) -> None:
    """Loops do not end by themselves: if one failed, end the process, so that it is started anew."""
    if running.cancelled():
        return
    log.error("jobs failed and ends", exc_info=running.exception())
    end_process()


def end_process() -> None:
    """Ask the server to end, as its supervisor would."""
    os.kill(os.getpid(), signal.SIGTERM)
