"""A service as `api` is one, for the gateway in front of it: `serve` as the pods run it, with routes that count."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from atoll.configuration import Tls
from atoll.web.events import EventStream, event
from atoll.web.internal import add_health, serve
from fastapi import FastAPI, Request
from fastapi.responses import Response
from sse_starlette import ServerSentEvent


def application(book: Path) -> FastAPI:
    app = FastAPI()

    @app.get("/api/things")
    async def things() -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"by": os.getpid()}

    @app.get("/api/shown")
    async def shown(request: Request) -> dict[str, str]:
        return {name: request.headers.get(name, "") for name in ("authorization", "x-forwarded-for")}

    @app.post("/api/things")
    async def make(request: Request) -> dict[str, Any]:
        line = await request.body() + b"\n"
        with book.open("ab", buffering=0) as file:
            file.write(line)
        await asyncio.sleep(0.01)
        return {"by": os.getpid()}

    @app.get("/api/stream", response_class=EventStream)
    async def stream() -> Response:
        async def events() -> AsyncIterator[ServerSentEvent]:
            yield event("hello")
            await asyncio.sleep(3600)

        return EventStream(events())

    async def ready() -> None:
        return None

    add_health(app, ready)
    return app


if __name__ == "__main__":
    pki = os.environ.get("SERVED_CERTIFICATE")
    tls = Tls(certificate=Path(f"{pki}.crt"), key=Path(f"{pki}.key")) if pki else None
    serve(application(Path(sys.argv[1])), host="127.0.0.1", port=0, tls=tls)
