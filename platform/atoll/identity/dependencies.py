"""Who may use a route: everybody, whoever is signed in, or the holders of a permission."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from fastapi import Depends, Request
from sqlalchemy.exc import SQLAlchemyError
from sse_starlette import ServerSentEvent

from atoll.audit_trail.record import record_denied
from atoll.identity.caller import Caller
from atoll.identity.codes import MustChangePassword
from atoll.identity.permissions import PermissionTable
from atoll.identity.service import IdentityService
from atoll.identity.tokens import token_hash
from atoll.web import told
from atoll.web.dependencies import Parts
from atoll.web.domain import Permission
from atoll.web.errors import ApiError, NotAllowed, NotSignedIn
from atoll.web.events import as_long_as
from atoll.web.platform import Platform
from atoll.web.requests import SAFE_METHODS

SESSION_LOOK_S = 60.0


def client_address(request: Request) -> str:
    """Where the request comes from, for limits and the audit (uvicorn resolves the gateway's header)."""
    return request.client.host if request.client else ""


def session_token(request: Request, parts: Parts) -> str:
    """What the request's cookie holds; empty without one."""
    return request.cookies.get(parts.configuration.web.session_cookie, "")


def device_cookie(parts: Parts) -> str:
    """The name of the cookie by which a device is known again."""
    return f"{parts.configuration.web.session_cookie}_device"


def device_hash(request: Request, parts: Parts) -> str | None:
    """The hash of what a known device shows, None without."""
    token = request.cookies.get(device_cookie(parts), "")
    return token_hash(token) if token else None


async def _caller(request: Request, parts: Platform) -> Caller | None:
    """Whoever holds the session of the request, None when it has ended."""
    # A session of its own: the check must not hold the request's transaction, streams have none.
    async with parts.sessions() as session:
        return await IdentityService(session, parts.configuration, parts.part(PermissionTable)).caller(
            token_hash(session_token(request, parts)), client_address(request), request.state.request_id
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
        if not session_token(request, parts):
            raise NotSignedIn(told.NotSignedIn())
        caller = await _caller(request, parts)
        if caller is None:
            raise NotSignedIn(told.NotSignedIn())
        if caller.must_change_password and not self.while_password_must_change:
            raise NotAllowed(MustChangePassword())
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
