"""Answers about who did what."""

from typing import Any, Literal

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
    outcome: Literal["done", "denied", "failed"]
    address: str
    request_id: str
    details: dict[str, Any]
