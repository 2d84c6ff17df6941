"""Server-sent events: how they are written and how they are described in the contract."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Message, Receive, Scope, Send

from atoll.web import told
from atoll.web.errors import TooMany

HEARTBEAT_S = 10
RETRY_AFTER_S = 10


class Streams:
    """How many streams each user has open in this process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[str, int] = {}

    @contextlib.contextmanager
    def taken(self, user_id: str) -> Iterator[None]:
        """Have one more. Raises TooMany."""
        if self._open.get(user_id, 0) >= self._most:
            raise TooMany(told.TooManyStreams(limit=self._most), headers={"Retry-After": str(RETRY_AFTER_S)})
        self._open[user_id] = self._open.get(user_id, 0) + 1
        try:
            yield
        finally:
            self._open[user_id] -= 1
            if not self._open[user_id]:
                del self._open[user_id]


class EventStream(EventSourceResponse):
    """A stream with a heartbeat (a comment line), which no proxy may buffer."""

    # FastAPI reads the default status from this signature.
    def __init__(self, events: AsyncIterator[ServerSentEvent], status_code: int = 200) -> None:
        super().__init__(
            events, status_code, ping=HEARTBEAT_S, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; where the process ends before its events do, the answer ends whole and does not break off."""
        open_ended = False

        async def followed(message: Message) -> None:
            nonlocal open_ended
            open_ended = message["type"] == "http.response.start" or bool(message.get("more_body"))
            await send(message)

        await super().__call__(scope, receive, followed)
        if open_ended:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def as_long_as(
    holds: Callable[[], Awaitable[bool]],
    every_s: float,
    events: AsyncIterator[ServerSentEvent],
    hint: asyncio.Event | None = None,
) -> AsyncIterator[ServerSentEvent]:
    """`events`, with a look every `every_s` whether they may go on, also while there are none; at a `hint` at once."""
    loop = asyncio.get_running_loop()
    hint = hint or asyncio.Event()
    following = asyncio.create_task(_following(events))
    hinted = asyncio.create_task(hint.wait())
    try:
        look_at = loop.time() + every_s
        while True:
            await asyncio.wait(
                {following, hinted}, timeout=max(0.0, look_at - loop.time()), return_when=asyncio.FIRST_COMPLETED
            )
            if hinted.done() or loop.time() >= look_at:
                hint.clear()
                if hinted.done():
                    hinted = asyncio.create_task(hint.wait())
                if not await holds():
                    return
                look_at = loop.time() + every_s
            if following.done():
                found = following.result()
                if found is None:
                    return
                yield found
                following = asyncio.create_task(_following(events))
    finally:
        following.cancel()
        hinted.cancel()
        await asyncio.gather(following, hinted, return_exceptions=True)
        if isinstance(events, AsyncGenerator):
            await events.aclose()


async def _following(events: AsyncIterator[ServerSentEvent]) -> ServerSentEvent | None:
    return await anext(events, None)


def event(name: str, data: BaseModel | None = None, identifier: str | None = None) -> ServerSentEvent:
    """One event; its data is JSON."""
    return ServerSentEvent(event=name, data=data.model_dump_json() if data is not None else "{}", id=identifier)


def described(events: Mapping[str, type[BaseModel] | None]) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of a stream: the media type, and the schema of each event's data."""
    schemas = [{"$ref": f"#/components/schemas/{model.__name__}"} for model in events.values() if model is not None]
    words = ", ".join(f"`{name}` ({model.__name__})" if model else f"`{name}`" for name, model in events.items())
    return {
        200: {
            "description": f"Events: {words}",
            "content": {"text/event-stream": {"schema": {"oneOf": schemas}}},
        }
    }
