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


class InOrder:
    """Stands in for the hasher: it begins at a word, and notes whose password was looked at."""

    def __init__(self) -> None:
        self.word = threading.Event()
        self.seen: list[str] = []

    def hash(self, password: str) -> str:
        return password

    def verify_and_update(self, password: str, _kept: str) -> tuple[bool, None]:
        self.word.wait(30)
        self.seen.append(password)
        return True, None


@pytest.fixture
def in_order(monkeypatch: pytest.MonkeyPatch) -> Iterator[InOrder]:
    hasher = InOrder()
    monkeypatch.setattr(passwords, "_HASHER", hasher)
    yield hasher
    hasher.word.set()


async def asked(count: int, *, known: bool) -> list[asyncio.Task[tuple[bool, str | None]]]:
    """So many, who wait or are at work."""
    found = [
        asyncio.create_task(passwords.fits("known" if known else "stranger", "", known=known)) for _ in range(count)
    ]
    await asyncio.sleep(0)
    return found


async def test_who_is_known_waits_for_no_line_of_strangers(in_order: InOrder) -> None:
    strangers = await asked(passwords.MOST_STRANGERS, known=False)
    known = await asked(3, known=True)
    in_order.word.set()
    await asyncio.gather(*known)
    before = in_order.seen[: max(n for n, who in enumerate(in_order.seen) if who == "known")].count("stranger")
    assert before <= AT_ONCE + len(known) + 1, f"{before} strangers were before who is known"
    await asyncio.gather(*strangers)


async def test_strangers_have_their_turns_among_many_who_are_known(in_order: InOrder) -> None:
    known = await asked(passwords.MOST_WAITING - 1, known=True)
    (stranger,) = await asked(1, known=False)
    in_order.word.set()
    await stranger
    assert in_order.seen.index("stranger") <= AT_ONCE + 1, in_order.seen
    await asyncio.gather(*known)


async def test_who_does_not_exist_waits_once_as_who_does(in_order: InOrder) -> None:
    nobodies = [asyncio.create_task(passwords.fits("nobody", None, known=False)) for _ in range(4)]
    await asyncio.sleep(0)
    others = await asked(passwords.MOST_STRANGERS - len(nobodies), known=False)
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
