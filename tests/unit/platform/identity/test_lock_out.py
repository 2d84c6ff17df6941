"""Who guesses passwords, from one address or many, locks nobody out and keeps nobody from signing in."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from datetime import timedelta

import httpx
import pytest
from atoll.database.base import now
from atoll.database.connection import connect, sessions
from atoll.identity import passwords, service
from atoll.identity.models import KnownDeviceRow, SignInAttemptRow, UserRoleRow, UserRow
from atoll.identity.service import _LIMITS, MOST_WITH_FRESH
from atoll.identity.tokens import token_hash

from tests.unit.platform.conftest import PASSWORD, QUICK, RunningPlatform, eventually
from tests.unit.platform.people import registered

GUESS = "a wild guess"
WRONG, LIMITED, IN = 401, 429, 201
HERE = "203.0.113.1"
# Two guesses at a time from each are more than the places of those at whose addresses something failed.
PEOPLE, HAMMERS = 30, 14
TAKES_S, RESTS_S = 0.02, 0.2


async def sign_in(platform: RunningPlatform, name: str, address: str, password: str = PASSWORD) -> int:
    """Of a browser that was never there before."""
    http = platform.anonymous(**{"X-Forwarded-For": address})
    return (await http.post("/session", json={"name": name, "password": password})).status_code


async def failed(platform: RunningPlatform, **times: int) -> None:
    """So many failures are written down; names of keys have `__` for `:`."""
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session, session.begin():
        keys = {key.replace("__", ":", 1).replace("_", "."): count for key, count in times.items()}
        session.add_all(SignInAttemptRow(key=key) for key, count in keys.items() for _ in range(count))
    await database.dispose()


async def test_guesses_from_many_addresses_lock_nobody_out_of_an_address_where_nothing_failed(
    portal: RunningPlatform,
) -> None:
    await registered(portal, "ada")
    await failed(portal, name__ada=_LIMITS["name"])
    assert await sign_in(portal, "ada", HERE) == IN, "who never was there before is locked out by strangers elsewhere"
    await failed(portal, name__ada=MOST_WITH_FRESH - _LIMITS["name"] - 1)
    assert await sign_in(portal, "ada", HERE) == IN
    await failed(portal, name__ada=1)
    assert await sign_in(portal, "ada", HERE) == LIMITED, "from enough addresses one may guess without end"
    assert await sign_in(portal, "ada", "203.0.113.2") == LIMITED


async def test_of_a_name_that_is_guessed_everywhere_each_address_has_one_try(portal: RunningPlatform) -> None:
    await registered(portal, "ada")
    await failed(portal, name__ada=_LIMITS["name"] - 1, address__203_0_113_2=1)
    assert await sign_in(portal, "ada", "203.0.113.2") == IN, "the limit came early"
    await failed(portal, name__ada=1)
    assert await sign_in(portal, "ada", "203.0.113.2") == LIMITED, "something failed there, if with another name"
    assert await sign_in(portal, "ada", HERE, GUESS) == WRONG
    assert await sign_in(portal, "ada", HERE) == LIMITED
    assert await sign_in(portal, "admin", HERE, GUESS) == WRONG, "others' names are not locked there"


async def test_two_tries_at_once_at_a_new_address_are_one(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    await registered(portal, "ada")
    await failed(portal, name__ada=_LIMITS["name"])
    fits, both = passwords.fits, asyncio.Barrier(2)

    async def together(password: str, kept: str | None, *, known: bool, fresh: bool) -> tuple[bool, str | None]:
        async with asyncio.timeout(10):
            await both.wait()
        return await fits(password, kept, known=known, fresh=fresh)

    monkeypatch.setattr(passwords, "fits", together)
    told = await asyncio.gather(*(sign_in(portal, "ada", HERE, GUESS) for _ in range(2)))
    assert sorted(told) == [WRONG, LIMITED]


async def test_of_many_guesses_at_once_only_the_first_are_of_an_address_where_nothing_failed(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits, fresh_ones = passwords.fits, list[bool]()
    many, here = 8, f"{HERE[:-1]}9"
    were_here = asyncio.Event()  # once all were: who looks second might come too late to see them

    async def all_wait() -> bool:
        line = passwords._LINES._lines.get(here)
        if line is not None and line.here == many:
            were_here.set()
        return were_here.is_set()

    async def noted(password: str, kept: str | None, *, known: bool, fresh: bool) -> tuple[bool, str | None]:
        fresh_ones.append(fresh)
        await eventually(all_wait if len(fresh_ones) <= passwords.PER_ADDRESS else _at_once)
        return await fits(password, kept, known=known, fresh=fresh)

    monkeypatch.setattr(passwords, "fits", noted)
    told = await asyncio.gather(*(sign_in(portal, f"user{n}", here, GUESS) for n in range(many)))
    assert set(told) == {WRONG}
    assert fresh_ones == [True, True] + [False] * (many - 2), "who guesses has the places of who comes to work"


async def _at_once() -> bool:
    return True


async def test_one_machine_guesses_as_one_address_however_many_of_ipv6_it_has(portal: RunningPlatform) -> None:
    await registered(portal, "ada")
    told = [await sign_in(portal, "ada", f"2001:db8:1:1::{number:x}", GUESS) for number in range(6)]
    assert told == [WRONG] * 5 + [LIMITED], "one machine guesses without end"
    assert await sign_in(portal, "ada", "2001:db8:1:1::ffff") == LIMITED
    assert await sign_in(portal, "ada", "2001:db8:1:2::1") == IN
    others = [await sign_in(portal, f"user{number}", f"2001:db8:1:1:1::{number:x}", GUESS) for number in range(26)]
    assert others == [WRONG] * 25 + [LIMITED]


async def test_one_machine_registers_as_one_address(portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atoll.identity.registration.MOST_OF_ADDRESS", 2)
    wanted = {"nickname": "Somebody", "password": PASSWORD}
    told = []
    for number in range(3):
        http = portal.anonymous(**{"X-Forwarded-For": f"2001:db8:1:1::{number:x}"})
        told.append((await http.post("/registrations", json={"name": f"person{number}", **wanted})).status_code)
    assert told == [201, 201, LIMITED]


async def test_registrations_that_are_too_many_are_refused_before_they_are_computed(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("atoll.identity.registration.MOST_OF_ADDRESS", 2)
    hashed, computed = passwords.hashed, list[str]()

    async def noted(password: str, *, known: bool = True, fresh: bool = False) -> str:
        computed.append(password)
        await asyncio.sleep(0.2)  # until all that come at once are here
        return await hashed(password, known=known, fresh=fresh)

    monkeypatch.setattr(passwords, "hashed", noted)
    http = portal.anonymous(**{"X-Forwarded-For": HERE})
    wanted = [{"name": f"person{n}", "nickname": "Somebody", "password": PASSWORD} for n in range(8)]
    told = await asyncio.gather(*(http.post("/registrations", json=each) for each in wanted))
    assert Counter(each.status_code for each in told) == {201: 2, LIMITED: 6}
    assert len(computed) <= 2 + 1, "each costs as much as a password, however many there were"


async def test_who_is_signed_in_changes_the_password_whatever_others_guess(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    ada.http.cookies.delete("atoll_session_device")
    await failed(portal, name__ada=MOST_WITH_FRESH, address__127_0_0_1=_LIMITS["address"])
    assert await sign_in(portal, "ada", HERE) == LIMITED
    changed = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    assert (await ada.post("/session/password", changed)).status_code == 200, "a stranger locked it"


async def test_each_session_has_its_own_guesses_at_the_password_and_they_count_elsewhere_too(
    portal: RunningPlatform,
) -> None:
    ada = await registered(portal, "ada")
    other = await portal.sign_in("ada", PASSWORD)
    wrong = {"current_password": GUESS, "new_password": PASSWORD + "-2"}
    address = {"X-Forwarded-For": HERE}
    told = [(await ada.post("/session/password", wrong, headers=address)).status_code for _ in range(6)]
    assert told == [422] * 5 + [LIMITED]
    assert (await other.post("/session/password", wrong)).status_code == 422
    assert await sign_in(portal, "ada", HERE) == LIMITED, "who found a session has five more guesses by signing in"


class Slow:
    """Stands in for the hasher: it takes a while, as the true one does."""

    def verify_and_update(self, password: str, kept: str) -> tuple[bool, str | None]:
        time.sleep(TAKES_S)
        return QUICK.verify_and_update(password, kept)

    def hash(self, password: str) -> str:
        return QUICK.hash(password)


async def people(platform: RunningPlatform) -> list[str]:
    """Their names; each was given rights, and has a device by which they are known."""
    database = connect(platform.configuration, pool_size=1)
    kept, ends = QUICK.hash(PASSWORD), now() + timedelta(days=1)
    async with sessions(database)() as session, session.begin():
        for number in range(PEOPLE):
            row = UserRow(name=f"person{number}", password_hash=kept, must_change_password=False)
            session.add(row)
            await session.flush()
            device = KnownDeviceRow(token_hash=token_hash(f"device{number}"), user_id=row.id, expires_at=ends)
            session.add_all([device, UserRoleRow(user_id=row.id, role_id="user")])
    await database.dispose()
    return [f"person{number}" for number in range(PEOPLE)]


@contextlib.asynccontextmanager
async def hammered(platform: RunningPlatform, names: Iterable[str], addresses: Iterable[str]) -> AsyncIterator[None]:
    """At these addresses somebody guesses at all names, as fast as it goes, two at a time."""
    told: Counter[int] = Counter()
    at_work: set[str] = set()

    async def hammer(http: httpx.AsyncClient, address: str, guesses: Iterable[str]) -> None:
        for name in guesses:
            body = {"name": name, "password": GUESS}
            answer = await http.post("/session", json=body, headers={"X-Forwarded-For": address})
            told[answer.status_code] += 1
            at_work.add(address)
            if answer.status_code != WRONG:
                await asyncio.sleep(RESTS_S)

    addresses = [*addresses]
    http = platform.anonymous()
    turns = [itertools.cycle([*names][place:] + [*names][:place]) for place in range(2 * len(addresses))]
    hammers = [
        asyncio.create_task(hammer(http, address, guesses))
        for address, guesses in zip(itertools.cycle(addresses), turns, strict=False)
    ]
    try:

        async def all_have_failed() -> bool:
            return len(at_work) == len(addresses)

        await eventually(all_have_failed, 60)
        yield
    finally:
        for each in hammers:
            each.cancel()
        await asyncio.gather(*hammers, return_exceptions=True)
    assert set(told) <= {WRONG, LIMITED, 503}, told


async def come(platform: RunningPlatform, names: Iterable[str], address: str, *, known: bool) -> Counter[int]:
    """What all are told who sign in at once; `{}` in an address is another number for each."""

    async def one(number: int, name: str) -> int:
        http = platform.anonymous(**{"X-Forwarded-For": address.format(number)})
        if known:
            http.cookies.set("atoll_session_device", f"device{number}", path="/api/v1/session")
        return (await http.post("/session", json={"name": name, "password": PASSWORD})).status_code

    return Counter(await asyncio.gather(*(one(number, name) for number, name in enumerate(names))))


ELSEWHERE = [f"198.51.100.{number}" for number in range(HAMMERS)]
COME = {
    "new browsers, each at an address of its own": ("203.0.113.{}", False),
    "new browsers behind one address": (HERE, False),
    "browsers that were there before, behind an address of who guesses": (ELSEWHERE[0], True),
}


@pytest.mark.long
async def test_an_office_signs_in_at_once_while_somebody_hammers(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = await people(portal)
    monkeypatch.setattr(passwords, "_HASHER", Slow())
    monkeypatch.setattr(passwords, "_nobody", lambda: QUICK.hash("nobody"))
    async with hammered(portal, names, ELSEWHERE):
        for who, (address, known) in COME.items():
            told = await come(portal, names, address, known=known)
            assert told == {IN: PEOPLE}, f"people are kept out by who guesses: {who}"


async def test_the_limit_of_an_address_is_of_its_strangers_alone(portal: RunningPlatform) -> None:
    (name, *_) = await people(portal)
    await failed(portal, address__203_0_113_1=_LIMITS["address"])
    assert await sign_in(portal, name, HERE) == LIMITED
    assert await come(portal, [name], HERE, known=True) == {IN: 1}


def test_a_guess_costs_as_much_as_it_did() -> None:
    limits = {"pair": 5, "address": 30, "name": 60, "device": 5, "session": 5}
    assert limits == service._LIMITS
    assert (service.MOST_SIGN_INS, MOST_WITH_FRESH) == (240, 300)
