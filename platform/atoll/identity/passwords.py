"""Passwords: argon2id, verified in a thread, and a verification that takes as long for users who do not exist.

Each takes 46 MiB while it lasts, and everybody may ask for one: two at a time, in threads of their own; others wait in
three lines, and who comes when their line is full is told to come again. Known is who was given rights and shows a
session, or a device that signed in before as the same user; of one user no more than two are here. Strangers, of one
address no more than two, are fresh where nothing went wrong at their address of late, and suspects else: so who
guesses, from however many addresses, has places and turns of their own after the first guess of each, and takes none of
those who come to work. While all wait, the known have every other turn, and fresh strangers every other one of the
rest.
"""

import asyncio
import contextlib
import enum
import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from atoll.identity.codes import ContainsName, ContainsNameField, SignInsCrowded
from atoll.web.errors import Invalid, Unavailable
from atoll.web.turns import Lines, Turn, machine

_Result = TypeVar("_Result")
# As OWASP has it for one pass. Fifty people who come at once shall wait three seconds at most, on two cores: what
# pwdlib recommends (three passes over 64 MiB, 0.19 s of a core) leaves the last of them waiting for five.
_HASHER = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=46 << 10, parallelism=1),))
_QUICK = Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1)
_OF_QUICK = "$argon2id$v=19$m=64,t=1,p=1$"  # how its hashes begin
_DRAWN_AT_ONCE = 500
PER_ADDRESS = 2  # as many as are computed at a time: more of one address would only keep others waiting
_NICENESS = 10


def _give_way() -> None:
    """This thread's turn comes behind those of requests: Linux has a priority for each thread."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


_AT_ONCE = ThreadPoolExecutor(2, thread_name_prefix="passwords", initializer=_give_way)
RETRY_AFTER_S = 5


class Line(enum.StrEnum):
    """Who asks for a password to be looked at."""

    KNOWN = enum.auto()
    FRESH = enum.auto()
    SUSPECT = enum.auto()

    @classmethod
    def of(cls, *, known: bool, fresh: bool) -> "Line":
        """Where somebody waits; who is known is not asked for more."""
        return cls.KNOWN if known else cls.FRESH if fresh else cls.SUSPECT


# So many of each wait or are at work: a whole office in the morning, which takes some seconds.
PLACES = {Line.KNOWN: 96, Line.FRESH: 96, Line.SUSPECT: 24}


@functools.cache
def _nobody() -> str:
    return _HASHER.hash("the password of nobody")


class _Queue:
    """Three lines: while all wait, the known have every other turn, and fresh strangers every other one of the rest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[Line, deque[Callable[[], Callable[[], None]]]] = {line: deque() for line in Line}
        self._here = dict.fromkeys(Line, 0)
        self._known_next = self._fresh_next = True

    @property
    def here(self) -> int:
        """How many wait or are at work."""
        return sum(self._here.values())

    async def turn(self, line: Line, compute: Callable[..., _Result], *given: str) -> _Result:
        """What `compute` gives. Raises Unavailable when too many wait."""
        work: Future[_Result] = Future()
        with self._lock:
            if self._here[line] >= PLACES[line]:
                raise Unavailable(SignInsCrowded(), headers={"Retry-After": str(RETRY_AFTER_S)})
            self._here[line] += 1
            self._waiting[line].append(functools.partial(_computed, work, compute, *given))
        _AT_ONCE.submit(self._next)
        return await asyncio.wrap_future(work)

    def _next(self) -> None:
        """Compute for whoever's turn it is; in a thread."""
        with self._lock:
            line = self._chosen()
            computed = self._waiting[line].popleft()
        tell = computed()
        with self._lock:
            self._here[line] -= 1
        tell()

    def _chosen(self) -> Line:
        """Whose turn it is, of those that wait."""
        strangers = (Line.FRESH, Line.SUSPECT) if self._fresh_next else (Line.SUSPECT, Line.FRESH)
        stranger = next((line for line in strangers if self._waiting[line]), None)
        if stranger is None or (self._waiting[Line.KNOWN] and self._known_next):
            self._known_next = False
            return Line.KNOWN
        self._known_next, self._fresh_next = True, stranger is Line.SUSPECT
        return stranger


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


async def hashed(password: str, *, known: bool = True, fresh: bool = False) -> str:
    """The hash to keep; who asks for one is signed in, or the platform itself, else not `known`. Raises Unavailable."""
    return await _QUEUE.turn(Line.of(known=known, fresh=fresh), _HASHER.hash, password)


async def hashed_drawn(drawn: Sequence[str]) -> list[str]:
    """The hashes of passwords that were drawn by chance, of 90 bits and more, for the first sign-in.

    What makes a hash costly is for passwords that can be guessed; of these nobody tries enough, however quick it is. A
    thousand take less than one that people choose; the first sign-in keeps a costly one in its place.
    """
    loop, found = asyncio.get_running_loop(), list[str]()
    for begin in range(0, len(drawn), _DRAWN_AT_ONCE):
        # Between the parts somebody's sign-in has its turn.
        part = drawn[begin : begin + _DRAWN_AT_ONCE]
        found += await loop.run_in_executor(_AT_ONCE, _hashed_quickly, part)
    return found


def _hashed_quickly(drawn: Sequence[str]) -> list[str]:
    return [_QUICK.hash(each) for each in drawn]


def has_name(name: str, password: str) -> bool:
    """Whether a password of the user `name` is too easily guessed."""
    return name in password.lower()


def refuse_name_in(name: str, password: str, field: str) -> None:
    """Raise Invalid at `field` for a password of the user `name` that is too easily guessed."""
    if has_name(name, password):
        raise Invalid(ContainsName(), errors=[ContainsNameField().at(field)])


async def fits(password: str, kept: str | None, *, known: bool, fresh: bool = False) -> tuple[bool, str | None]:
    """Whether the password fits, and a newer hash when the parameters have grown. `kept` None never fits.

    Raises Unavailable.
    """
    return await _QUEUE.turn(Line.of(known=known, fresh=fresh), _verified, password, *(() if kept is None else (kept,)))


def _verified(password: str, kept: str | None = None) -> tuple[bool, str | None]:
    fit, newer = _HASHER.verify_and_update(password, _nobody() if kept is None else kept)
    if not fit and kept is not None and kept.startswith(_OF_QUICK):
        # Who guesses must not see by the time that nobody has signed in to this account yet.
        _HASHER.verify(password, _nobody())
    return (fit and kept is not None), newer
