"""One user who does everything at ten times what one may, for a while; prints what was answered how often, as JSON.

Signed in with some sessions, and without one: signing in again and again, asking without a word of who it is.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

REFUSED = (429, 503)


def code_of(answer: httpx.Response) -> str:
    """What the problem is called, or the status where it is none of ours."""
    try:
        return str(answer.json()["code"])
    except (ValueError, KeyError, TypeError):
        return str(answer.status_code)


class Heavy:
    """What it is told: address, headers, sessions, name and password, task, seconds, and how many of each at a time.

    `addresses` are those that its clients come from, one each.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        verify = ssl.create_default_context(cafile=told.get("ca"))
        self._verify = verify
        self._addresses: list[str | None] = told.get("addresses") or [None]
        self._browsers = [self._browser(cookies, number) for number, cookies in enumerate(told["cookies"])]
        self.answers: dict[str, Counter[str]] = {}
        self.without_retry: Counter[str] = Counter()
        self.clients: Counter[str] = Counter()  # that were answered at all, or hung up on
        self.held: Counter[str] = Counter()  # in the end
        self.last_s: dict[str, float] = {}  # of the last answer, since the beginning
        self._began = 0.0

    def _browser(self, cookies: dict[str, str], number: int) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self._told["url"],
            headers=self._told["headers"],
            cookies=cookies,
            transport=httpx.AsyncHTTPTransport(
                verify=self._verify,
                limits=httpx.Limits(max_connections=None),
                local_address=self._addresses[number % len(self._addresses)],
            ),
            timeout=30,
        )

    async def run(self) -> None:
        """All of it at the same time, each in one of the sessions."""
        doing: dict[str, Callable[[int, httpx.AsyncClient], Awaitable[httpx.Response]]] = {
            "streams": self._stream,
            "downloads": self._download,
            "lists": lambda _, http: http.get("/home/files"),
            "submissions": lambda _, http: http.post("/trainings", json=self._told["training"]),
            "archives": lambda _, http: http.post("/home/archives", json={"path": "code"}),
            "metrics": lambda _, http: http.get(f"/tasks/{self._told['task']}/metrics"),
            "bodies": lambda _, http: http.post("/trainings", content=b"[" * (1 << 20)),
            "sign_ins": self._sign_in,
            "strangers": self._as_stranger,
        }
        # All end at the same moment: else who goes on a little longer gets what another one leaves.
        self._began = asyncio.get_running_loop().time()
        end = self._began + self._told["seconds"]
        work = [
            self._again(end, name, doing[name], number)
            for name, count in self._told["at_once"].items()
            for number in range(count)
        ]
        try:
            await asyncio.gather(*work)
        finally:
            for browser in self._browsers:
                await browser.aclose()

    async def _again(
        self, end: float, name: str, act: Callable[[int, httpx.AsyncClient], Awaitable[httpx.Response]], number: int
    ) -> None:
        answers = self.answers.setdefault(name, Counter())
        browser = self._browsers[number % len(self._browsers)]
        first = 1
        try:
            async with asyncio.timeout_at(end):
                while True:
                    try:
                        answer = await act(number, browser)
                    except httpx.HTTPError as error:
                        answers[type(error).__name__] += 1
                        self.clients[name] += first
                        first = 0
                    else:
                        answers[str(answer.status_code)] += 1
                        self._answered(name, first)
                        first = 0
                        if answer.status_code in REFUSED and "Retry-After" not in answer.headers:
                            self.without_retry[code_of(answer)] += 1
                        await asyncio.sleep(0.2)  # a client that does not listen to Retry-After
        except TimeoutError:
            pass

    def _answered(self, name: str, clients: int) -> None:
        self.clients[name] += clients
        self.last_s[name] = asyncio.get_running_loop().time() - self._began

    async def _stream(self, number: int, http: httpx.AsyncClient) -> httpx.Response:
        path = ("/tasks/stream", "/operations/stream")[number % 2]
        return await self._held("streams", http.stream("GET", path))

    async def _download(self, _number: int, http: httpx.AsyncClient) -> httpx.Response:
        return await self._held("downloads", http.stream("GET", "/home/files/content", params={"path": "large"}))

    async def _sign_in(self, number: int, _http: httpx.AsyncClient) -> httpx.Response:
        """With the right password: wrong ones would close this address to whoever signs in from it next."""
        async with self._browser({}, number) as http:
            return await http.post("/session", json={"name": self._told["name"], "password": self._told["password"]})

    async def _as_stranger(self, number: int, _http: httpx.AsyncClient) -> httpx.Response:
        cookies = {} if number % 2 else {self._told["session_cookie"]: f"guess{number}"}
        async with self._browser(cookies, number) as http:
            return await http.get("/tasks")

    async def _held(self, name: str, begun: Any) -> httpx.Response:
        async with begun as answer:
            if answer.is_success:
                self.answers[name]["200"] += 1
                self._answered(name, 1)
                self.held[name] += 1
                await asyncio.Event().wait()  # it reads nothing of it
            await answer.aread()
            found: httpx.Response = answer
        return found

    @property
    def broken(self) -> list[str]:
        """Answers that nobody should get, whatever is asked for."""
        statuses = {status for answers in self.answers.values() for status in answers}
        return sorted(status for status in statuses if status.startswith("5") and status != "503")


if __name__ == "__main__":
    heavy = Heavy(json.loads(sys.stdin.read()))
    asyncio.run(heavy.run())
    told = {"answers": heavy.answers, "without_retry": heavy.without_retry, "broken": heavy.broken}
    print(json.dumps(told | {"clients": heavy.clients, "held": heavy.held, "last_s": heavy.last_s}))
