"""Passwords: argon2id, verified in a thread, and a verification that takes as long for users who do not exist.

Each takes 64 MiB while it lasts, and everybody may ask for one: two at a time, the others wait.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from pwdlib import PasswordHash

_Result = TypeVar("_Result")
_HASHER = PasswordHash.recommended()
_AT_ONCE = ThreadPoolExecutor(2, thread_name_prefix="passwords")


@functools.cache
def _nobody() -> str:
    return _HASHER.hash("the password of nobody")


async def _in_turn(compute: Callable[..., _Result], *given: str) -> _Result:
    return await asyncio.get_running_loop().run_in_executor(_AT_ONCE, compute, *given)


async def hashed(password: str) -> str:
    """The hash to keep."""
    return await _in_turn(_HASHER.hash, password)


async def fits(password: str, kept: str | None) -> tuple[bool, str | None]:
    """Whether the password fits, and a newer hash when the parameters have grown. `kept` None never fits."""
    reference = kept if kept is not None else await _in_turn(_nobody)
    fit, newer = await _in_turn(_HASHER.verify_and_update, password, reference)
    return (fit and kept is not None), newer
