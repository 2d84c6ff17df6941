"""Who is not signed in: so much of one address is worked on, and no sign-in keeps the places of all others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from atoll.identity import passwords, service
from atoll.web.turns import AT_ONCE, MOST_WAITING, STRANGERS_BYTES, Lines

from tests.unit.platform.conftest import PASSWORD, QUICK, Client, RunningPlatform, eventually
from tests.unit.platform.crowd.test_turns import Work, client, work

__all__ = ["work"]
STRANGERS = 24
HERE, ELSEWHERE = "192.0.2.1", "192.0.2.2"
DEVICE = "atoll_session_device"


@pytest.mark.parametrize("session", ["", "nobody"])
async def test_of_an_address_without_a_session_as_many_are_worked_on_as_of_a_user(work: Work, session: str) -> None:
    async with client() as http:
        many = [work.ask(http, session, "/slow?who=stranger", HERE) for _ in range(AT_ONCE + MOST_WAITING)]
        await eventually(work.full)
        await asyncio.sleep(1)
        assert len(work.inside) == AT_ONCE, "more of one address are worked on"
        refused = await asyncio.gather(*(work.ask(http, "", address=HERE) for _ in range(3)))
        assert {(each.status_code, each.json()["code"]) for each in refused} == {(429, "too_many_requests")}
        assert (await work.ask(http, "ada", "/quick", HERE)).status_code == 200
        assert (await work.ask(http, "", "/quick", ELSEWHERE)).status_code == 200
        assert (await work.ask(http, "", "/healthz", HERE)).status_code == 200, "the kubelet would end the process"
        work.word.set()
        assert {answer.status_code for answer in await asyncio.gather(*many)} == {200}


async def test_who_sends_slowly_without_a_session_takes_nothing_from_others_of_the_address(work: Work) -> None:
    word = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield b"some"
        await word.wait()
        yield b" more"

    async with client() as http:
        headers = {"X-Forwarded-For": HERE}
        many = [
            asyncio.create_task(http.post(work.url + "/body", content=slow(), headers=headers))
            for _ in range(AT_ONCE + MOST_WAITING + 1)
        ]
        await asyncio.sleep(0.3)
        assert work.inside == [], "a turn was given before the body was here"
        assert (await work.ask(http, "", "/quick", HERE)).status_code == 200
        for each in many[AT_ONCE:]:
            each.cancel()
        word.set()
        assert [(await each).text for each in many[:AT_ONCE]] == ["9"] * AT_ONCE


async def test_without_a_session_nothing_long_is_read(work: Work) -> None:
    async with client() as http:
        fits = await http.post(work.url + "/body", content=b"x" * STRANGERS_BYTES)
        assert (fits.status_code, fits.text) == (200, str(STRANGERS_BYTES))
        work.inside.clear()
        for long in (b"x" * (STRANGERS_BYTES + 1), b"x" * (1 << 20)):
            answer = await http.post(work.url + "/body", content=long)
            assert answer.status_code == 401
            assert answer.json()["code"] == "not_signed_in"
        assert work.inside == []


class Slow:
    """Stands in for the hasher: it works at a word."""

    def __init__(self) -> None:
        self.word = threading.Event()

    def verify_and_update(self, password: str, kept: str) -> tuple[bool, str | None]:
        self.word.wait(30)
        return QUICK.verify_and_update(password, kept)

    def hash(self, password: str) -> str:
        return QUICK.hash(password)


@pytest.fixture
def slow() -> Iterator[Slow]:
    made = Slow()
    yield made
    made.word.set()


async def test_right_sign_ins_of_one_address_do_not_fill_the_places_of_all_others(
    platform: RunningPlatform, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await platform.admin()
    for name in ("ada", "bob"):
        await platform.user(admin, name)
    monkeypatch.setattr(passwords, "_HASHER", slow)
    monkeypatch.setitem(passwords.PLACES, passwords.Line.FRESH, AT_ONCE - 2)

    def sign_in(name: str, address: str) -> asyncio.Task[httpx.Response]:
        http = platform.anonymous(**{"X-Forwarded-For": address})
        return asyncio.create_task(http.post("/session", json={"name": name, "password": PASSWORD}))

    many = [sign_in("ada", HERE) for _ in range(3 * AT_ONCE)]

    async def at_work() -> bool:
        return passwords._QUEUE.here >= passwords.PER_ADDRESS

    await eventually(at_work)
    await asyncio.sleep(0.5)
    assert passwords._QUEUE.here == passwords.PER_ADDRESS
    other = sign_in("bob", ELSEWHERE)
    await asyncio.sleep(0.2)
    slow.word.set()
    assert (await other).status_code == 201
    assert {answer.status_code for answer in await asyncio.gather(*many)} == {201}


def sign_in(http: httpx.AsyncClient, name: str, password: str = PASSWORD) -> asyncio.Task[httpx.Response]:
    return asyncio.create_task(http.post("/session", json={"name": name, "password": password}))


def device_of(platform: RunningPlatform, shown: Client | None, address: str) -> httpx.AsyncClient:
    """A browser at an address, with the cookie by which the one of `shown` is known; forged without one."""
    http = platform.anonymous(**{"X-Forwarded-For": address})
    known = "forged" if shown is None else next(each for each in shown.http.cookies.jar if each.name == DEVICE)
    if isinstance(known, str):
        http.cookies.set(DEVICE, known, path="/api/v1/session")
    else:
        http.cookies.jar.set_cookie(known)
    return http


async def test_strangers_of_many_addresses_leave_places_for_devices_that_are_known(
    platform: RunningPlatform, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await platform.admin()
    ada, eve = await platform.user(admin, "ada"), await platform.user(admin, "eve")
    monkeypatch.setattr(passwords, "_HASHER", slow)
    monkeypatch.setattr(passwords, "_nobody", lambda: QUICK.hash("nobody"))
    monkeypatch.setitem(passwords.PLACES, passwords.Line.FRESH, STRANGERS)
    guessing = [
        sign_in(platform.anonymous(**{"X-Forwarded-For": f"198.51.100.{number % 40}"}), f"user-{number}", "a guess")
        for number in range(2 * 40)
    ]

    async def refused() -> bool:
        return sum(each.done() for each in guessing) == len(guessing) - STRANGERS

    async def everybody_waits() -> bool:
        return passwords._QUEUE.here + sum(each.done() for each in guessing) == len(guessing)

    await eventually(everybody_waits)
    known = sign_in(device_of(platform, ada, ELSEWHERE), "ada")
    changed = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    changing = asyncio.create_task(eve.http.post("/session/password", json=changed))
    await asyncio.sleep(0.5)
    assert [known.done(), changing.done()] == [False, False], "it got no place among strangers"
    assert await refused()
    for shown in (None, eve):
        assert (await sign_in(device_of(platform, shown, HERE), "ada")).status_code == 503
    slow.word.set()
    assert (await known).status_code == 201
    assert (await changing).status_code == 200
    assert {each.status_code for each in await asyncio.gather(*guessing)} == {401, 503}


async def test_strangers_at_the_same_address_do_not_hold_up_who_is_known(
    platform: RunningPlatform, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await platform.user(await platform.admin(), "ada")
    monkeypatch.setattr(passwords, "_HASHER", slow)
    monkeypatch.setattr(passwords, "_nobody", lambda: QUICK.hash("nobody"))
    guessing = [sign_in(platform.anonymous(**{"X-Forwarded-For": HERE}), f"user-{n}", "a guess") for n in range(6)]

    async def at_work() -> bool:
        return passwords._QUEUE.here >= passwords.PER_ADDRESS

    await eventually(at_work)
    known = [sign_in(device_of(platform, ada, HERE), "ada") for _ in range(6)]
    await asyncio.sleep(0.5)
    assert passwords._QUEUE.here == 2 * passwords.PER_ADDRESS, "it waits behind strangers of its address"
    slow.word.set()
    assert (await known[0]).status_code == 201
    await asyncio.gather(*guessing, *known)


async def test_right_sign_ins_are_counted_and_nobody_else_can_use_them_up(
    platform: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    monkeypatch.setattr(service, "MOST_SIGN_INS", 4)

    async def sign_in(number: int, name: str, password: str) -> httpx.Response:
        http = platform.anonymous(**{"X-Forwarded-For": f"198.51.100.{number}"})
        return await http.post("/session", json={"name": name, "password": password})

    for number in range(6):
        assert (await sign_in(number, "admin", "a wild guess")).status_code == 401
    assert (await sign_in(50, "admin", PASSWORD)).status_code == 201
    refused = [answer for n in range(60, 66) if (answer := await sign_in(n, "ada", PASSWORD)).status_code != 201][-1:]
    assert refused, "she may sign in without limit"
    assert (refused[0].status_code, refused[0].json()["code"]) == (429, "too_many_attempts")
    assert int(refused[0].headers["Retry-After"]) > 0
    assert (await ada.get("/session")).status_code == 200, "who is signed in stays so"
    accounts = (await admin.get("/users")).json()["items"]
    of_ada = next(one["id"] for one in accounts if one["name"] == "ada")
    password = (await admin.post(f"/users/{of_ada}/reset-password")).json()["password"]
    assert (await sign_in(71, "ada", password)).status_code == 201


async def test_an_empty_line_is_not_kept() -> None:
    lines = Lines(1)
    async with lines.turn("one"):
        assert lines._lines
    assert not lines._lines
