"""How much the service works on for each caller at a time: its threads are for all of them."""

from __future__ import annotations

from collections import Counter, defaultdict

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from installer.control.callers import CALLERS, NOBODY
from installer.control.problems import TOO_MANY_REQUESTS, Problem, answer

MOST_WAITING = 256


class Turns:
    """Has requests of a caller wait for each other beyond as many as its row says; too many are refused.

    A turn ends when the answer begins: what a stream takes from there on is counted by `streams.py`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._here: Counter[str] = Counter()
        self._turns: defaultdict[str, anyio.Semaphore] = defaultdict(lambda: anyio.Semaphore(NOBODY.at_once))
        self._turns.update({name: anyio.Semaphore(rights.at_once) for name, rights in CALLERS.items()})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in turn."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name = str(scope.get("state", {}).get("caller", "unnamed"))
        name = name if name in CALLERS else ""  # whoever may nothing: they have one share together
        if self._here[name] >= MOST_WAITING:
            text = f"{MOST_WAITING} requests with the certificate of `{name}` wait already."
            await answer(Problem(TOO_MANY_REQUESTS, text, "Try again in some seconds."))(scope, receive, send)
            return
        turn = self._turns[name]
        begun = False

        def end() -> None:
            nonlocal begun
            if begun:
                begun = False
                turn.release()

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                end()
            await send(message)

        self._here[name] += 1
        try:
            await turn.acquire()
            begun = True
            await self._app(scope, receive, told)
        finally:
            end()
            self._here[name] -= 1
