"""Server-sent events, and what the contract says of them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

from pydantic import BaseModel
from sse_starlette import EventSourceResponse
from starlette.types import Receive, Scope, Send

from installer.control.callers import Caller
from installer.control.problems import TOO_MANY_STREAMS, Problem

EVENTS = "text/event-stream"
MOST_DIGITS = 9  # of the number of an event


class Streams:
    """How many streams of one operation each caller has open."""

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._open: Counter[str] = Counter()

    @contextlib.contextmanager
    def taken(self, caller: Caller) -> Iterator[None]:
        """Have one more. Raises Problem."""
        most = caller.may_follow(self._operation)
        if self._open[caller.name] >= most:
            raise Problem(
                TOO_MANY_STREAMS,
                f"`{caller.name}` follows {most} of these already ({self._operation}), which is all it may.",
                "End one that is still open, here or elsewhere (`service_ctl … -f` of a shell left behind), try again.",
                limit=str(most),
            )
        self._open[caller.name] += 1
        try:
            yield
        finally:
            self._open[caller.name] -= 1

    def of(self, caller: Caller, events: AsyncIterator[dict[str, str]]) -> Stream:
        """Return the answer that has one of them from its first byte until it ends, or its reader has gone."""
        return Stream(events, turn=self.taken(caller))


class Stream(EventSourceResponse):
    """An answer that goes on. With a `turn` nothing of it is sent, and its events are not begun, before it is had."""

    media_type = EVENTS

    # FastAPI reads the default status from this signature.
    def __init__(
        self,
        events: AsyncIterator[dict[str, str]],
        status_code: int = 200,
        headers: dict[str, str] | None = None,
        turn: contextlib.AbstractContextManager[None] | None = None,
    ) -> None:
        super().__init__(events, status_code, headers)
        self._turn = turn or contextlib.nullcontext()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it. Raises Problem."""
        with self._turn:
            await super().__call__(scope, receive, send)


def events_of(kinds: dict[str, type[BaseModel]]) -> dict[int | str, dict[str, Any]]:
    """Describe a stream for the contract: the name of each event and the shape of its data.

    The shapes are referred to by name; `contract.py` puts them among the others.
    """
    shapes = {name: {"$ref": f"#/components/schemas/{kind.__name__}"} for name, kind in kinds.items()}
    content = {EVENTS: {"schema": {"type": "string"}, "x-events": shapes}}
    return {200: {"description": f"Events: {', '.join(kinds)}", "content": content}}


def after(last_event_id: str | None) -> int:
    """Return how many events the asker has already."""
    said = last_event_id or ""
    return int(said) if said.isdecimal() and len(said) <= MOST_DIGITS else 0
