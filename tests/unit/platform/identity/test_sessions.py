"""Sessions are seen and ended by their user. On a real database."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from atoll.database.base import now
from atoll.database.connection import connect
from sqlalchemy import text

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import audited, id_of, registered, told

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


async def browser(platform: RunningPlatform, name: str, agent: str, address: str) -> Client:
    """A further session of somebody."""
    http = platform.anonymous(**{"User-Agent": agent, "X-Forwarded-For": address})
    assert (await http.post("/session", json={"name": name, "password": PASSWORD})).status_code == 201
    return Client(http, name)


async def listed(client: Client) -> list[dict[str, Any]]:
    answer = await client.get("/sessions")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


async def change(platform: RunningPlatform, statement: str, **values: Any) -> None:
    database = connect(platform.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text(statement), values)
    await database.dispose()


async def test_somebody_sees_from_where_they_are_signed_in(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    eve = await registered(portal, "eve")
    other = await browser(portal, "ada", FIREFOX, "198.51.100.7")
    sessions = await listed(ada)
    assert [(one["device"], one["address"], one["current"]) for one in sessions] == [
        ("Firefox 140, Linux", "198.51.100.7", False),
        (f"python-httpx/{httpx.__version__}", "127.0.0.1", True),
    ]
    assert [one["current"] for one in await listed(other)] == [True, False]
    assert len(await listed(eve)) == 1
    hours = timedelta(hours=portal.configuration.web.session_hours)
    for one in sessions:
        since, until = datetime.fromisoformat(one["created_at"]), datetime.fromisoformat(one["expires_at"])
        assert timedelta() <= now() - since < timedelta(minutes=5)
        assert abs(until - since - hours) < timedelta(seconds=5)
        assert abs(datetime.fromisoformat(one["last_seen_at"]) - since) < timedelta(seconds=5)
    kept = str(sessions)
    assert str(ada.http.cookies["atoll_session"]) not in kept
    assert not any(len(value) == 64 for one in sessions for value in one.values() if isinstance(value, str))


async def test_they_come_in_pages_and_those_whose_time_is_over_do_not_come(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    for number in range(3):
        await browser(portal, "ada", f"program{number}", "198.51.100.7")
    first = (await ada.get("/sessions", params={"limit": 2})).json()
    rest = (await ada.get("/sessions", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    devices = [one["device"] for one in first["items"] + rest["items"]]
    assert devices[:3] == ["program2", "program1", "program0"]
    assert (len(devices), rest["next_cursor"]) == (4, None)
    await change(portal, "UPDATE sessions SET expires_at = now() WHERE device = 'program1'")
    assert [one["device"] for one in await listed(ada)][:2] == ["program2", "program0"]


async def test_an_own_session_is_ended_and_what_flows_for_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    other = await browser(portal, "ada", FIREFOX, "198.51.100.7")
    ends = next(one["id"] for one in await listed(ada) if not one["current"])
    async with (
        asyncio.timeout(20),
        other.http.stream("GET", "/tasks/stream") as cut,
        ada.http.stream("GET", "/tasks/stream") as kept,
    ):
        lines, others = cut.aiter_lines(), kept.aiter_lines()
        await anext(lines)
        await anext(others)
        assert (await ada.delete(f"/sessions/{ends}")).status_code == 204
        async for _ in lines:
            pass
        try:
            while True:
                await asyncio.wait_for(anext(others), 0.5)
        except TimeoutError:
            pass
        except StopAsyncIteration:
            pytest.fail("the stream of another session ended, too")
    assert (await other.get("/session")).status_code == 401
    assert [one["current"] for one in await listed(ada)] == [True]
    assert told(await ada.delete(f"/sessions/{ends}"))[:2] == (404, "not_found")
    details = {"device": "Firefox 140, Linux", "address": "198.51.100.7"}
    assert ("session.end", "ada", details) in await audited(admin, "session")


async def test_a_session_of_another_one_or_one_that_is_over_is_nobodys_to_end(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada, eve = await registered(portal, "ada"), await registered(portal, "eve")
    (of_ada,) = await listed(ada)
    for other in (eve, admin):
        ended = await other.delete(f"/sessions/{of_ada['id']}")
        assert told(ended)[:2] == (404, "not_found"), "a session of another user was ended"
    assert (await ada.get("/session")).status_code == 200
    await browser(portal, "eve", "over", "198.51.100.7")
    over = next(one["id"] for one in await listed(eve) if one["device"] == "over")
    await change(portal, "UPDATE sessions SET expires_at = now() WHERE device = 'over'")
    assert told(await eve.delete(f"/sessions/{over}"))[:2] == (404, "not_found")


async def test_all_others_are_ended_at_once_and_nobody_elses(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    others = [await browser(portal, "ada", f"program{number}", "198.51.100.7") for number in range(3)]
    await change(portal, "UPDATE sessions SET expires_at = now() WHERE device = 'program0'")
    ended = await ada.post("/sessions/end-others")
    assert (ended.status_code, ended.json()) == (200, {"ended": 2}), "somebody else's sessions are ended"
    assert [(await other.get("/session")).status_code for other in others] == [401] * 3
    assert [one["current"] for one in await listed(ada)] == [True]
    assert (await ada.post("/sessions/end-others")).json() == {"ended": 0}
    assert (await admin.get("/session")).status_code == 200
    done = [each for each in await audited(admin, "session") if each[0] == "session.end_others"]
    assert done == [("session.end_others", "ada", {"sessions": 2})]


async def test_who_ends_the_session_that_they_show_is_signed_out(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    (current,) = await listed(ada)
    assert (await ada.delete(f"/sessions/{current['id']}")).status_code == 204
    assert (await ada.get("/session")).status_code == 401


async def test_when_a_session_was_seen_last_is_kept_once_a_minute(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    moved = {"X-Forwarded-For": "198.51.100.9"}

    async def seen() -> tuple[str, str]:
        (one,) = await listed(ada)
        return one["last_seen_at"], one["address"]

    first = await seen()
    for seconds, later in ((30, False), (61, True)):
        await change(portal, "UPDATE sessions SET last_seen_at = now() - make_interval(secs => :ago)", ago=seconds)
        await ada.get("/session", headers=moved)
        at, address = await seen()
        assert (address == "198.51.100.9") is later, seconds
        assert (datetime.fromisoformat(at) > datetime.fromisoformat(first[0])) is later
    assert await id_of(ada)


async def test_a_session_after_a_change_of_the_password_says_where_it_is(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    changed = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    headers = {"User-Agent": FIREFOX, "X-Forwarded-For": "198.51.100.9"}
    assert (await ada.post("/session/password", changed, headers=headers)).status_code == 200
    (one,) = await listed(ada)
    assert (one["device"], one["address"], one["current"]) == ("Firefox 140, Linux", "198.51.100.9", True)


async def test_whose_password_must_be_changed_sees_no_sessions(portal: RunningPlatform) -> None:
    http = portal.anonymous()
    assert (await http.post("/session", json={"name": "admin", "password": "generated-at-first"})).status_code == 201
    for answer in (await http.get("/sessions"), await http.post("/sessions/end-others")):
        assert told(answer)[:2] == (403, "must_change_password")
