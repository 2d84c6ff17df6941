"""Whose requests are worked on: a few of each user at a time, so that nobody's many keep others waiting."""

import asyncio
import contextlib
import ipaddress
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Protocol

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from atoll.web import told
from atoll.web.errors import ApiError, NotSignedIn, TooMany, api_error, refused_by_status
from atoll.web.internal import HEALTH
from atoll.web.requests import bearer

AT_ONCE = 8
LEAST = 2  # of each, while others have something to do here, too
LINGERS_S = 2.0  # who was here so lately counts as one of the others: pages ask again and again
MOST_WAITING = 64
RETRY_AFTER_S = 5
STRANGERS_BYTES = 16 << 10  # who is not signed in can send nothing longer than a name and a password
ARRIVES_S = 60.0  # a megabyte, the longest that the gateway lets through, by 150 kbit/s
_SIGNED_OUT = 401
_NETWORK_V6 = 64  # what one machine may choose its addresses from
_SITE_V6 = 48  # what one customer may choose the networks of its machines from (RFC 6177)


class Holders(Protocol):
    """Who holds what a token opens: a session, or what an access token may."""

    def known(self, token: str) -> str | None:
        """The user's id, where it was found before."""

    async def find(self, token: str) -> str | None:
        """The user's id, None for a token that opens nothing."""

    def forget(self, token: str) -> None:
        """It opened nothing just now: who shows it is a stranger from now on."""


@dataclass
class _Line:
    """Of one user (or address): those that are worked on, and those that wait."""

    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    working: int = 0
    seen: float = 0.0

    @property
    def here(self) -> int:
        return self.working + len(self.waiting)


class Turn:
    """What one request has until it is answered, or waits for what has a limit of its own."""

    def __init__(self, ended: Callable[[], None]) -> None:
        self._ended: Callable[[], None] | None = ended

    def give_back(self) -> None:
        """Let the next one have it."""
        if self._ended is not None:
            ended, self._ended = self._ended, None
            ended()


class Lines:
    """One line each for those with something to do here: of each, some have a turn and the others wait.

    `at_once` of each when nobody else is here. All have one thread to share, so with others here it is a share of that,
    `least` at least: what is under way for one is what another one's request has to go between. By default the same.

    `waiting` of each wait at a time, each for `wait_s` at most (None: until it is called). Where a turn may take
    seconds, both have to be so small that nobody waits for longer than the other side does: who has left is still
    served.
    """

    def __init__(
        self, at_once: int, least: int | None = None, *, waiting: int = MOST_WAITING, wait_s: float | None = None
    ) -> None:
        self._at_once = at_once
        self._waiting = waiting
        self._wait_s = wait_s
        self._least = at_once if least is None else least
        self._lingers_s = LINGERS_S if self._least < at_once else 0.0
        self._lines: dict[str, _Line] = {}  # who was here last is last

    @contextlib.asynccontextmanager
    async def turn(self, of: str) -> AsyncIterator[Turn]:
        """Wait for a turn, in order. Raises TooMany when too many wait already, or none came in time."""
        self._forget()
        line = self._lines.pop(of, None) or _Line()
        self._lines[of] = line
        line.seen = time.monotonic()
        problem = told.TooManyRequests(limit=self._at_once + self._waiting)
        crowded = TooMany(problem, headers={"Retry-After": str(RETRY_AFTER_S)})
        if len(line.waiting) >= self._waiting:
            raise crowded
        if line.waiting or line.working >= self._share():
            try:
                async with asyncio.timeout(self._wait_s):
                    await self._called(line)
            except TimeoutError:
                raise crowded from None
        else:
            line.working += 1
        turn = Turn(lambda: self._end(line))
        try:
            yield turn
        finally:
            turn.give_back()

    async def _called(self, line: _Line) -> None:
        """Wait until it is this one's turn. Who leaves with a turn in hand passes it on."""
        call = asyncio.get_running_loop().create_future()
        line.waiting.append(call)
        try:
            await call
        except asyncio.CancelledError:
            if call.done() and not call.cancelled():
                self._end(line)
            with contextlib.suppress(ValueError):  # passed over meanwhile
                line.waiting.remove(call)
            raise

    def _end(self, line: _Line) -> None:
        line.working -= 1
        self._forget()
        share = self._share()
        while line.waiting and line.working < share:
            call = line.waiting.popleft()
            if not call.done():
                line.working += 1
                call.set_result(None)

    def _share(self) -> int:
        """How many of each may be worked on now."""
        return max(self._least, self._at_once // max(1, len(self._lines)))

    def _forget(self) -> None:
        """Those who have nothing here and left long enough ago."""
        stale = time.monotonic() - self._lingers_s
        gone = []
        for name, line in self._lines.items():
            if line.seen > stale:
                break
            if not line.here:
                gone.append(name)
        for name in gone:
            del self._lines[name]


class Turns:
    """Lets a few requests of a user be worked on at a time, however many sessions the user has.

    `AT_ONCE`, and down to `LEAST` while others are here. Others of the user wait, in order; further ones are refused.
    What is being answered counts no more, so live views and downloads have limits of their own. Whose session it is, is
    found in turns of the address; so is what comes without a session that opens anything.

    A request has its turn once it is here as a whole, which it has to be within `ARRIVES_S`: who sends slowly takes
    nothing from others behind the same address, nor, by what once opened something or opens little, from its user. Of
    bodies longer than `STRANGERS_BYTES`, `AT_ONCE` of a user are held at a time, and of who is not signed in none.
    """

    def __init__(self, app: ASGIApp, cookie: str, holders: Holders) -> None:
        self._app = app
        self._cookie = cookie
        self._holders = holders
        # Users by their ids and strangers by their addresses share one thread.
        self._callers, self._addresses = Lines(AT_ONCE, LEAST), Lines(AT_ONCE)
        self._long = Lines(AT_ONCE, wait_s=ARRIVES_S / 2)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on when it is its turn."""
        if scope["type"] != "http" or scope["path"] in HEALTH:
            await self._app(scope, receive, send)
            return
        async with contextlib.AsyncExitStack() as held:
            try:
                token = self._shown(HTTPConnection(scope))
                user = await self._user(token, scope)
                receive = await self._whole(receive, user, held)
                of = machine(_address(scope)) if user is None else user
                turn = await held.enter_async_context(self._callers.turn(of))
            except (ApiError, HTTPException) as error:
                refused = error if isinstance(error, ApiError) else refused_by_status(error)
                await api_error(Request(scope), refused)(scope, receive, send)
                return
            scope.setdefault("state", {})["turn"] = turn

            async def answered(message: Message) -> None:
                if message["type"] == "http.response.start":
                    turn.give_back()
                    if message["status"] == _SIGNED_OUT and user is not None:
                        self._holders.forget(token)
                await send(message)

            await self._app(scope, receive, answered)

    def _shown(self, connection: HTTPConnection) -> str:
        """What says who asks; empty without."""
        token = bearer(connection.headers)
        return connection.cookies.get(self._cookie, "") if token is None else token

    async def _user(self, token: str, scope: Scope) -> str | None:
        user = self._holders.known(token) if token else None
        if user is not None or not token:
            return user
        async with self._addresses.turn(machine(_address(scope))):
            return await self._holders.find(token)

    async def _whole(self, receive: Receive, user: str | None, held: contextlib.AsyncExitStack) -> Receive:
        """What gives the request's body at once, now that it is here; a long one has its place while `held` lasts.

        Raises NotSignedIn for a long one of nobody, TooMany, HTTPException for one that is not here in time.
        """
        body, long = bytearray(), False
        try:
            async with asyncio.timeout(ARRIVES_S):
                message = await receive()
                while message["type"] == "http.request":
                    body += message.get("body", b"")
                    if not long and len(body) > STRANGERS_BYTES:
                        if user is None:
                            raise NotSignedIn(told.NotSignedIn())
                        await held.enter_async_context(self._long.turn(user))
                        long = True
                    if not message.get("more_body", False):
                        break
                    message = await receive()
        except TimeoutError:
            slow = f"the body of the request was not here within {ARRIVES_S:g} seconds"
            raise HTTPException(408, slow, {"Connection": "close"}) from None
        if message["type"] == "http.disconnect":
            raise NotSignedIn(told.NotSignedIn())  # nobody hears it
        first: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def replayed() -> Message:
            return first.pop() if first else await receive()

        return replayed


def give_back(request: Request) -> None:
    """The request holds no turn while it waits for what has a limit of its own."""
    turn: Turn | None = getattr(request.state, "turn", None)
    if turn is not None:
        turn.give_back()


def machine(host: str) -> str:
    """What stands for the other side: its address; of IPv6 the network, whose addresses one machine may all have."""
    return _network(host, _NETWORK_V6)


def site(host: str) -> str:
    """What stands for all that one customer of a network may send from: an address; of IPv6 the /48."""
    return _network(host, _SITE_V6)


def _network(host: str, length_v6: int) -> str:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else str(ipaddress.ip_network((int(address), length_v6), strict=False))


def _address(scope: Scope) -> str:
    return str(scope["client"][0]) if scope["client"] else ""
