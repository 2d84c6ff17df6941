"""Operations over the wire."""

from typing import Any, Literal

from pydantic import Field

from atoll.identity.schemas import UserReference
from atoll.operations.models import OperationState
from atoll.web.schema import Moment, Reason, Schema

OperationAction = Literal["cancel"]


class Operation(Schema):
    """Long work of the platform."""

    id: str
    kind: str = Field(description="For example home.archive")
    name: str = Field(description="What it is about, for example a path")
    owner: UserReference
    state: OperationState
    progress: float = Field(ge=0, le=1)
    message: Reason | None = Field(description="What it is doing")
    reason: Reason | None = Field(description="Why it ended as it did, or why it waits")
    cancel_wanted: bool
    attempts: int = Field(description="How often it was begun")
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None
    actions: list[OperationAction]


class OperationStart(Schema):
    """What was asked for."""

    kind: str
    name: str
    parameters: dict[str, Any]


class OperationEvent(Schema):
    """One moment in the life of an operation."""

    at: Moment
    state: OperationState
    reason: Reason
    attempt: int
    actor: str | None


class OperationDetails(Operation):
    """An operation with what was asked for, what came of it, and what happened."""

    parameters: dict[str, Any]
    result: dict[str, Any] | None
    events: list[OperationEvent]
