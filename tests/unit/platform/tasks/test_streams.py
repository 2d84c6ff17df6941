"""Streams and the sessions for which they flow."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from atoll.identity import dependencies
from atoll.web.events import as_long_as, event
from sse_starlette import ServerSentEvent

from tests.unit.platform.conftest import RunningPlatform, eventually, training


class Source:
    """Some events, then silence."""

    def __init__(self, *, ends: bool) -> None:
        self.ends = ends
        self.closed = False

    async def events(self) -> AsyncGenerator[ServerSentEvent, None]:
        try:
            for number in range(3):
                yield event("log", identifier=str(number))
            if not self.ends:
                await asyncio.Event().wait()
        finally:
            self.closed = True


async def no() -> bool:
    return False


async def yes() -> bool:
    return True


async def test_events_pass_and_a_silent_stream_ends_when_it_may_not_go_on() -> None:
    source = Source(ends=False)
    async with asyncio.timeout(10):
        passed = [item.id async for item in as_long_as(no, 0.2, source.events())]
    assert (passed, source.closed) == (["0", "1", "2"], True)


async def test_a_stream_that_may_go_on_ends_by_itself() -> None:
    source = Source(ends=True)
    assert [item.id async for item in as_long_as(yes, 0.0, source.events())] == ["0", "1", "2"]
    assert source.closed


@pytest.mark.parametrize(
    "different", [{"web": {"origin": "http://portal.test", "secure_cookies": False, "streams_per_user": 4}}]
)
async def test_a_user_has_a_limited_number_of_streams_and_others_have_theirs(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    paths = ["/tasks/stream", "/operations/stream"]
    async with contextlib.AsyncExitStack() as opened:
        first = await opened.enter_async_context(contextlib.AsyncExitStack())
        for number in range(4):
            stream = ada.http.stream("GET", paths[number % 2])
            answer = await (opened if number else first).enter_async_context(stream)
            assert answer.status_code == 200
        for path in paths:
            async with ada.http.stream("GET", path) as refused:
                assert refused.status_code == 429
                await refused.aread()
            assert refused.json()["code"] == "too_many_streams"
            assert int(refused.headers["Retry-After"]) > 0
        other = await opened.enter_async_context(admin.http.stream("GET", paths[0]))
        assert other.status_code == 200, "others are not told of it"
        await first.aclose()

        async def free_again() -> bool:
            async with ada.http.stream("GET", paths[0]) as answer:
                return answer.status_code == 200

        await eventually(free_again, 5)


@pytest.mark.parametrize("path", ["/tasks/stream", "/tasks/{}/log"])
async def test_a_stream_ends_with_its_session(
    path: str, platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependencies, "SESSION_LOOK_S", 0.5)
    admin = await platform.admin()
    program("admin", "print('it runs', flush=True)\nimport time\ntime.sleep(60)\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    await admin.until(task_id, "running")
    async with asyncio.timeout(15), admin.http.stream("GET", path.format(task_id)) as answer:
        lines = answer.aiter_lines()
        await anext(lines)
        assert (await admin.delete("/session")).status_code == 204
        async for _ in lines:
            pass
    again = await platform.admin()
    await again.post(f"/tasks/{task_id}/stop")
    await again.until(task_id, "killed")
