"""What routes depend on: configuration, a transaction, the caller and its permission."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession
from sse_starlette import ServerSentEvent

from atoll.audit_trail.record import record_denied
from atoll.configuration import Configuration
from atoll.identity.caller import Caller
from atoll.identity.permissions import Permission
from atoll.identity.service import IdentityService
from atoll.identity.tokens import token_hash
from atoll.web.errors import ApiError, NotAllowed, NotSignedIn
from atoll.web.events import as_long_as
from atoll.web.platform import Platform
from atoll.web.requests import SAFE_METHODS

SESSION_COOKIE = "atoll_session"
SESSION_LOOK_S = 60.0


def platform(request: Request) -> Platform:
    """The process's parts."""
    held: Platform = request.app.state.platform
    return held


def configured(request: Request) -> Configuration:
    """The configuration of this process."""
    return platform(request).configuration


Parts = Annotated[Platform, Depends(platform)]
Configured = Annotated[Configuration, Depends(configured)]


async def transaction(parts: Parts) -> AsyncIterator[AsyncSession]:
    """One transaction per request: committed before the answer leaves, rolled back when the route raises."""
    async with parts.sessions() as session, session.begin():
        yield session


Transaction = Annotated[AsyncSession, Depends(transaction, scope="function")]


def client_address(request: Request) -> str:
    """Where the request comes from, for limits and the audit (uvicorn resolves the gateway's header)."""
    return request.client.host if request.client else ""


async def _caller(request: Request, parts: Platform) -> Caller | None:
    """Whoever holds the session of the request, None when it has ended."""
    # A session of its own: the check must not hold the request's transaction, streams have none.
    async with parts.sessions() as session:
        return await IdentityService(session, parts.configuration).caller(
            token_hash(request.cookies.get(SESSION_COOKIE, "")), client_address(request), request.state.request_id
        )


def while_signed_in(
    request: Request, parts: Platform, caller: Caller, events: AsyncIterator[ServerSentEvent]
) -> AsyncIterator[ServerSentEvent]:
    """`events`, for as long as the session lives and its user may do what could be done when they began."""

    async def holds() -> bool:
        try:
            found = await _caller(request, parts)
        except (SQLAlchemyError, OSError):
            return False  # the browser connects again and is looked at again
        return found is not None and (found.permissions, found.must_change_password) == (
            caller.permissions,
            caller.must_change_password,
        )

    return as_long_as(holds, SESSION_LOOK_S, events)


@dataclass(frozen=True)
class Guard:
    """Lets a request pass for holders of a permission; without one, for everybody who is signed in."""

    permission: Permission | None
    while_password_must_change: bool = False

    async def __call__(self, request: Request, parts: Parts) -> Caller:
        """Return the caller. Raises NotSignedIn, NotAllowed."""
        if not request.cookies.get(SESSION_COOKIE):
            raise NotSignedIn("The request has no session.", remedy="Sign in.")
        caller = await _caller(request, parts)
        if caller is None:
            raise NotSignedIn("The session has ended.", remedy="Sign in again.")
        if caller.must_change_password and not self.while_password_must_change:
            raise NotAllowed(
                "The password must be changed before anything else.",
                code="must_change_password",
                remedy="POST /api/v1/session/password with the old and a new password.",
            )
        if self.permission is not None:
            try:
                caller.require(self.permission)
            except ApiError:
                if request.method not in SAFE_METHODS:
                    await record_denied(parts.sessions, caller, f"{request.method} {request.url.path}")
                raise
        return caller


def allowed(permission: Permission) -> Any:
    """The caller, who must hold `permission`."""
    return Depends(Guard(permission))


def signed_in(*, while_password_must_change: bool = False) -> Any:
    """The caller, whoever it is."""
    return Depends(Guard(None, while_password_must_change))


@dataclass(frozen=True)
class Public:
    """Marks a route that needs no session, so that a test can tell it from a forgotten guard."""

    async def __call__(self) -> None:
        """Let everybody pass."""


def public() -> Any:
    """A route for everybody."""
    return Depends(Public())


Limit = Annotated[int, Query(ge=1, le=200, description="Items per page")]
Cursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before")]
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=8, max_length=128, description="The same key with the same request makes nothing new"),
]
IfMatch = Annotated[str | None, Header(description="The ETag that was read; the edit fails when it has changed")]
