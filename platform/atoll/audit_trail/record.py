"""Writing the audit: within the transaction of what was done, or on its own for what was refused."""

from typing import Any, Literal, Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.models import AuditRow
from atoll.database.connection import Sessions

Outcome = Literal["done", "denied", "failed"]


class Actor(Protocol):
    """Who does it: a caller, or an operator on the command line, who has no account."""

    @property
    def id(self) -> str | None:
        """The user's id."""

    @property
    def name(self) -> str:
        """The user's name, as it is at this moment."""

    @property
    def address(self) -> str:
        """Where the request comes from."""

    @property
    def request_id(self) -> str:
        """The request that does it."""


def record(
    session: AsyncSession,
    caller: Actor,
    action: str,
    *,
    kind: str,
    identifier: str,
    name: str,
    outcome: Outcome = "done",
    details: dict[str, Any] | None = None,
) -> None:
    """Add a record to `session`; it is kept if and only if the change itself is. Never pass secrets in `details`."""
    session.add(
        AuditRow(
            actor_id=caller.id,
            actor_name=caller.name,
            action=action,
            object_kind=kind,
            object_id=identifier,
            object_name=name,
            outcome=outcome,
            address=caller.address,
            request_id=caller.request_id,
            details=details or {},
        )
    )


async def record_denied(sessions: Sessions, caller: Actor, request: str) -> None:
    """Keep that a write was refused."""
    async with sessions() as session, session.begin():
        record(session, caller, "request.denied", kind="request", identifier="", name=request, outcome="denied")


async def record_sign_in(
    session: AsyncSession,
    *,
    user_id: str | None,
    name: str,
    outcome: Outcome,
    address: str,
    request_id: str,
    reason: str = "",
) -> None:
    """Keep a sign-in or a failed one; there is no caller yet."""
    session.add(
        AuditRow(
            actor_id=user_id,
            actor_name=name,
            action="session.create",
            object_kind="session",
            object_id="",
            object_name=name,
            outcome=outcome,
            address=address,
            request_id=request_id,
            details={"reason": reason} if reason else {},
        )
    )
