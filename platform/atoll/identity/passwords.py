"""Passwords: argon2id, verified in a thread, and a verification that takes as long for users who do not exist.

Each takes 64 MiB while it lasts, and everybody may ask for one: two at a time, in threads of their own; some wait,
and who comes when these are many is told to come again. Of one address no more than two are among these, whether
its passwords are right or wrong, so that nobody fills the places of all others; and strangers, of however many
addresses, have half of the places and, while others wait, half of the turns. Known is who was given rights and shows a
session, or a device that signed in before as the same user; of one user no more than two are here.
"""

import asyncio
import contextlib
import functools
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from pwdlib import PasswordHash

from atoll.identity.codes import ContainsName, ContainsNameField, SignInsCrowded
from atoll.web.errors import Invalid, Unavailable
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
MOST_STRANGERS = 24
RETRY_AFTER_S = 5


@functools.cache
def _nobody() -> str:
    return _HASHER.hash("the password of nobody")


class _Queue:
    """Two lines, of the known and of strangers: while both wait, each has every other turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[bool, deque[Callable[[], Callable[[], None]]]] = {True: deque(), False: deque()}
        self._here = {True: 0, False: 0}
        self._known_next = True

    @property
    def here(self) -> int:
        """How many wait or are at work."""
        return sum(self._here.values())

    async def turn(self, known: bool, compute: Callable[..., _Result], *given: str) -> _Result:
        """What `compute` gives. Raises Unavailable when too many wait."""
        work: Future[_Result] = Future()
        with self._lock:
            if self.here >= MOST_WAITING or (not known and self._here[known] >= MOST_STRANGERS):
                raise Unavailable(SignInsCrowded(), headers={"Retry-After": str(RETRY_AFTER_S)})
            self._here[known] += 1
            self._waiting[known].append(functools.partial(_computed, work, compute, *given))
        _AT_ONCE.submit(self._next)
        return await asyncio.wrap_future(work)

    def _next(self) -> None:
        """Compute for whoever's turn it is; in a thread."""
        with self._lock:
            known = bool(self._waiting[True]) and (self._known_next or not self._waiting[False])
            self._known_next = not known
            computed = self._waiting[known].popleft()
        tell = computed()
        with self._lock:
            self._here[known] -= 1
        tell()


def _computed(work: Future[_Result], compute: Callable[..., _Result], *given: str) -> Callable[[], None]:
    """Compute for who waits for `work`, unless they left, and return what tells them."""
    if not work.set_running_or_notify_cancel():
        return lambda: None
    try:
        result = compute(*given)
    except Exception as error:  # noqa: BLE001 - raised where it is waited for
        return functools.partial(work.set_exception, error)
    return functools.partial(work.set_result, result)


_QUEUE = _Queue()
_LINES = Lines(PER_ADDRESS)


def turn_of(address: str) -> contextlib.AbstractAsyncContextManager[Turn]:
    """A turn of an address: while it is held, passwords may be looked at for strangers there. Raises TooMany."""
    return _LINES.turn(machine(address))


def turn_of_known(name: str) -> contextlib.AbstractAsyncContextManager[Turn]:
    """A turn of a user who is known, at whatever address. Raises TooMany."""
    return _LINES.turn(f"user:{name}")


async def hashed(password: str, *, known: bool = True) -> str:
    """The hash to keep; who asks for one is signed in, or the platform itself, else not `known`. Raises Unavailable."""
    return await _QUEUE.turn(known, _HASHER.hash, password)


def has_name(name: str, password: str) -> bool:
    """Whether a password of the user `name` is too easily guessed."""
    return name in password.lower()


def refuse_name_in(name: str, password: str, field: str) -> None:
    """Raise Invalid at `field` for a password of the user `name` that is too easily guessed."""
    if has_name(name, password):
        raise Invalid(ContainsName(), errors=[ContainsNameField().at(field)])


async def fits(password: str, kept: str | None, *, known: bool) -> tuple[bool, str | None]:
    """Whether the password fits, and a newer hash when the parameters have grown. `kept` None never fits.

    Raises Unavailable.
    """
    return await _QUEUE.turn(known, _verified, password, *(() if kept is None else (kept,)))


def _verified(password: str, kept: str | None = None) -> tuple[bool, str | None]:
    fit, newer = _HASHER.verify_and_update(password, _nobody() if kept is None else kept)
    return (fit and kept is not None), newer
