"""HTTP of `jobs`: health, metrics, and the output of replicas for the API."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator

import structlog
from fastapi import APIRouter, FastAPI, Query
from fastapi.responses import Response, StreamingResponse

from atoll.configuration import Configuration
from atoll.database.connection import connect, sessions
from atoll.database.notifications import Listener
from atoll.engines.base import LogGone
from atoll.engines.factory import make_engine
from atoll.files.client import FilesClient
from atoll.files.homes import homes_as_seen
from atoll.jobs.process import Process
from atoll.web import errors
from atoll.web.errors import NotFound
from atoll.web.internal import add_health, internal_only

log = structlog.get_logger(__name__)


def application(configuration: Configuration) -> FastAPI:
    """The service."""
    token = configuration.secret("internal_token")
    database = connect(configuration, pool_size=12)
    files = FilesClient(configuration.services.files, token, homes_as_seen(configuration))
    held: dict[str, Process] = {}

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        engine = await make_engine(configuration)
        process = Process(configuration, sessions(database), engine, files, Listener(configuration))
        held["process"] = process
        running = asyncio.create_task(process.run())
        running.add_done_callback(_end_with)
        try:
            yield
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await engine.close()
            await files.close()
            await database.dispose()

    router = APIRouter(prefix="/internal/jobs", dependencies=[internal_only(token)])

    @router.get("/attempts/{attempt_id}/log")
    async def log_of(attempt_id: str, rank: int = Query(ge=0), offset: int = Query(ge=0)) -> Response:
        chunks = held["process"].engine.logs(attempt_id, rank, offset)
        try:
            first = await anext(chunks, b"")
        except LogGone as error:
            raise NotFound("The engine has no such log.", code="log_gone") from error

        async def content() -> AsyncIterator[bytes]:
            yield first
            async for chunk in chunks:
                yield chunk

        return StreamingResponse(content(), media_type="application/octet-stream")

    async def ready() -> str | None:
        process = held.get("process")
        return await process.ready() if process is not None else "starting"

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
    os.kill(os.getpid(), signal.SIGTERM)
