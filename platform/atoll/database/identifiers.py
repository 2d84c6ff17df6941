"""Identifiers: 128 bits, sorted by time of creation, fit for URLs, file names and names of Kubernetes objects."""

import hashlib
import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id() -> str:
    """A ULID in lower case: 48 bits of milliseconds and 80 random bits."""
    return _text((time.time_ns() // 1_000_000) << 80 | secrets.randbits(80))


def id_of(moment_ms: int, what: str) -> str:
    """One that stands among those of that moment and is the same for the same `what`."""
    digest = hashlib.blake2b(what.encode(), digest_size=10).digest()
    return _text(moment_ms << 80 | int.from_bytes(digest))


def _text(value: int) -> str:
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))
