"""Passwords: argon2id, verified in a thread, and a verification that takes as long for users who do not exist."""

import asyncio
import functools

from pwdlib import PasswordHash

_HASHER = PasswordHash.recommended()


@functools.cache
def _nobody() -> str:
    return _HASHER.hash("the password of nobody")


async def hashed(password: str) -> str:
    """The hash to keep."""
    return await asyncio.to_thread(_HASHER.hash, password)


async def fits(password: str, kept: str | None) -> tuple[bool, str | None]:
    """Whether the password fits, and a newer hash when the parameters have grown. `kept` None never fits."""
    reference = kept if kept is not None else await asyncio.to_thread(_nobody)
    fit, newer = await asyncio.to_thread(_HASHER.verify_and_update, password, reference)
    return (fit and kept is not None), newer
