"""Identifiers: 128 bits, sorted by time of creation, fit for URLs, file names and names of Kubernetes objects."""

import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id() -> str:
    """A ULID in lower case: 48 bits of milliseconds and 80 random bits."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))
