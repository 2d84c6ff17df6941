"""Server-sent events: how they are written and how they are described in the contract."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import BaseModel
from sse_starlette import EventSourceResponse, ServerSentEvent

HEARTBEAT_S = 10


class EventStream(EventSourceResponse):
    """A stream with a heartbeat (a comment line), which no proxy may buffer."""

    # FastAPI reads the default status from this signature.
    def __init__(self, events: AsyncIterator[ServerSentEvent], status_code: int = 200) -> None:
        super().__init__(
            events, status_code, ping=HEARTBEAT_S, headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        )


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
