"""Identifiers: 128 bits, sorted by time of creation, fit for URLs, file names and names of Kubernetes objects."""

import secrets
import time
from datetime import UTC, datetime, timedelta

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS = 2**48 - 1


def new_id() -> str:
    """A ULID in lower case: 48 bits of milliseconds and 80 random bits."""
    return _told(time.time_ns() // 1_000_000, secrets.randbits(80))


def first_id(at: datetime) -> str:
    """The smallest id of the millisecond in which `at` is; of what no id has room for, the nearest that has."""
    return _told(min(max((at - _EPOCH) // timedelta(milliseconds=1), 0), _LAST_MS), 0)


def _told(milliseconds: int, rest: int) -> str:
    value = milliseconds << 80 | rest
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))
