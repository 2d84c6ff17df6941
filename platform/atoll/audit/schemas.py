"""Answers about who did what."""

from typing import Any

from pydantic import Field

from atoll.audit.filters import Outcome
from atoll.identity.schemas import UserReference
from atoll.web.schema import Moment, Schema


class AuditRecord(Schema):
    """One write, or one attempt at one."""

    id: str
    at: Moment
    actor: UserReference | None
    actor_name: str
    action: str
    object_kind: str
    object_id: str
    object_name: str
    outcome: Outcome
    address: str
    request_id: str
    details: dict[str, Any]


class AuditActor(Schema):
    """Somebody whose records can be asked for."""

    name: str
    nickname: str = Field(description="Empty for who has no account, as an operator on the command line")


class AuditActors(Schema):
    """The first of those that were looked for."""

    items: list[AuditActor]
