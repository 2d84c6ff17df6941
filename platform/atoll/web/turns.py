"""Whose requests are worked on: a few of each user at a time, so that nobody's many keep others waiting."""

import asyncio
import contextlib
import ipaddress
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from atoll.web import told
from atoll.web.errors import TooMany, api_error

AT_ONCE = 8
MOST_WAITING = 64
RETRY_AFTER_S = 5
_NETWORK_V6 = 64  # what one machine may choose its addresses from


class Holders(Protocol):
    """Who holds the session of a token."""

    def known(self, token: str) -> str | None:
        """The user's id, where it was found before."""

    async def find(self, token: str) -> str | None:
        """The user's id, None for a token that opens nothing."""


@dataclass
class _Line:
    """Of one user (or address): those that are worked on, and those that wait."""

    free: asyncio.Semaphore
    waiting: int = 0
    here: int = 0


class Turn:
    """What one request has until it is answered, or waits for what has a limit of its own."""

    def __init__(self, free: asyncio.Semaphore) -> None:
        self._free: asyncio.Semaphore | None = free

    def give_back(self) -> None:
        """Let the next one have it."""
        if self._free is not None:
            self._free.release()
            self._free = None


class Lines:
    """One line each for those with something to do here: of each, `at_once` have a turn and the others wait."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._lines: dict[str, _Line] = {}

    @contextlib.asynccontextmanager
    async def turn(self, of: str) -> AsyncIterator[Turn]:
        """Wait for a turn, in order. Raises TooMany when too many wait already."""
        line = self._lines.setdefault(of, _Line(asyncio.Semaphore(self._at_once)))
        if line.waiting >= MOST_WAITING:
            problem = told.TooManyRequests(limit=self._at_once + MOST_WAITING)
            raise TooMany(problem, headers={"Retry-After": str(RETRY_AFTER_S)})
        line.here += 1
        try:
            line.waiting += 1
            try:
                await line.free.acquire()
            finally:
                line.waiting -= 1
            turn = Turn(line.free)
            try:
                yield turn
            finally:
                turn.give_back()
        finally:
            line.here -= 1
            if not line.here:
                del self._lines[of]


class Turns:
    """Lets `AT_ONCE` requests of a user be worked on at a time, however many sessions the user has.

    Others of the user wait, in order; further ones are refused. What is being answered counts no more, so live views
    and downloads have limits of their own. Whose session it is, is found in turns of the address. Who has none is
    not kept here: signing in has its own limits.
    """

    def __init__(self, app: ASGIApp, cookie: str, holders: Holders) -> None:
        self._app = app
        self._cookie = cookie
        self._holders = holders
        self._users, self._addresses = Lines(AT_ONCE), Lines(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on when it is its turn."""
        token = HTTPConnection(scope).cookies.get(self._cookie, "") if scope["type"] == "http" else ""
        if not token:
            await self._app(scope, receive, send)
            return
        async with contextlib.AsyncExitStack() as held:
            try:
                user = await self._user(token, scope)
                turn = await held.enter_async_context(self._users.turn(user)) if user is not None else None
            except TooMany as error:
                await api_error(Request(scope), error)(scope, receive, send)
                return
            scope.setdefault("state", {})["turn"] = turn

            async def answered(message: Message) -> None:
                if turn is not None and message["type"] == "http.response.start":
                    turn.give_back()
                await send(message)

            await self._app(scope, receive, answered)

    async def _user(self, token: str, scope: Scope) -> str | None:
        user = self._holders.known(token)
        if user is not None:
            return user
        async with self._addresses.turn(_machine(scope)):
            return await self._holders.find(token)


def give_back(request: Request) -> None:
    """The request holds no turn while it waits for what has a limit of its own."""
    turn: Turn | None = getattr(request.state, "turn", None)
    if turn is not None:
        turn.give_back()


def _machine(scope: Scope) -> str:
    """The address of the other side; of IPv6 the network, whose addresses one machine may all have."""
    host = scope["client"][0] if scope["client"] else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else str(ipaddress.ip_network((int(address), _NETWORK_V6), strict=False))
