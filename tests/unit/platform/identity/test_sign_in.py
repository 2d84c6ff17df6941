"""Sign-in, sessions, the first password. On a real database."""

import asyncio
import threading
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from atoll.api.application import application as api_application
from atoll.database.base import now
from atoll.database.connection import connect
from atoll.database.rights import API
from atoll.identity import passwords
from sqlalchemy import text

from tests.unit.platform.conftest import ADMIN_PASSWORD, PASSWORD, RunningPlatform, as_service, eventually, serving


def new(name: str) -> dict[str, Any]:
    return {"name": name, "nickname": name, "password": "x" * 12, "roles": ["user"]}


async def test_the_administrator_must_change_the_generated_password_before_anything_else(
    platform: RunningPlatform,
) -> None:
    http = platform.anonymous()
    first = await http.post("/session", json={"name": "admin", "password": ADMIN_PASSWORD})
    assert first.status_code == 201
    assert first.json()["must_change_password"] is True
    assert first.json()["permissions"] == []
    for path in ("/overview", "/tasks", "/nodes", "/users"):
        refused = await http.get(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "must_change_password")
    short = await http.post("/session/password", json={"current_password": ADMIN_PASSWORD, "new_password": "short"})
    assert short.status_code == 422
    same = await http.post(
        "/session/password", json={"current_password": ADMIN_PASSWORD, "new_password": ADMIN_PASSWORD}
    )
    assert same.json()["code"] == "same_password"
    named = await http.post(
        "/session/password", json={"current_password": ADMIN_PASSWORD, "new_password": "The-Administrator-2"}
    )
    assert named.json().get("code") == "contains_name", "a password may hold its user's name"
    changed = await http.post("/session/password", json={"current_password": ADMIN_PASSWORD, "new_password": PASSWORD})
    assert changed.json()["must_change_password"] is False
    assert (await http.get("/overview")).status_code == 200
    assert (
        await platform.anonymous().post("/session", json={"name": "admin", "password": ADMIN_PASSWORD})
    ).status_code == 401


@pytest.mark.usefixtures("costly_passwords")
async def test_a_wrong_password_and_an_unknown_name_are_told_alike(platform: RunningPlatform) -> None:
    http = platform.anonymous()
    wrong = await http.post("/session", json={"name": "admin", "password": "wrong"})
    unknown = await http.post("/session", json={"name": "nobody-here", "password": "wrong"})
    assert wrong.status_code == unknown.status_code == 401
    for answer in (wrong, unknown):
        assert answer.json()["code"] == "wrong_credentials"
        assert "wrong" not in answer.json()["detail"].split()[:2]
    assert wrong.json()["detail"] == unknown.json()["detail"]


async def test_guessing_is_limited(platform: RunningPlatform) -> None:
    http = platform.anonymous()
    answers = [await http.post("/session", json={"name": "admin", "password": f"guess-{n}"}) for n in range(6)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429]
    assert int(answers[-1].headers["retry-after"]) > 0
    right = await http.post("/session", json={"name": "admin", "password": ADMIN_PASSWORD})
    assert right.status_code == 429


async def test_guesses_of_many_names_at_one_address_are_limited(platform: RunningPlatform) -> None:
    await platform.admin()
    here, there = (platform.anonymous(**{"X-Forwarded-For": f"198.51.100.{number}"}) for number in (7, 8))

    async def sign_in(http: httpx.AsyncClient, name: str, password: str) -> int:
        return (await http.post("/session", json={"name": name, "password": password})).status_code

    told = [await sign_in(here, f"user-{number}", "a wild guess") for number in range(31)]
    assert told == [401] * 30 + [429], "the guesses of an address are not counted over all names"
    assert await sign_in(here, "admin", PASSWORD) == 429
    assert await sign_in(there, "admin", PASSWORD) == 201


async def test_the_cookie_is_out_of_reach_of_scripts_and_kept_only_as_a_hash(platform: RunningPlatform) -> None:
    http = platform.anonymous()
    answer = await http.post("/session", json={"name": "admin", "password": ADMIN_PASSWORD})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    token = cookie.split("=", 1)[1].split(";")[0]
    database = connect(platform.configuration, pool_size=1)
    async with database.connect() as connection:
        kept = (await connection.execute(text("SELECT token_hash FROM sessions"))).scalars().all()
        users = str((await connection.execute(text("SELECT * FROM users"))).all())
    await database.dispose()
    assert kept
    assert token not in kept
    assert ADMIN_PASSWORD not in users


async def test_signing_out_ends_the_session_on_the_server(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    cookies = dict(admin.http.cookies)
    assert (await admin.delete("/session")).status_code == 204
    again = platform.anonymous()
    again.cookies.update(cookies)
    assert (await again.get("/session")).status_code == 401


async def test_who_signs_in_again_leaves_no_session_of_before(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    cookie = platform.configuration.web.session_cookie
    before = platform.anonymous()
    before.cookies.set(cookie, str(admin.http.cookies[cookie]))
    assert (await before.get("/session")).status_code == 200
    assert (await admin.post("/session", {"name": "admin", "password": PASSWORD})).status_code == 201
    assert (await before.get("/session")).status_code == 401, "the session of before a sign-in lives on"
    assert (await admin.get("/session")).status_code == 200


async def test_a_session_ends_after_its_hours(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    hours = timedelta(hours=platform.configuration.web.session_hours)
    left = datetime.fromisoformat((await admin.get("/session")).json()["expires_at"]) - now()
    assert hours - timedelta(minutes=5) < left <= hours, "a session lives for other hours than are set"
    database = connect(platform.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE sessions SET expires_at = now()"))
    await database.dispose()
    assert (await admin.get("/session")).status_code == 401, "a session that has ended opens"


async def test_changing_the_password_ends_all_other_sessions(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    other = await platform.sign_in("admin", PASSWORD)
    await admin.post("/session/password", {"current_password": PASSWORD, "new_password": PASSWORD + "-2"})
    assert (await other.get("/session")).status_code == 401
    assert (await admin.get("/session")).status_code == 200


@pytest.mark.parametrize("newer", [None, "a hash of the old one"])
async def test_an_old_password_that_is_looked_at_during_its_change_opens_nothing(
    platform: RunningPlatform, monkeypatch: pytest.MonkeyPatch, newer: str | None
) -> None:
    admin = await platform.admin()
    fits, changing = passwords.fits, False

    async def while_it_changes(
        password: str, kept: str | None, *, known: bool, fresh: bool = False
    ) -> tuple[bool, str | None]:
        nonlocal changing
        found = await fits(password, kept, known=known, fresh=fresh)
        if not changing:
            changing = True
            body = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
            assert (await admin.post("/session/password", body)).status_code == 200
            return found[0], newer
        return found

    monkeypatch.setattr(passwords, "fits", while_it_changes)
    late = await platform.anonymous().post("/session", json={"name": "admin", "password": PASSWORD})
    assert late.status_code == 401
    assert late.json()["code"] == "wrong_credentials"
    assert (await platform.anonymous().post("/session", json={"name": "admin", "password": PASSWORD})).is_error
    await platform.sign_in("admin", PASSWORD + "-2")


async def test_a_flood_of_sign_ins_is_refused_and_stalls_nobody_who_is_signed_in(
    platform: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await platform.admin()
    slow = threading.Event()

    class Slow:
        def verify_and_update(self, *_: str) -> tuple[bool, None]:
            slow.wait(30)
            return False, None

    monkeypatch.setattr(passwords, "_HASHER", Slow())
    monkeypatch.setattr(passwords, "_nobody", str)
    http = platform.anonymous()
    most = 24
    monkeypatch.setitem(passwords.PLACES, passwords.Line.FRESH, most)

    async def guess(number: int) -> httpx.Response:
        address = {"X-Forwarded-For": f"198.51.100.{number // passwords.PER_ADDRESS}"}
        return await http.post("/session", json={"name": f"user-{number}", "password": "guess"}, headers=address)

    guesses = [asyncio.create_task(guess(number)) for number in range(most + 20)]
    try:

        async def refused() -> bool:
            return sum(guess.done() for guess in guesses) == 20

        await eventually(refused, 15)
        async with asyncio.timeout(5):
            assert (await admin.get("/session")).status_code == 200
    finally:
        slow.set()
        answers = await asyncio.gather(*guesses)
    crowded = [answer for answer in answers if answer.status_code == 503]
    assert len(crowded) == 20
    assert {answer.json()["code"] for answer in crowded} == {"sign_ins_crowded"}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in crowded)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X-Atoll-Request": ""}, "foreign_request"),
        ({"Origin": "https://evil.test"}, "foreign_origin"),
        ({"Origin": "null"}, "foreign_origin"),
    ],
)
async def test_writes_of_foreign_pages_are_refused(
    platform: RunningPlatform, headers: dict[str, str], code: str
) -> None:
    admin = await platform.admin()
    refused = await admin.http.post("/session/password", json={}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, code)
    assert (await admin.http.get("/session", headers=headers)).status_code == 200


async def test_uids_begin_at_30001_and_differ_also_when_made_at_once(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    made = await asyncio.gather(*(admin.post("/users", new(f"user-{n}")) for n in range(4)))
    uids = {answer.json()["uid"] for answer in made}
    assert len(uids) == 4
    assert min(uids) > (await admin.get("/session")).json()["user"]["uid"] == 30001


async def test_a_user_without_a_virtual_cluster_can_sign_in_but_start_nothing(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada", member=False)
    assert (await ada.get("/virtual-clusters")).json()["items"] == []
    assert (await ada.get("/trainings/options")).json()["virtual_clusters"] == []


async def test_every_write_is_in_the_audit_and_no_password_is(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    await ada.post("/users", new("eve"))
    records = (await admin.get("/audit")).json()["items"]
    actions = [(item["actor_name"], item["action"], item["outcome"]) for item in records]
    assert ("admin", "user.create", "done") in actions
    assert ("ada", "user.change_password", "done") in actions
    assert ("ada", "request.denied", "denied") in actions
    assert PASSWORD not in str(records)


@pytest.mark.usefixtures("costly_passwords")
async def test_guesses_at_once_are_limited_like_guesses_in_a_row(platform: RunningPlatform) -> None:
    http = platform.anonymous()
    guesses = (http.post("/session", json={"name": "admin", "password": f"guess-{n}"}) for n in range(10))
    codes = [answer.status_code for answer in await asyncio.gather(*guesses)]
    assert (codes.count(401), codes.count(429)) == (5, 5)


async def test_who_found_an_open_session_cannot_guess_its_password_without_limit(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    bodies = [{"current_password": f"guess-{n}", "new_password": "quite-another-one"} for n in range(7)]
    codes = [(await admin.post("/session/password", body)).status_code for body in bodies]
    assert codes == [422] * 5 + [429] * 2
    right = {"current_password": PASSWORD, "new_password": "quite-another-one"}
    assert (await admin.post("/session/password", right)).status_code == 429


@pytest.mark.usefixtures("costly_passwords")
async def test_of_two_changes_of_a_password_at_once_one_wins(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    bodies = [{"current_password": PASSWORD, "new_password": f"quite-another-{n}"} for n in range(2)]
    answers = await asyncio.gather(*(admin.post("/session/password", body) for body in bodies))
    assert sorted(answer.status_code for answer in answers) == [200, 401], "the one that wins ends the other's session"
    won = next(body["new_password"] for body, answer in zip(bodies, answers, strict=True) if answer.is_success)
    await platform.sign_in("admin", won)


async def test_platforms_on_two_ports_of_one_host_keep_their_sessions_apart(platform: RunningPlatform) -> None:
    """A browser sends the cookies of a host to all its ports."""
    settings = platform.configuration
    other = settings.model_copy(update={"web": settings.web.model_copy(update={"session_cookie": "atoll_session_2"})})
    async with serving(api_application(as_service(other, API))) as port:
        browser, beside = await platform.admin(), f"http://127.0.0.1:{port}/api/v1/session"
        first = str(browser.http.cookies["atoll_session"])
        assert (await browser.http.get(beside)).status_code == 401
        signed = await browser.http.post(beside, json={"name": "admin", "password": PASSWORD})
        assert signed.status_code == 201
        assert browser.http.cookies["atoll_session"] == first
        assert (await browser.http.delete(beside)).status_code == 204
        assert "atoll_session_2" not in browser.http.cookies
    assert (await browser.get("/session")).status_code == 200
