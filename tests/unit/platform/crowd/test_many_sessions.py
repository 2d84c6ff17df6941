"""One user's many sessions and downloads: what each asks for counts as that user's, and holds up nothing else."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter

import httpx
import pytest
from atoll.database.connection import connect, sessions
from atoll.database.rights import API
from atoll.files import slots, work
from atoll.web.turns import AT_ONCE, LEAST
from sqlalchemy import text

from tests.unit.platform.conftest import PASSWORD, RunningPlatform, eventually

# `jobs` looks at tasks whenever something may be due there, and waits beside them.
STUCK = text(
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE relation = 'tasks'::regclass AND NOT granted AND usename = :role"
)


async def test_many_sessions_of_one_user_share_that_users_turns(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    await platform.user(admin, "ada")
    bob = await platform.user(admin, "bob")
    browsers = [await platform.sign_in("ada", PASSWORD) for _ in range(5)]
    database = connect(platform.configuration, pool_size=2)
    asked: list[asyncio.Task[httpx.Response]] = []
    try:
        async with sessions(database)() as holding, holding.begin():
            await holding.execute(text("LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE"))
            for other in (admin, bob):  # however long signing in took, they are here, too
                assert (await other.get("/session")).is_success
            asked += [asyncio.create_task(browser.get("/tasks")) for browser in browsers for _ in range(AT_ONCE)]

            async def stuck() -> int:
                async with sessions(database)() as look:  # one transaction would not see who connects meanwhile
                    return int(await look.scalar(STUCK, {"role": API}) or 0)

            async def full() -> bool:
                return await stuck() >= LEAST

            await eventually(full)
            await asyncio.sleep(0.5)
            assert await stuck() == LEAST, f"{await stuck()} requests of one user are worked on"
            assert (await bob.get("/session")).status_code == 200
    finally:
        answers = await asyncio.gather(*asked)
        await database.dispose()
    assert {answer.status_code for answer in answers} == {200}


async def test_downloads_that_wait_or_are_refused_keep_their_users_other_requests_from_nothing(
    platform: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "WAIT_S", 60.0)  # who waits does so until the end of this test
    admin, pool = await platform.admin(), work.READS
    assert pool.waiting
    readers = [await platform.user(admin, f"reader{number}") for number in range(pool.most // pool.per_owner)]
    ada = await platform.user(admin, "ada")
    for one, size in (*((each, 1 << 28) for each in readers), (ada, 1000)):
        home = platform.home(one.name)
        home.mkdir(parents=True, exist_ok=True)
        with (home / "file").open("wb") as file:
            file.truncate(size)
    content = "/home/files/content?path=file"
    wait = pool.per_owner + pool.waiting
    async with contextlib.AsyncExitStack() as stack:
        for number in range(pool.most):
            held = await stack.enter_async_context(readers[number % len(readers)].http.stream("GET", content))
            assert held.status_code == 200
        # Some wait for the others' downloads, some for those of their own user, and the rest is refused at once.
        asked = [asyncio.create_task(ada.get(content)) for _ in range(2 * AT_ONCE)]
        refused, _ = await asyncio.wait(asked, timeout=20, return_when=asyncio.FIRST_COMPLETED)
        assert {each.result().status_code for each in refused} == {429}, "none was refused at once"
        assert (await ada.get("/tasks")).status_code == 200

        async def all_others_are_refused() -> bool:
            return sum(not each.done() for each in asked) == wait

        await eventually(all_others_are_refused)
    answers = await asyncio.gather(*asked)
    assert Counter(answer.status_code for answer in answers) == {200: wait, 429: len(asked) - wait}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers if answer.status_code == 429)
