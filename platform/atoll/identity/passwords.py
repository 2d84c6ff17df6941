"""Passwords: argon2id, verified in a thread, and a verification that takes as long for users who do not exist.

Each takes 64 MiB while it lasts, and everybody may ask for one: two at a time, in threads of their own; some wait,
and who comes when these are many is told to come again. Of one address no more than two are among these, whether
its passwords are right or wrong, so that nobody fills the places of all others.
"""

import asyncio
import contextlib
import functools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pwdlib import PasswordHash

from atoll.identity.codes import SignInsCrowded
from atoll.web.errors import Unavailable
from atoll.web.turns import Lines, Turn, machine

_Result = TypeVar("_Result")
_HASHER = PasswordHash.recommended()
PER_ADDRESS = 2  # as many as are computed at a time: more of one address would only keep others waiting
_NICENESS = 10


def _give_way() -> None:
    """This thread's turn comes behind those of requests: Linux has a priority for each thread."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


_AT_ONCE = ThreadPoolExecutor(2, thread_name_prefix="passwords", initializer=_give_way)
MOST_WAITING = 48  # with those at work: some seconds of them
RETRY_AFTER_S = 5


@functools.cache
def _nobody() -> str:
    return _HASHER.hash("the password of nobody")


class _Queue:
    """How many wait or are at work."""

    def __init__(self) -> None:
        self._here = 0

    async def turn(self, compute: Callable[..., _Result], *given: str) -> _Result:
        """What `compute` gives. Raises Unavailable when too many wait."""
        if self._here >= MOST_WAITING:
            raise Unavailable(SignInsCrowded(), headers={"Retry-After": str(RETRY_AFTER_S)})
        self._here += 1
        computing = asyncio.get_running_loop().run_in_executor(_AT_ONCE, compute, *given)
        computing.add_done_callback(self._left)
        return await computing

    def _left(self, _: object) -> None:
        self._here -= 1


_QUEUE = _Queue()
_ADDRESSES = Lines(PER_ADDRESS)


def turn_of(address: str) -> contextlib.AbstractAsyncContextManager[Turn]:
    """A turn of an address: while it is held, passwords may be looked at for it. Raises TooMany."""
    return _ADDRESSES.turn(machine(address))


async def hashed(password: str) -> str:
    """The hash to keep."""
    return await _QUEUE.turn(_HASHER.hash, password)


async def fits(password: str, kept: str | None) -> tuple[bool, str | None]:
    """Whether the password fits, and a newer hash when the parameters have grown. `kept` None never fits."""
    reference = kept if kept is not None else await _QUEUE.turn(_nobody)
    fit, newer = await _QUEUE.turn(_HASHER.verify_and_update, password, reference)
    return (fit and kept is not None), newer
