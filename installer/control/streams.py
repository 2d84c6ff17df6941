"""Server-sent events, and what the contract says of them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from sse_starlette import EventSourceResponse

EVENTS = "text/event-stream"


class Stream(EventSourceResponse):
    """An answer that goes on."""

    media_type = EVENTS


def events_of(kinds: dict[str, type[BaseModel]]) -> dict[int | str, dict[str, Any]]:
    """Describe a stream for the contract: the name of each event and the shape of its data.

    The shapes are referred to by name; `contract.py` puts them among the others.
    """
    shapes = {name: {"$ref": f"#/components/schemas/{kind.__name__}"} for name, kind in kinds.items()}
    content = {EVENTS: {"schema": {"type": "string"}, "x-events": shapes}}
    return {200: {"description": f"Events: {', '.join(kinds)}", "content": content}}


def after(last_event_id: str | None) -> int:
    """Return how many events the asker has already."""
    return int(last_event_id) if last_event_id and last_event_id.isdigit() else 0
