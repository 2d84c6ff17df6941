"""Turns of sessions in the API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
import pytest
from atoll.web.turns import AT_ONCE, Turns
from fastapi import FastAPI
from fastapi.responses import Response, StreamingResponse

from tests.unit.platform.conftest import eventually, serving


@dataclass
class Work:
    """A service whose answers wait for a word."""

    url: str = ""
    inside: list[str] = field(default_factory=list)
    word: asyncio.Event = field(default_factory=asyncio.Event)

    def ask(self, http: httpx.AsyncClient, session: str, path: str = "/slow") -> asyncio.Task[httpx.Response]:
        cookies = {"Cookie": f"other=1; atoll_session={session}"} if session else {}
        return asyncio.create_task(http.get(self.url + path, headers=cookies))


@pytest.fixture
async def work() -> AsyncIterator[Work]:
    made = Work()
    app = FastAPI()

    @app.get("/slow")
    async def slow(who: str = "") -> str:
        made.inside.append(who)
        try:
            await made.word.wait()
        finally:
            made.inside.remove(who)
        return who

    @app.get("/stream")
    async def stream() -> Response:
        async def content() -> AsyncIterator[bytes]:
            yield b"first"
            await made.word.wait()

        return StreamingResponse(content())

    @app.get("/quick")
    async def quick() -> str:
        return "here"

    @app.get("/breaks")
    async def breaks() -> str:
        raise ValueError("as told")

    app.add_middleware(Turns, cookie="atoll_session")
    async with serving(app) as port:
        made.url = f"http://127.0.0.1:{port}"
        try:
            yield made
        finally:
            made.word.set()


async def test_a_few_of_one_session_are_worked_on_at_a_time_and_others_do_not_wait_for_it(work: Work) -> None:
    async with httpx.AsyncClient(timeout=10) as http:
        many = [work.ask(http, "ada", "/slow?who=ada") for _ in range(3 * AT_ONCE)]

        async def full() -> bool:
            return len(work.inside) >= AT_ONCE

        await eventually(full)
        for who in ("bob", ""):
            assert (await work.ask(http, who, "/quick")).text == '"here"'
        assert work.inside == ["ada"] * AT_ONCE
        work.word.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}
        assert (await work.ask(http, "ada", "/quick")).status_code == 200


async def test_what_is_being_answered_or_was_given_up_takes_no_turn(work: Work) -> None:
    async with httpx.AsyncClient(timeout=10, limits=httpx.Limits(max_connections=None)) as http:
        streams = [work.ask(http, "ada", "/stream") for _ in range(2 * AT_ONCE)]
        broken = [work.ask(http, "ada", "/breaks") for _ in range(2 * AT_ONCE)]
        assert {answer.status_code for answer in await asyncio.gather(*broken)} == {500}
        assert (await work.ask(http, "ada", "/quick")).status_code == 200
        work.word.set()
        assert {answer.text for answer in await asyncio.gather(*streams)} == {"first"}
