"""Whose requests are worked on: a few of each session at a time, so that nobody's many keep others waiting."""

import asyncio
from dataclasses import dataclass, field

from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

AT_ONCE = 8


@dataclass
class _Session:
    """One with requests here: worked on, or waiting."""

    free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    here: int = 0


class Turns:
    """Lets `AT_ONCE` requests of a session be worked on at a time; what is being answered counts no more.

    So live views and downloads have limits of their own. Others of the session wait, in order.
    """

    def __init__(self, app: ASGIApp, cookie: str) -> None:
        self._app = app
        self._cookie = cookie
        self._sessions: dict[str, _Session] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on when it is its turn."""
        token = self._token(scope) if scope["type"] == "http" else ""
        if not token:
            await self._app(scope, receive, send)
            return
        session = self._sessions.setdefault(token, _Session())
        session.here += 1
        try:
            await session.free.acquire()
            working = True

            async def answered(message: Message) -> None:
                nonlocal working
                if working and message["type"] == "http.response.start":
                    working = False
                    session.free.release()
                await send(message)

            try:
                await self._app(scope, receive, answered)
            finally:
                if working:
                    session.free.release()
        finally:
            session.here -= 1
            if not session.here:
                del self._sessions[token]

    def _token(self, scope: Scope) -> str:
        for name, value in scope["headers"]:
            if name == b"cookie":
                return cookie_parser(value.decode("latin-1")).get(self._cookie, "")
        return ""
