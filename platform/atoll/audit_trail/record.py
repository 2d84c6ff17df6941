"""Writing the audit: within the transaction of what was done, or on its own and folded for what was refused."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.bounds import bounded, cut
from atoll.audit_trail.models import AuditRow
from atoll.audit_trail.repository import AuditTrailRepository
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


class Means(Protocol):
    """An access token by which somebody does it."""

    @property
    def id(self) -> str:
        """The token's id."""

    @property
    def name(self) -> str:
        """What its owner calls it."""


def means_of(actor: Actor) -> Means | None:
    """By what it is done; None where somebody does it who is signed in, or on the command line."""
    found: Means | None = getattr(actor, "token", None)
    return found


async def record(
    session: AsyncSession,
    caller: Actor,
    action: str,
    *,
    kind: str,
    identifier: str,
    name: str,
    outcome: Outcome = "done",
    details: dict[str, Any] | None = None,
    folded: bool = False,
) -> None:
    """Write a record in `session`; it is kept if and only if the change itself is. Never pass secrets in `details`.

    `folded`: one row counts all of a minute by one actor, from one address.
    """
    row = _row(caller, action, kind, identifier, name, outcome, details or {})
    await AuditTrailRepository(session).add(row, once_a_minute=action if folded else None)


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done to one of several."""

    identifier: str
    name: str
    details: dict[str, Any]


async def record_all(session: AsyncSession, caller: Actor, action: str, *, kind: str, deeds: Iterable[Deed]) -> None:
    """The same for each of several, which is much quicker than one after the other."""
    rows = [_row(caller, action, kind, each.identifier, each.name, "done", each.details) for each in deeds]
    await AuditTrailRepository(session).add_all(rows)


def _row(
    caller: Actor, action: str, kind: str, identifier: str, name: str, outcome: Outcome, details: dict[str, Any]
) -> AuditRow:
    token = means_of(caller)
    means = {} if token is None else {"access_token": {"id": token.id, "name": cut(token.name)}}
    return AuditRow(
        actor_id=caller.id,
        actor_name=cut(caller.name),
        action=action,
        object_kind=kind,
        object_id=cut(identifier),
        object_name=cut(name),
        outcome=outcome,
        address=caller.address,
        request_id=caller.request_id,
        details={**means, **bounded(details)},
    )


async def record_denied(sessions: Sessions, caller: Actor, request: str, route: str) -> None:
    """Keep that a write was refused; one row counts all of a minute by one actor, from one address, on one route.

    So it is for each access token. It tells of the first of them. Its id stands among those of the minute's begin.
    """
    row = _row(caller, "request.denied", "request", "", request, "denied", {"route": route})
    token = means_of(caller)
    async with sessions() as session, session.begin():
        await AuditTrailRepository(session).add(row, once_a_minute=route if token is None else f"{route} {token.id}")


async def record_sign_in(
    session: AsyncSession,
    *,
    user_id: str | None,
    name: str,
    outcome: Outcome,
    address: str,
    request_id: str,
    details: dict[str, Any] | None = None,
) -> None:
    """Keep a sign-in or a failed one; there is no caller yet.

    One that failed is nobody's, whatever name it was tried with: else strangers filled what its user may have here. A
    minute's from one address with one name, by one way, are one row, of which the details say how many there were.
    """
    failed, told = outcome != "done", details or {}
    row = AuditRow(
        actor_id=None if failed else user_id,
        actor_name=cut(name),
        action="session.create",
        object_kind="session",
        object_id="",
        object_name=cut(name),
        outcome=outcome,
        address=address,
        request_id=request_id,
        details=bounded(told),
    )
    key = f"sign-in {told.get('way', '')}" if failed else None
    await AuditTrailRepository(session).add(row, once_a_minute=key)
