"""Tokens of sessions and of devices, and those that people make for their programs."""

import hashlib
import re
import secrets
import zlib

# By it secret scanners find a token that somebody left lying about.
ACCESS_TOKEN_PREFIX = "atoll_"  # noqa: S105 - of every token
RANDOM, CHECKSUM = 43, 6  # characters: 256 random bits, and the 32 of a CRC
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ACCESS_TOKEN = re.compile(rf"{ACCESS_TOKEN_PREFIX}([0-9A-Za-z]{{{RANDOM}}})([0-9A-Za-z]{{{CHECKSUM}}})")


def new_token() -> str:
    """256 random bits."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What the tables of tokens keep; a token is random, so a plain digest is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_access_token() -> str:
    """`atoll_`, 256 random bits and a checksum, in letters and digits: a double click takes all of it."""
    chosen = "".join(secrets.choice(_DIGITS) for _ in range(RANDOM))
    return f"{ACCESS_TOKEN_PREFIX}{chosen}{_checksum(chosen)}"


def may_be_access_token(text: str) -> bool:
    """Whether it has the form of one and its checksum fits: what was mistyped or cut off needs no look at a table."""
    found = _ACCESS_TOKEN.fullmatch(text)
    return found is not None and found[2] == _checksum(found[1])


def _checksum(chosen: str) -> str:
    """The CRC-32 of a text to the base of 62, as GitHub's tokens have it."""
    left, digits = zlib.crc32(chosen.encode()), ""
    for _ in range(CHECKSUM):
        left, digit = divmod(left, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
