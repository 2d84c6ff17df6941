"""Bodies of requests: no more of one is held than the service has use for, whoever sends it."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 2 << 20  # the longest thing that is said is a cluster.yaml


class Bodies:
    """Refuses with 413 whoever says that a body is longer than that, before it is read, or who sends more.

    A body is read before its sender is judged: so this stands before all else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and count what is read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = Headers(scope=scope).get("content-length", "0")
        too_long = said.isdecimal() and int(said) > MOST_BYTES
        left = MOST_BYTES

        async def counted() -> Message:
            nonlocal left
            if not too_long:
                message = await receive()
                left -= len(message.get("body", b""))
                if left >= 0:
                    return message
            raise HTTPException(413, f"the body is longer than {MOST_BYTES} bytes", {"Connection": "close"})

        await self._app(scope, counted, send)
