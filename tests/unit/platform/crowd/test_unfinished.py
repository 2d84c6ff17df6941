"""Who took an old session or a token of little from somebody: that one's requests are answered as ever."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest
from atoll.database.connection import connect, sessions
from atoll.database.notifications import SESSIONS_ENDED, Listener
from atoll.identity.holders import Holders
from atoll.web.turns import AT_ONCE, MOST_WAITING
from sqlalchemy import text

from tests.unit.platform.conftest import PASSWORD, RunningPlatform, eventually
from tests.unit.platform.people import portal
from tests.unit.platform.programs import program_of

__all__ = ["portal"]


@pytest.mark.parametrize("by", ["a session that ended", "a session", "a token"])
async def test_unfinished_requests_of_a_thief_keep_their_user_from_nothing(portal: RunningPlatform, by: str) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    own = await portal.sign_in("ada", PASSWORD)
    thief = ada.http
    if by == "a token":
        program = await program_of(portal, own, "tasks:read")
        thief = program.http
    for _ in range(2):
        assert (await thief.get("/session")).is_success, "it was of use to nobody"
    if by == "a session that ended":
        token = thief.cookies["atoll_session"]
        assert (await ada.delete("/session")).is_success
        thief = portal.anonymous(Cookie=f"atoll_session={token}")
    word = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"{"
        await word.wait()

    asked = [
        asyncio.create_task(thief.post("/registrations", content=slow(), headers={"Content-Type": "application/json"}))
        for _ in range(AT_ONCE + MOST_WAITING)
    ]
    try:
        await asyncio.sleep(1)
        try:
            answer = await asyncio.wait_for(own.get("/session"), 2)
        except TimeoutError:
            pytest.fail("the owner is kept waiting")
        assert answer.status_code == 200, "the owner is kept waiting"
    finally:
        for each in asked:
            each.cancel()
        await asyncio.gather(*asked, return_exceptions=True)


async def test_whose_token_it_is_is_known_no_longer_than_it_opens_something(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    database = connect(portal.configuration, pool_size=2)
    listener = Listener(portal.configuration, [SESSIONS_ENDED])
    holders = Holders(sessions(database))
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(database.dispose)
        for task in (asyncio.create_task(holders.keep_up(listener)), asyncio.create_task(listener.run())):
            stack.callback(task.cancel)
        others = admin.http.cookies["atoll_session"]

        async def kept() -> bool:  # also behind the listener's first word, by which everything is dropped
            await asyncio.sleep(0.5)
            return await holders.find(others) is not None and holders.known(others) is not None

        await eventually(kept)
        token = ada.http.cookies["atoll_session"]
        user = await holders.find(token)
        assert (user is not None, holders.known(token)) == (True, user)
        assert (await ada.delete("/session")).is_success

        async def unknown() -> bool:
            return holders.known(token) is None

        with contextlib.suppress(AssertionError, TimeoutError):
            await eventually(unknown, 5)
        assert holders.known(token) is None, "it takes turns of its user though they signed out"
        assert await holders.find(token) is None
        assert holders.known(others) is not None, "what another one has is forgotten, too"

        token = (await portal.sign_in("ada", PASSWORD)).http.cookies["atoll_session"]
        soon = text("UPDATE sessions SET expires_at = now() + interval '1 second' WHERE user_id = :user")
        async with database.begin() as connection:
            await connection.execute(soon, {"user": user})
        assert (await holders.find(token), holders.known(token)) == (user, user)
        await asyncio.sleep(1.2)
        assert holders.known(token) is None, "it takes turns of its user though its time is over"
