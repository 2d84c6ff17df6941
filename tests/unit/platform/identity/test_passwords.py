"""Passwords: what they cost while many sign in at once."""

import asyncio
import threading
import time

import pytest
from argon2 import extract_parameters
from argon2.low_level import Type
from atoll.identity import passwords

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
        *(passwords.fits("right", kept) for kept in ("right", "wrong", "right") * 3),
        *(passwords.fits("right", None) for _ in range(3)),
    )
    hashes = await asyncio.gather(*(passwords.hashed(str(number)) for number in range(8)))
    assert [fit for fit, _ in checks] == [True, False, True] * 3 + [False] * 3
    assert hashes == [str(number) for number in range(8)]
    assert counting.most == AT_ONCE


@pytest.mark.usefixtures("costly_passwords")
async def test_a_password_costs_who_steals_its_hash_time_and_memory() -> None:
    kept = extract_parameters(await passwords.hashed("a password"))
    assert kept.type is Type.ID
    assert (kept.memory_cost, kept.time_cost) >= (64 * 1024, 3)
