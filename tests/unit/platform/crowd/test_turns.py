"""Turns of users in the API."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
import pytest
from atoll.web import told, turns
from atoll.web.errors import TooMany, Unavailable
from atoll.web.turns import AT_ONCE, LEAST, LINGERS_S, MOST_WAITING, STRANGERS_BYTES, Lines, Turns, give_back
from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from tests.unit.platform.conftest import eventually, serving, trust


@dataclass
class Holders:
    """Whose sessions there are: the token `ada-1` opens one of `ada`; those of `late` are only found at a word."""

    looks: list[str] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    word: asyncio.Event = field(default_factory=asyncio.Event)

    def known(self, token: str) -> str | None:
        return None if token.startswith(("late", "lost", "nobody")) else token.partition("-")[0]

    async def find(self, token: str) -> str | None:
        self.looks.append(token)
        if token.startswith("late"):
            await self.word.wait()
        if token.startswith("lost"):
            raise Unavailable(told.DatabaseUnavailable())
        return None

    def forget(self, token: str) -> None:
        self.forgotten.append(token)


@dataclass
class Work:
    """A service whose answers wait for a word."""

    url: str = ""
    inside: list[str] = field(default_factory=list)
    word: asyncio.Event = field(default_factory=asyncio.Event)
    holders: Holders = field(default_factory=Holders)

    def ask(
        self, http: httpx.AsyncClient, session: str, path: str = "/slow", address: str = "192.0.2.1"
    ) -> asyncio.Task[httpx.Response]:
        headers = [("X-Forwarded-For", address)]
        if session:  # a second header of that name counts as well
            headers += [("Cookie", "other=1"), ("Cookie", f"more=2; atoll_session={session}")]
        return asyncio.create_task(http.get(self.url + path, headers=headers))

    async def full(self) -> bool:
        return len(self.inside) >= AT_ONCE


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

    @app.get("/elsewhere")
    async def elsewhere(request: Request) -> str:
        give_back(request)
        return await slow("elsewhere")

    @app.get("/stream")
    async def stream() -> Response:
        async def content() -> AsyncIterator[bytes]:
            yield b"first"
            await made.word.wait()

        return StreamingResponse(content())

    @app.post("/body")
    async def body(request: Request) -> int:
        made.inside.append("body")
        return len(await request.body())

    @app.get("/healthz")
    async def healthz() -> str:
        return "ok"

    @app.get("/quick")
    async def quick() -> str:
        return "here"

    @app.get("/ended")
    async def ended() -> Response:
        return Response(status_code=401)

    @app.get("/denied")
    async def denied() -> Response:
        return Response(status_code=403)

    @app.get("/breaks")
    async def breaks() -> str:
        raise ValueError("as told")

    app.add_middleware(Turns, cookie="atoll_session", holders=made.holders)
    async with serving(app) as port:
        made.url = f"http://127.0.0.1:{port}"
        try:
            yield made
        finally:
            made.word.set()
            made.holders.word.set()


def client() -> httpx.AsyncClient:
    return httpx.AsyncClient(verify=trust(), timeout=10, limits=httpx.Limits(max_connections=None))


def shown(session: str) -> dict[str, str]:
    return {"Cookie": f"atoll_session={session}"}


def unfinished(
    http: httpx.AsyncClient, work: Work, session: str, begun: bytes
) -> tuple[list[asyncio.Task[httpx.Response]], asyncio.Event]:
    """As many requests as a user has turns, whose bodies end at a word."""
    word = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield begun
        await word.wait()
        yield b" more"

    asked = (http.post(work.url + "/body", content=slow(), headers=shown(session)) for _ in range(AT_ONCE))
    return [asyncio.create_task(each) for each in asked], word


async def test_a_few_of_one_user_are_worked_on_at_a_time_and_others_do_not_wait_for_it(work: Work) -> None:
    async with client() as http:
        many = [work.ask(http, f"ada-{number}", "/slow?who=ada") for number in range(3 * AT_ONCE)]
        await eventually(work.full)
        for who in ("bob", ""):
            assert (await work.ask(http, who, "/quick")).text == '"here"'
        assert work.inside == ["ada"] * AT_ONCE
        work.word.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}
        assert (await work.ask(http, "ada", "/quick")).status_code == 200


async def test_of_one_users_many_some_wait_and_further_ones_are_refused_in_words(work: Work) -> None:
    async with client() as http:
        many = [work.ask(http, "ada", "/slow?who=ada") for _ in range(AT_ONCE + MOST_WAITING)]
        await eventually(work.full)
        refused = await asyncio.gather(*(work.ask(http, "ada-2") for _ in range(3)))
        for answer in refused:
            assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
            assert int(answer.headers["Retry-After"]) > 0
        work.word.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}


async def test_whose_session_it_is_is_found_in_turns_of_the_address(work: Work) -> None:
    async with client() as http:
        ours = [f"2001:db8:0:1::{number:x}" for number in range(1, 3 * AT_ONCE)]
        late = [work.ask(http, f"late-{address}", "/quick", address) for address in ours]

        async def full() -> bool:
            return len(work.holders.looks) >= AT_ONCE

        await eventually(full)
        for session, address in (("nobody", "2001:db8:0:2::1"), ("nobody", "192.0.2.1"), ("bob", ours[0])):
            assert (await work.ask(http, session, "/quick", address)).status_code == 200
        assert len([token for token in work.holders.looks if token.startswith("late")]) == AT_ONCE
        work.holders.word.set()
        assert {answer.status_code for answer in await asyncio.gather(*late)} == {200}


async def test_what_waits_for_a_limit_of_its_own_takes_no_turn(work: Work) -> None:
    async with client() as http:
        many = [work.ask(http, "ada", "/elsewhere") for _ in range(2 * AT_ONCE)]
        await eventually(work.full)
        assert (await work.ask(http, "ada", "/quick")).text == '"here"'
        work.word.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}


async def test_what_is_being_answered_or_was_given_up_takes_no_turn(work: Work) -> None:
    async with client() as http:
        streams = [work.ask(http, "ada", "/stream") for _ in range(2 * AT_ONCE)]
        broken = [work.ask(http, "ada", "/breaks") for _ in range(2 * AT_ONCE)]
        assert {answer.status_code for answer in await asyncio.gather(*broken)} == {500}
        assert (await work.ask(http, "ada", "/quick")).status_code == 200
        work.word.set()
        assert {answer.text for answer in await asyncio.gather(*streams)} == {"first"}


async def test_who_cannot_be_looked_up_is_told_so_and_not_taken_for_a_stranger(work: Work) -> None:
    async with client() as http:
        answer = await work.ask(http, "lost")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unavailable")
    assert work.inside == []


async def test_what_asks_by_an_access_token_counts_as_its_owners(work: Work) -> None:
    async with client() as http:
        many = [work.ask(http, f"ada-{number}", "/slow?who=ada") for number in range(AT_ONCE)]
        await eventually(work.full)
        shown = {"Authorization": "Bearer ada-token", "Cookie": "atoll_session=bob"}
        late = asyncio.create_task(http.get(work.url + "/quick", headers=shown))
        bob = {"Authorization": "Bearer bob-token", "Cookie": "atoll_session=ada-1"}
        assert (await http.get(work.url + "/quick", headers=bob)).status_code == 200
        await asyncio.sleep(0.3)
        assert not late.done(), "it took another one's turn"
        work.word.set()
        assert (await late).status_code == 200
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}


async def test_who_shows_what_has_ended_takes_no_more_turns_of_whose_it_was(work: Work) -> None:
    async with client() as http:
        assert (await work.ask(http, "ada-1", "/ended")).status_code == 401
        assert (await work.ask(http, "nobody", "/ended")).status_code == 401
        assert (await work.ask(http, "", "/ended")).status_code == 401
        assert (await work.ask(http, "ada-2", "/denied")).status_code == 403
        shown = {"Authorization": "Bearer ada-token"}
        assert (await http.get(work.url + "/ended", headers=shown)).status_code == 401
    assert work.holders.forgotten == ["ada-1", "ada-token"], "it takes turns of its owner"


async def test_who_sends_slowly_takes_no_turn_of_the_user_whose_session_it_shows(work: Work) -> None:
    async with client() as http:
        many, word = unfinished(http, work, "ada", b"some")
        await asyncio.sleep(0.3)
        assert work.inside == [], "the user gave a turn before the body was here"
        assert (await work.ask(http, "ada", "/quick")).status_code == 200
        word.set()
        assert [(await each).text for each in many] == ["9"] * len(many)


async def test_a_body_that_is_not_here_in_time_is_waited_for_no_longer(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "ARRIVES_S", 0.5)
    for session in ("ada", ""):
        reader, writer = await asyncio.open_connection("127.0.0.1", httpx.URL(work.url).port)
        writer.write(f"POST /body HTTP/1.1\r\nHost: x\r\nCookie: atoll_session={session}\r\n".encode())
        writer.write(b"Content-Length: 9\r\n\r\nsome")
        try:
            answer = await asyncio.wait_for(reader.read(), 5)  # until the other side closes it
        except TimeoutError:
            pytest.fail("it is waited for without end")
        writer.close()
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"not here within 0.5 seconds" in answer


async def test_of_a_users_long_bodies_some_are_held_at_a_time(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "ARRIVES_S", 2)
    long = b"x" * (STRANGERS_BYTES + 1)
    async with client() as http:
        many, word = unfinished(http, work, "ada", long)
        await asyncio.sleep(0.5)
        assert (await http.post(work.url + "/body", content=long, headers=shown("bob"))).text == str(len(long))
        one_more = asyncio.create_task(http.post(work.url + "/body", content=long, headers=shown("ada")))
        await asyncio.sleep(0.3)
        assert not one_more.done(), "more of them are held"
        assert (await http.post(work.url + "/body", content=b"short", headers=shown("ada"))).text == "5"
        word.set()
        assert {answer.status_code for answer in await asyncio.gather(*many, one_more)} == {200}


async def test_while_others_are_here_fewer_of_each_are_worked_on(work: Work) -> None:
    async with client() as http:
        for who in ("bob", "cid"):
            assert (await work.ask(http, who, "/quick")).status_code == 200
        many = [work.ask(http, "ada", "/slow?who=ada") for _ in range(3 * AT_ONCE)]
        await asyncio.sleep(0.5)
        assert len(work.inside) == LEAST
        work.word.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}
        await asyncio.sleep(LINGERS_S + 0.1)
        work.word.clear()
        alone = [work.ask(http, "ada", "/slow?who=ada") for _ in range(3 * AT_ONCE)]
        await eventually(work.full)
        work.word.set()
        await asyncio.gather(*alone)


async def test_who_gives_up_while_waiting_loses_nobody_a_turn() -> None:
    lines, word = Lines(2, 1), asyncio.Event()
    order: list[int] = []

    async def one(number: int) -> None:
        async with lines.turn("ada"):
            order.append(number)
            await word.wait()

    first = [asyncio.create_task(one(number)) for number in range(2)]
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(one(number)) for number in range(2, 8)]
    await asyncio.sleep(0)
    waiting[0].cancel()  # while it waits
    word.set()
    await asyncio.gather(*first)  # two are called
    waiting[1].cancel()  # called, and gone before it began
    waiting[2].cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.gather(*waiting[:3])
    await asyncio.gather(*waiting[3:])
    assert order[:2] == [0, 1]
    assert order[-3:] == [5, 6, 7]


async def test_who_would_wait_for_too_long_is_told_to_come_again() -> None:
    """A turn takes as long as it takes; who left in the meantime would be served for nobody."""
    lines, word = Lines(1, waiting=2, wait_s=0.2), asyncio.Event()
    order: list[int] = []

    async def one(number: int) -> None:
        async with lines.turn("ada"):
            order.append(number)
            await word.wait()

    asked = [asyncio.create_task(one(number)) for number in range(4)]
    await asyncio.sleep(0.05)
    assert [each.done() for each in asked] == [False, False, False, True], "who has no room to wait is not told at once"
    await asyncio.sleep(0.4)
    assert [each.done() for each in asked[:3]] == [False, True, True], "it waits for as long as others work"
    refused = [each.exception() for each in asked[1:]]
    assert all(isinstance(each, TooMany) and each.headers["Retry-After"] for each in refused)
    again = asyncio.create_task(one(4))
    await asyncio.sleep(0)
    word.set()
    await asyncio.gather(asked[0], again)
    assert order == [0, 4], "who gave up has a turn"
