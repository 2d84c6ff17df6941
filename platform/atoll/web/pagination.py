"""Cursors: opaque to callers, the key of the last item to us, so that pages stay right while rows come and go."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import TypeVar

from atoll.web.errors import Invalid
from atoll.web.told import InvalidCursor, InvalidCursorField

Row = TypeVar("Row")


def encode(key: str) -> str:
    """The cursor that goes on after `key`."""
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def decode(cursor: str | None) -> str | None:
    """The key of a cursor. Raises Invalid for what is none of ours."""
    if cursor is None:
        return None
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise Invalid(InvalidCursor(), errors=[InvalidCursorField().at("cursor")]) from error


def cut(rows: Sequence[Row], limit: int, key: Callable[[Row], str]) -> tuple[Sequence[Row], str | None]:
    """`limit` of the `limit + 1` rows that were asked for, and the cursor for the rest."""
    if len(rows) <= limit:
        return rows, None
    return rows[:limit], encode(key(rows[limit - 1]))
