"""A session that ends between the judging of a request and the first byte of its answer: nothing flows for it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from atoll.homes import client
from atoll.identity import dependencies
from atoll.identity.caller import Caller
from atoll.identity.codes import MustChangePassword
from atoll.identity.dependencies import SentWhileSignedIn
from atoll.web.errors import NotAllowed
from fastapi import Request, Response
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import Client, RunningPlatform
from tests.unit.platform.identity.test_access_tokens_end import change, owner
from tests.unit.platform.people import told

__all__ = ["owner"]

Change = Callable[[], Awaitable[Any]]
# As it is found when nobody heard that it changed.
CHANGES = {
    "the session ends": ("DELETE FROM sessions WHERE user_id = :id", 401, "not_signed_in"),
    "the account is disabled": ("UPDATE users SET active = false WHERE id = :id", 401, "not_signed_in"),
    "rights are taken": ("DELETE FROM user_roles WHERE user_id = :id", 403, "more_than_you_hold"),
}


class Between:
    """What is done once a request is judged, and before its answer begins."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type[Response]) -> None:
        self.do: Change | None = None
        usual = kind.__call__
        between = self

        async def called(answer: Response, *arguments: Any) -> None:
            if between.do is not None:
                await between.do()
            await usual(answer, *arguments)

        monkeypatch.setattr(kind, "__call__", called)


async def administrator(platform: RunningPlatform, owner: AsyncEngine) -> tuple[Client, str]:
    """One who may export, with their id."""
    eve = await platform.user(await platform.admin(), "eve", roles=["admin"])
    async with owner.connect() as connection:
        user = await connection.scalar(text("SELECT id FROM users WHERE name = 'eve'"))
    return eve, str(user)


@pytest.mark.parametrize("path", ["/audit/export", "/users/export"])
@pytest.mark.parametrize("how", CHANGES)
async def test_nothing_is_exported_by_who_may_no_longer_before_the_first_byte(
    portal: RunningPlatform, owner: AsyncEngine, monkeypatch: pytest.MonkeyPatch, path: str, how: str
) -> None:
    eve, user = await administrator(portal, owner)
    between = Between(monkeypatch, SentWhileSignedIn)
    assert (await eve.post(path)).status_code == 200
    statement, *refused = CHANGES[how]
    between.do = lambda: change(owner, statement, id=user)
    answer = await eve.post(path)
    assert [*told(answer)[:2]] == refused, f"{how}: it was sent after all"
    exports = (await (await portal.admin()).get("/audit", params={"actor": "eve"})).json()["items"]
    assert len([each for each in exports if each["action"].endswith(".export")]) == 1


async def test_no_file_is_sent_to_who_may_no_longer_before_the_first_byte(
    platform: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    platform.home("ada").mkdir(parents=True, exist_ok=True)
    (platform.home("ada") / "file").write_bytes(b"content")
    closed: list[object] = []
    usual = client._Exactly.aclose

    async def aclose(content: client._Exactly) -> None:
        closed.append(content)
        await usual(content)

    monkeypatch.setattr(client._Exactly, "aclose", aclose)
    between = Between(monkeypatch, SentWhileSignedIn)
    between.do = lambda: ada.delete("/session")
    answer = await ada.get("/home/files/content?path=file")
    assert told(answer)[:2] == (401, "not_signed_in"), "it was sent after all"
    assert closed, "the connection to `files` is kept for nobody"


async def test_a_live_view_says_nothing_to_who_may_no_longer_before_its_first_event(
    portal: RunningPlatform, owner: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve, user = await administrator(portal, owner)
    between = Between(monkeypatch, dependencies._OfUser)
    between.do = lambda: change(owner, CHANGES["the session ends"][0], id=user)
    lines: list[str] = []
    try:
        async with asyncio.timeout(10), eve.http.stream("GET", "/tasks/stream") as answer:
            lines += [line async for line in answer.aiter_lines()]
    except TimeoutError:
        pytest.fail(f"it goes on: {lines}")
    assert "event: hello" not in lines


@pytest.mark.parametrize("times", range(3))
async def test_an_answer_that_is_refused_while_its_session_changes_hangs_for_no_look(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """In Python 3.11 `asyncio.wait_for` forgets that it was cancelled where what it waits for comes just then."""
    changes = asyncio.Event()

    @contextlib.asynccontextmanager
    async def sessions_ended(*_arguments: Any) -> AsyncIterator[asyncio.Event]:
        yield changes

    async def judged(*_arguments: Any) -> bool:
        return True

    class Refused(Response):
        async def __call__(self, *_arguments: Any) -> None:
            for _ in range(2):
                await asyncio.sleep(0)
            changes.set()
            for _ in range(times):
                await asyncio.sleep(0)
            raise NotAllowed(MustChangePassword())

    monkeypatch.setattr(dependencies, "_sessions_ended", sessions_ended)
    monkeypatch.setattr(dependencies, "_judge_again", judged)
    monkeypatch.setattr(dependencies, "_holds", judged)
    anything = cast(Any, SimpleNamespace())
    answer = SentWhileSignedIn(Refused(), cast(Request, anything), anything, cast(Caller, anything))
    try:
        async with asyncio.timeout(5):
            with pytest.raises(NotAllowed):
                await answer({"type": "http"}, anything, anything)
    except TimeoutError:
        pytest.fail("it hangs until it is time to look")


async def test_what_nobody_began_to_read_is_given_back() -> None:
    class Stream(httpx.AsyncByteStream):
        closed = False

        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"content"

        async def aclose(self) -> None:
            self.closed = True

    stream = Stream()
    upstream = httpx.Response(200, stream=stream)
    await client._Exactly(upstream, 7).aclose()
    assert stream.closed


@pytest.mark.parametrize(("size", "read"), [(0, b""), (3, b"abc"), (4, b"abcd"), (9, b"abcdefgh")])
async def test_as_much_is_sent_as_was_promised(size: int, read: bytes) -> None:
    async def content() -> AsyncIterator[bytes]:
        yield b"abcd"
        yield b"efgh"

    upstream = httpx.Response(200, content=content())
    assert b"".join([each async for each in client._Exactly(upstream, size)]) == read
    assert upstream.is_closed
