"""HTTP of `files`, for the sibling services only."""

from contextlib import AsyncExitStack
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from atoll.configuration import Configuration
from atoll.files.mount import Mount
from atoll.files.work import Homes
from atoll.homes.schemas import ArchiveRequest, HomeRequest, ListRequest, ReadRequest
from atoll.web import errors
from atoll.web.internal import add_health, internal_only


class _WorkerResponse(StreamingResponse):
    """Ends the worker with the answer, also when the other side is gone before the first byte."""

    def __init__(self, stack: AsyncExitStack, chunks: Any, headers: dict[str, str]) -> None:
        super().__init__(chunks, media_type="application/octet-stream", headers=headers)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._stack:
            await super().__call__(scope, receive, send)


def application(configuration: Configuration) -> FastAPI:
    """The service."""
    local = configuration.engine.kind == "local"
    homes = Homes(configuration.storage.root, switch_user=not local)
    router = APIRouter(prefix="/internal/files", dependencies=[internal_only(configuration.secret("internal_token"))])

    @router.post("/home", status_code=204)
    async def home(body: HomeRequest) -> None:
        await homes.ensure(body.owner)

    @router.post("/list")
    async def listing(body: ListRequest) -> dict[str, Any]:
        return await homes.listing(body.owner, body.path, body.after, body.limit)

    @router.post("/archive")
    async def archive(body: ArchiveRequest) -> dict[str, Any]:
        return await homes.archive(body)

    @router.post("/read")
    async def read(body: ReadRequest) -> Response:
        stack = AsyncExitStack()
        facts, chunks = await stack.enter_async_context(homes.read(body.owner, body.path, body.start, body.length))

        headers = {f"X-File-{key.replace('_', '-')}": str(value) for key, value in facts.items()}
        return _WorkerResponse(stack, chunks, headers)

    # On a cluster homes alone are mounted.
    mount = Mount(configuration.storage.root if local else homes.root)
    app = FastAPI(title="files", docs_url=None, redoc_url=None, openapi_url=None)
    app.include_router(router)
    errors.install(app)
    add_health(app, mount.obstacle, mount.ended)
    return app
