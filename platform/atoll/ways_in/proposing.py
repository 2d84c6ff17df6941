"""What an account could be called, by what its user is called elsewhere. Pure."""

import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator

LONGEST = 32  # as `UserName` has it
NICKNAME = 64
OTHERWISE = "user"
_TRIES = 50


def names(wanted: Iterable[str]) -> Iterator[str]:
    """Names that an account may have, from the likest on: of `ada.lovelace@example.com` `ada-lovelace`, then with -2.

    The last ones are by chance, so one of them is free.
    """
    base = next(filter(None, map(_fitting, wanted)), OTHERWISE)
    yield base
    for number in range(2, _TRIES):
        yield _ending(base, str(number))
    for _ in range(3):
        yield _ending(base, secrets.token_hex(4))


def nickname(wanted: str, name: str) -> str:
    """A full name that is not too long, `name` where there is none."""
    return wanted[:NICKNAME].strip() or name


def _fitting(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.partition("@")[0]).encode("ascii", "ignore").decode().lower()
    found = re.sub(r"[^a-z0-9]+", "-", plain).lstrip("0123456789-")[:LONGEST].strip("-")
    return found if len(found) > 1 else ""


def _ending(base: str, end: str) -> str:
    return f"{base[: LONGEST - len(end) - 1].rstrip('-')}-{end}"
