"""Bodies of requests: no more of one is held than a service has use for, whoever sends it."""

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PEOPLE = 1 << 20  # as much as the gateway lets through
SIBLINGS = 64 << 10  # their orders have some lines


class Bounded:
    """Refuses with 413 whoever says that a body is longer than `most_bytes`, before it is read, or who sends more.

    A body is read before its sender is judged: so this stands before all else.
    """

    def __init__(self, app: ASGIApp, most_bytes: int) -> None:
        self._app = app
        self._most = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and count what is read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = Headers(scope=scope).get("content-length", "0")
        left = self._most
        too_long = said.isdecimal() and int(said) > left

        async def counted() -> Message:
            nonlocal left
            if not too_long:
                message = await receive()
                left -= len(message.get("body", b""))
                if left >= 0:
                    return message
            raise HTTPException(413, f"the body is longer than {self._most} bytes", {"Connection": "close"})

        await self._app(scope, counted, send)
