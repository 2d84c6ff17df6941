"""One user who does everything at ten times what one may, for a while; prints what was answered how often, as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import httpx


class Heavy:
    """What it is told: address, headers and cookies of a session, task, seconds, and how many of each at a time."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told
        # Two sessions: what waits for seconds would keep the other requests of its session waiting, too.
        self._http, self._other = (
            httpx.AsyncClient(
                base_url=told["url"],
                headers=told["headers"],
                cookies=cookies,
                timeout=30,
                limits=httpx.Limits(max_connections=None),
            )
            for cookies in told["cookies"]
        )
        self.answers: dict[str, Counter[str]] = {}
        self.without_retry: Counter[str] = Counter()

    async def run(self) -> None:
        """All of it at the same time."""
        doing: dict[str, Callable[[int], Awaitable[httpx.Response]]] = {
            "streams": self._stream,
            "downloads": self._download,
            "lists": lambda _: self._http.get("/home/files"),
            "submissions": lambda _: self._http.post("/trainings", json=self._told["training"]),
            "archives": lambda _: self._http.post("/home/archives", json={"path": "code"}),
            "metrics": lambda _: self._http.get(f"/tasks/{self._told['task']}/metrics"),
            "bodies": lambda _: self._http.post("/trainings", content=b"[" * (1 << 20)),
        }
        work = [
            self._again(name, doing[name], number)
            for name, count in self._told["at_once"].items()
            for number in range(count)
        ]
        async with self._http, self._other:
            await asyncio.gather(*work)

    async def _again(self, name: str, act: Callable[[int], Awaitable[httpx.Response]], number: int) -> None:
        answers = self.answers.setdefault(name, Counter())
        try:
            async with asyncio.timeout(self._told["seconds"]):
                while True:
                    try:
                        answer = await act(number)
                    except httpx.HTTPError as error:
                        answers[type(error).__name__] += 1
                    else:
                        answers[str(answer.status_code)] += 1
                        if answer.status_code == 429 and "Retry-After" not in answer.headers:
                            self.without_retry[name] += 1
                        await asyncio.sleep(0.2)  # a client that does not listen to Retry-After
        except TimeoutError:
            pass

    async def _stream(self, number: int) -> httpx.Response:
        path = ("/tasks/stream", "/operations/stream")[number % 2]
        async with self._http.stream("GET", path) as answer:
            if answer.is_success:
                self.answers["streams"]["200"] += 1
                await asyncio.Event().wait()  # it reads nothing of it
            await answer.aread()
        return answer

    async def _download(self, _number: int) -> httpx.Response:
        async with self._other.stream("GET", "/home/files/content", params={"path": "large"}) as answer:
            if answer.is_success:
                self.answers["downloads"]["200"] += 1
                await asyncio.Event().wait()
            await answer.aread()
        return answer


if __name__ == "__main__":
    heavy = Heavy(json.loads(sys.argv[1]))
    asyncio.run(heavy.run())
    print(json.dumps({"answers": heavy.answers, "without_retry": heavy.without_retry}))
