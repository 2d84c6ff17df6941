"""Who may use a route: everybody, whoever is signed in, or the holders of a permission."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from fastapi import Depends, Request
from fastapi.responses import Response, StreamingResponse
from sqlalchemy.exc import SQLAlchemyError
from sse_starlette import ServerSentEvent
from starlette.types import Receive, Scope, Send

from atoll.audit_trail.record import record_denied
from atoll.database.connection import without_transaction
from atoll.database.notifications import SESSIONS_ENDED
from atoll.identity.access_tokens.service import AccessTokenService
from atoll.identity.access_tokens.wrong import WrongTokens
from atoll.identity.caller import Caller
from atoll.identity.codes import MoreThanYouHold, MustChangePassword, SessionNeeded, TokenReadsOnly
from atoll.identity.cookies import device_cookie
from atoll.identity.permissions import PermissionTable
from atoll.identity.service import IdentityService
from atoll.identity.tokens import token_hash
from atoll.web import told
from atoll.web.dependencies import Parts
from atoll.web.domain import Permission
from atoll.web.errors import ApiError, NotAllowed, NotSignedIn
from atoll.web.events import EventStream, Streams, as_long_as
from atoll.web.platform import Platform
from atoll.web.requests import SAFE_METHODS, bearer

SESSION_LOOK_S = 60.0


def client_address(request: Request) -> str:
    """Where the request comes from, for limits and the audit (uvicorn resolves the gateway's header)."""
    return request.client.host if request.client else ""


async def session_token(request: Request, parts: Parts) -> str:
    """What the request's cookie holds; empty without one, and where an access token is shown in its place."""
    if bearer(request.headers) is not None:
        return ""
    return request.cookies.get(parts.configuration.web.session_cookie, "")


async def device_hash(request: Request, parts: Parts) -> str | None:
    """The hash of what a known device shows, None without."""
    token = request.cookies.get(device_cookie(parts.configuration), "")
    return token_hash(token) if token else None


async def user_agent(request: Request) -> str:
    """What the browser or program says it is; empty for one that says nothing."""
    return request.headers.get("user-agent", "")


async def _caller(request: Request, parts: Platform) -> Caller | None:
    """Whose session or access token the request shows, None when it has ended."""
    token, address, request_id = bearer(request.headers), client_address(request), request.state.request_id
    # A session of its own: the check must not hold the request's transaction, streams have none.
    async with parts.sessions() as session:
        await without_transaction(session)
        if token is not None:
            return await AccessTokenService(session, parts.part(PermissionTable)).caller(token, address, request_id)
        return await IdentityService(session, parts).caller(
            token_hash(await session_token(request, parts)), address, request_id
        )


async def present(request: Request, parts: Platform) -> Caller | None:
    """Whoever is signed in, on a route for everybody; None: nobody."""
    return await _caller(request, parts) if await session_token(request, parts) else None


async def _holds(request: Request, parts: Platform, caller: Caller) -> bool:
    """Whether the session or access token lives and opens what it did when the request began."""
    try:
        found = await _caller(request, parts)
    except (SQLAlchemyError, OSError):
        return False  # the browser connects again and is looked at again
    return found is not None and (found.permissions, found.must_change_password) == (
        caller.permissions,
        caller.must_change_password,
    )


async def _judge_again(request: Request, parts: Platform, caller: Caller) -> None:
    """Raise NotSignedIn or NotAllowed where the session or access token opens less than when the request began."""
    found = await _caller(request, parts)
    if found is None:
        raise NotSignedIn(told.NotSignedIn())
    if found.must_change_password and not caller.must_change_password:
        raise NotAllowed(MustChangePassword())
    if lacking := sorted(map(str, caller.permissions - found.permissions)):
        raise NotAllowed(MoreThanYouHold(permissions=", ".join(lacking)))


@contextlib.asynccontextmanager
async def _sessions_ended(parts: Platform, caller: Caller) -> AsyncIterator[asyncio.Event]:
    """Is set whenever a session or access token of the caller may have ended; at first, too: nobody listened yet."""
    ended = asyncio.Event()
    ended.set()

    async def listen(heard: asyncio.Queue[str | None]) -> None:
        while True:
            if await heard.get() in (None, caller.id):
                ended.set()

    async with parts.listener.subscribe(SESSIONS_ENDED) as heard:
        listening = asyncio.create_task(listen(heard))
        try:
            yield ended
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


async def while_signed_in(
    request: Request, parts: Platform, caller: Caller, events: AsyncIterator[ServerSentEvent]
) -> AsyncIterator[ServerSentEvent]:
    """`events`, for as long as the session lives and its user may do what could be done when they began."""
    async with _sessions_ended(parts, caller) as ended:
        going_on = as_long_as(lambda: _holds(request, parts, caller), SESSION_LOOK_S, events, ended)
        async for each in going_on:
            yield each


class _OfUser(EventStream):
    """One of the streams that its user may have; refused like any other request when these are too many."""

    def __init__(self, events: AsyncIterator[ServerSentEvent], streams: Streams, user_id: str) -> None:
        super().__init__(events)
        self._streams = streams
        self._user_id = user_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._streams.taken(self._user_id):
            await super().__call__(scope, receive, send)


def stream_of(request: Request, parts: Platform, caller: Caller, events: AsyncIterator[ServerSentEvent]) -> EventStream:
    """The answer that sends `events`, while the caller is signed in."""
    return _OfUser(while_signed_in(request, parts, caller, events), parts.part(Streams), caller.id)


class SentWhileSignedIn(Response):
    """An answer that is broken off once what it was asked by ends, also while the other side does not read it.

    It is looked at before the first byte, too: it may have ended between the judging and that moment.
    """

    def __init__(self, answer: Response, request: Request, parts: Platform, caller: Caller) -> None:
        super().__init__(status_code=answer.status_code)
        self._answer, self._request, self._parts, self._caller = answer, request, parts, caller

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it; who is cut off sees that bytes are missing. Raises NotSignedIn, NotAllowed."""
        async with contextlib.AsyncExitStack() as held:
            held.push_async_callback(self._close)
            ended = await held.enter_async_context(_sessions_ended(self._parts, self._caller))
            ended.clear()  # what ends from here on is heard
            await _judge_again(self._request, self._parts, self._caller)
            await self._send(ended, scope, receive, send)

    async def _send(self, ended: asyncio.Event, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._answer(scope, receive, send))
        ending = asyncio.create_task(self._until_the_session_ends(ended))
        try:
            await asyncio.wait({sending, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            if not sending.done():
                sending.cancel()
            await asyncio.gather(sending, ending, return_exceptions=True)
        if not sending.cancelled():
            sending.result()

    async def _until_the_session_ends(self, ended: asyncio.Event) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                # Not `wait_for`: where the event and a cancellation come together, that forgets the cancellation.
                async with asyncio.timeout(SESSION_LOOK_S):
                    await ended.wait()
            ended.clear()
            if not await _holds(self._request, self._parts, self._caller):
                return

    async def _close(self) -> None:
        """Give back what it is read from, also where nothing of it was read."""
        if isinstance(self._answer, StreamingResponse) and hasattr(self._answer.body_iterator, "aclose"):
            await self._answer.body_iterator.aclose()


@dataclass(frozen=True)
class Guard:
    """Lets a request pass for holders of a permission, or of one of the others; without one, for who is signed in.

    An access token is enough where its scope has the permission, or where `by_token` says so.
    """

    permission: Permission | None
    while_password_must_change: bool = False
    others: tuple[Permission, ...] = ()
    by_token: bool = True

    async def __call__(self, request: Request, parts: Parts) -> Caller:
        """Return the caller. Raises NotSignedIn, NotAllowed, TooMany."""
        by_token = bearer(request.headers) is not None
        if not by_token and not await session_token(request, parts):
            raise NotSignedIn(told.NotSignedIn())
        caller = await _caller(request, parts)
        if caller is None and by_token:
            raise parts.part(WrongTokens).refusal(client_address(request))
        if caller is None:
            raise NotSignedIn(told.NotSignedIn())
        if caller.must_change_password and (by_token or not self.while_password_must_change):
            raise NotAllowed(MustChangePassword())
        try:
            self._judge(request, caller)
        except ApiError:
            if request.method not in SAFE_METHODS:
                path = request.url.path
                route = getattr(request.scope.get("route"), "path", path)
                await record_denied(parts.sessions, caller, f"{request.method} {path}", f"{request.method} {route}")
            raise
        return caller

    def _judge(self, request: Request, caller: Caller) -> None:
        """Raise NotAllowed for what the caller may not do."""
        if caller.token is not None and not self.by_token:
            raise NotAllowed(SessionNeeded())
        if caller.token is not None and caller.token.read_only and request.method not in SAFE_METHODS:
            raise NotAllowed(TokenReadsOnly(token=caller.token.name))
        if self.permission is not None and not any(caller.may(each) for each in self.others):
            caller.require(self.permission)


def allowed(permission: Permission, *others: Permission, by_token: bool = True) -> Any:
    """The caller, who must hold `permission`, or one of `others`; not `by_token`: with a session of their own."""
    return Depends(Guard(permission, others=others, by_token=by_token))


def signed_in(*, while_password_must_change: bool = False, by_token: bool = False) -> Any:
    """The caller, whoever it is, with a session of their own; `by_token`: or with an access token."""
    return Depends(Guard(None, while_password_must_change, by_token=by_token))


@dataclass(frozen=True)
class Public:
    """Marks a route that needs no session, so that a test can tell it from a forgotten guard."""

    async def __call__(self) -> None:
        """Let everybody pass."""


def public() -> Any:
    """A route for everybody."""
    return Depends(Public())
