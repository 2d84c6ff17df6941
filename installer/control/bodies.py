"""Bodies of requests: no more of one is held than the service has use for, whoever sends it."""

from __future__ import annotations

from fastapi.responses import PlainTextResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES = 2 << 20  # the longest thing that is said is a cluster.yaml


class Bodies:
    """Refuses whoever says that a body is longer than that (413), or does not say how long it is (411).

    Nothing of it is read. A body is read before its sender is judged: so this stands before all else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        app = self._app
        if "transfer-encoding" in headers:
            app = PlainTextResponse("say how long the body is", 411, {"Connection": "close"})
        elif int(headers.get("content-length", "0")) > MOST_BYTES:
            app = PlainTextResponse(f"the body is longer than {MOST_BYTES} bytes", 413, {"Connection": "close"})
        await app(scope, receive, send)
