"""Actions on services that go on, and those that are over."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response

from installer.control import answers
from installer.control.callers import Asking
from installer.control.operations import Event, Operation, Operations
from installer.control.problems import NO_SUCH_CONTROL_OPERATION, Problem
from installer.control.streams import Stream, Streams, after, events_of


def routes(operations: Operations) -> APIRouter:
    """Make what is said about operations."""
    router = APIRouter(tags=["operations"])
    streams = Streams("operations_events")

    @router.get("/operations", operation_id="operations_list")
    def list_operations(
        limit: Annotated[int, Query(ge=1, le=1000)] = 50, cursor: str | None = None
    ) -> answers.Operations:
        found, more = operations.page(limit, cursor)
        items = [answers.Operation.model_validate(one.to_json()) for one in found]
        return answers.Operations(items=items, next_cursor=more)

    @router.get("/operations/{identifier}", operation_id="operations_get")
    def one_operation(identifier: str) -> answers.Operation:
        return answers.Operation.model_validate(_find(operations, identifier).to_json())

    @router.get(
        "/operations/{identifier}/events",
        operation_id="operations_events",
        response_class=Stream,
        responses=events_of({"message": answers.OperationMessage, "finished": answers.ActionResult}),
    )
    def operation_events(
        identifier: str, caller: Asking, last_event_id: Annotated[str | None, Header()] = None
    ) -> Response:
        return streams.of(caller, told(_find(operations, identifier), after(last_event_id)))

    return router


async def told(operation: Operation, behind: int = 0) -> AsyncIterator[dict[str, str]]:
    """Return what an operation says as it is sent, until it is over."""
    async for number, event in operation.follow(behind):
        if event["event"] == "message":
            data = answers.OperationMessage(text=event["text"]).model_dump()
        elif event["event"] == "finished":
            data = answers.ActionResult.model_validate(_without(event, "at", "event", "state")).model_dump()
        else:
            continue
        yield {"event": event["event"], "id": str(number), "data": json.dumps(data)}


def _without(event: Event, *names: str) -> Event:
    return {name: value for name, value in event.items() if name not in names}


def _find(operations: Operations, identifier: str) -> Operation:
    found = operations.find(identifier)
    if found is None:
        text = f"There is no operation `{identifier}` on this master."
        raise Problem(NO_SUCH_CONTROL_OPERATION, text, "GET /operations lists them.")
    return found
