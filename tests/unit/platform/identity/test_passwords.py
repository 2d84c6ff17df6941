"""Passwords: what they cost while many sign in at once."""

import asyncio
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from argon2 import extract_parameters
from argon2.low_level import Type
from atoll.identity import passwords
from atoll.identity.codes import SignInsCrowded
from atoll.identity.passwords import PLACES, Line
from atoll.web.errors import Unavailable

from tests.unit.platform.conftest import eventually

AT_ONCE = 2


class Counting:
    """Stands in for the hasher and counts how many are at work."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = 0

    def _work(self) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(0.05)
        with self.lock:
            self.now -= 1

    def hash(self, password: str) -> str:
        self._work()
        return password

    def verify_and_update(self, password: str, kept: str) -> tuple[bool, str | None]:
        self._work()
        return password == kept, None


async def test_many_sign_ins_at_once_need_the_memory_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting()
    monkeypatch.setattr(passwords, "_HASHER", counting)
    # What the original keeps for all that follows must not come from this hasher.
    monkeypatch.setattr(passwords, "_nobody", lambda: counting.hash("nobody"))
    checks = await asyncio.gather(
        *(passwords.fits("right", kept, known=False) for kept in ("right", "wrong", "right") * 3),
        *(passwords.fits("right", None, known=False) for _ in range(3)),
    )
    hashes = await asyncio.gather(*(passwords.hashed(str(number)) for number in range(8)))
    assert [fit for fit, _ in checks] == [True, False, True] * 3 + [False] * 3
    assert hashes == [str(number) for number in range(8)]
    assert counting.most == AT_ONCE


@pytest.mark.usefixtures("costly_passwords")
async def test_a_password_costs_who_steals_its_hash_time_and_memory() -> None:
    kept = extract_parameters(await passwords.hashed("a password"))
    assert kept.type is Type.ID
    assert (kept.memory_cost, kept.time_cost) >= (46 * 1024, 1), "less than OWASP asks for"


DRAWN = [f"abcde-fghjk-mnpqr-{number:05d}" for number in range(1000)]


@pytest.mark.usefixtures("costly_passwords")
async def test_a_thousand_that_were_drawn_take_no_longer_than_a_few_that_people_choose() -> None:
    began = time.process_time()
    await passwords.hashed("a password")
    one = time.process_time() - began
    began = time.process_time()
    hashes = await passwords.hashed_drawn(DRAWN)
    took = time.process_time() - began
    assert took < 4 * one, f"{took:.3f} s, one password {one:.3f} s"
    assert len({*hashes}) == len(DRAWN)


async def test_of_passwords_that_were_drawn_each_fits_its_own_hash_and_is_kept_by_a_costly_one() -> None:
    hashes = await passwords.hashed_drawn(DRAWN[:3])
    assert all(each.startswith(passwords._OF_QUICK) for each in hashes)
    fit, newer = await passwords.fits(DRAWN[1], hashes[1], known=False)
    assert fit
    assert newer is not None
    assert not newer.startswith(passwords._OF_QUICK)
    assert await passwords.fits(DRAWN[1], newer, known=False) == (True, None)
    assert await passwords.fits(DRAWN[0], hashes[1], known=False) == (False, None)
    assert await passwords.hashed_drawn([]) == []


@pytest.mark.usefixtures("costly_passwords")
async def test_guesses_at_an_account_that_was_never_used_take_as_long_as_at_nobody() -> None:
    quick = (await passwords.hashed_drawn(DRAWN[:1]))[0]
    usual = await passwords.hashed("a password")

    async def seconds(kept: str | None) -> float:
        taken = []
        for _ in range(3):
            began = time.process_time()
            await passwords.fits("a guess", kept, known=False)
            taken.append(time.process_time() - began)
        return min(taken)

    nobody, never_used, used = await seconds(None), await seconds(quick), await seconds(usual)
    assert 0.7 * nobody < never_used < 1.5 * nobody, f"nobody {nobody:.3f} s, never used {never_used:.3f} s"
    assert 0.7 * nobody < used < 1.5 * nobody


class InOrder:
    """Stands in for the hasher: it begins at a word, and notes whose password was looked at."""

    def __init__(self) -> None:
        self.word = threading.Event()
        self.seen: list[str] = []

    def hash(self, password: str) -> str:
        return password

    def verify_and_update(self, password: str, _kept: str) -> tuple[bool, None]:
        self.seen.append(password)
        self.word.wait(30)
        return True, None


@pytest.fixture
def in_order(monkeypatch: pytest.MonkeyPatch) -> Iterator[InOrder]:
    hasher = InOrder()
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    yield hasher
    hasher.word.set()


async def asked(count: int, *, known: bool = False, fresh: bool = False) -> list[asyncio.Task[tuple[bool, str | None]]]:
    """So many, who wait or are at work."""
    who = "known" if known else "fresh" if fresh else "stranger"
    found = [asyncio.create_task(passwords.fits(who, "", known=known, fresh=fresh)) for _ in range(count)]
    await asyncio.sleep(0)
    return found


async def test_who_is_known_waits_for_no_line_of_strangers(in_order: InOrder) -> None:
    strangers = await asked(PLACES[Line.SUSPECT], known=False)
    known = await asked(3, known=True)
    in_order.word.set()
    await asyncio.gather(*known)
    before = in_order.seen[: max(n for n, who in enumerate(in_order.seen) if who == "known")].count("stranger")
    assert before <= AT_ONCE + len(known) + 1, f"{before} strangers were before who is known"
    await asyncio.gather(*strangers)


async def test_strangers_have_their_turns_among_many_who_are_known(in_order: InOrder) -> None:
    known = await asked(PLACES[Line.KNOWN], known=True)
    (stranger,) = await asked(1, known=False)
    in_order.word.set()
    await stranger
    assert in_order.seen.index("stranger") <= AT_ONCE + 1, in_order.seen
    await asyncio.gather(*known)


async def all_at_work(in_order: InOrder) -> None:
    """As many as may be are looked at, and whoever comes from now on waits."""

    async def begun() -> bool:
        return len(in_order.seen) == AT_ONCE

    await eventually(begun)


LINES = {"known": {"known": True}, "fresh": {"fresh": True}, "stranger": {}}


@pytest.mark.parametrize("full", LINES)
async def test_a_line_that_is_full_keeps_nobody_from_the_others(in_order: InOrder, full: str) -> None:
    place = {"known": Line.KNOWN, "fresh": Line.FRESH, "stranger": Line.SUSPECT}[full]
    waiting = await asked(PLACES[place], **LINES[full])
    (late,) = await asked(1, **LINES[full])
    with pytest.raises(Unavailable) as refused:
        await late
    assert isinstance(refused.value.problem, SignInsCrowded)
    assert int(refused.value.headers["Retry-After"]) > 0
    others = [task for name, more in LINES.items() if name != full for task in await asked(1, **more)]
    assert [task.done() for task in others] == [False, False], "it found no place"
    in_order.word.set()
    await asyncio.gather(*others)
    assert {in_order.seen.index(name) for name in LINES if name != full} <= set(range(AT_ONCE + 4)), in_order.seen
    await asyncio.gather(*waiting)
    (again,) = await asked(1, **LINES[full])
    await again


async def test_an_office_that_signs_in_at_once_finds_places_whatever_others_do() -> None:
    assert min(PLACES[Line.KNOWN], PLACES[Line.FRESH]) > 50


async def test_while_all_wait_the_known_have_half_of_the_turns_and_fresh_strangers_half_of_the_rest(
    in_order: InOrder,
) -> None:
    strangers = await asked(12)
    await all_at_work(in_order)
    lines = [strangers, await asked(12, fresh=True), await asked(12, known=True)]
    in_order.word.set()
    for line in lines:
        await asyncio.gather(*line)
    taken = in_order.seen[AT_ONCE : AT_ONCE + 20]
    assert [taken.count(name) for name in LINES] == [10, 5, 5], taken
    assert set(in_order.seen[:AT_ONCE]) == {"stranger"}
    rest = in_order.seen[-8:]
    assert "known" not in rest, "who waits longest came last"


async def test_who_does_not_exist_waits_once_as_who_does(in_order: InOrder) -> None:
    nobodies = [asyncio.create_task(passwords.fits("nobody", None, known=False)) for _ in range(4)]
    await asyncio.sleep(0)
    others = await asked(PLACES[Line.SUSPECT] - len(nobodies), known=False)
    in_order.word.set()
    assert {fit for fit, _ in await asyncio.gather(*nobodies)} == {False}
    assert "nobody" not in in_order.seen[len(nobodies) + AT_ONCE :], in_order.seen
    await asyncio.gather(*others)


async def test_who_leaves_the_line_keeps_no_place(in_order: InOrder) -> None:
    before = passwords._QUEUE.here
    waiting = await asked(5, known=False)
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    in_order.word.set()

    async def left() -> bool:
        return passwords._QUEUE.here == before

    await eventually(left)
    assert len(in_order.seen) <= AT_ONCE, "passwords were looked at for nobody"


async def test_what_goes_wrong_with_a_password_is_raised_and_leaves_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: str) -> str:
        raise MemoryError

    monkeypatch.setattr(passwords, "_HASHER", SimpleNamespace(hash=breaks))
    with pytest.raises(MemoryError):
        await passwords.hashed("any")
    assert passwords._QUEUE.here == 0
