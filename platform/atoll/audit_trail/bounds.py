"""How much of what people write stands in a row of the audit: so much, and always a part of each thing that is told.

Nothing is left out because something else is long: who gives a right cannot hide it behind a long description, nor a
role among a hundred with long names. The long ones are cut, with a mark, until all have room. Pure.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from atoll.audit_trail.functions import LONGEST_TEXT, MOST_DETAILS_BYTES
from atoll.database.texts import keepable

MARK = "…"
MOST_NAMED = 256  # so many are told by name of those whom a deletion concerns
_TRUNCATED = {"truncated": True}
# So many of a list are kept where it has more than there is room for a part of each.
_MOST_OF_EACH = (256, 128, 64, 32, 16, 8, 4, 2, 1, 0)


def cut(text: str) -> str:
    """The text as the database keeps it, no longer than a row has room for."""
    kept = keepable(text)
    return kept if len(kept) <= LONGEST_TEXT else f"{kept[: LONGEST_TEXT - 1]}{MARK}"


def named(names: Sequence[str], count: int) -> list[str]:
    """The first `MOST_NAMED` of these names, and how many more there are where `count` are concerned."""
    first = [*names[:MOST_NAMED]]
    return [*first, _beyond(count - len(first))] if count > len(first) else first


def bounded(details: Mapping[str, Any]) -> dict[str, Any]:
    """`details`, of which all names stay and long texts are cut off; `truncated` says where more than that was cut."""
    told: dict[str, Any] = _each(details, cut)
    if _size(told) <= MOST_DETAILS_BYTES:
        return told
    some = told
    for most in _MOST_OF_EACH:
        # What is not text has half of the room, so that of each text something can be told.
        if _frame(some) <= MOST_DETAILS_BYTES // 2:
            break
        some = {name: _first(value, most) for name, value in told.items()}
    left = MOST_DETAILS_BYTES - _frame(some) - _size(_TRUNCATED)
    share = _share([_text_size(text) for text in _texts(some)], left)
    return {**_each(some, lambda text: _cut_to(text, share)), **_TRUNCATED}


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """The same with each text changed; keys stay."""
    match value:
        case str():
            return change(value)
        case Mapping():
            return {key: _each(part, change) for key, part in value.items()}
        case list() | tuple():
            return [_each(part, change) for part in value]
        case _:
            return value


def _first(value: Any, most: int) -> Any:
    """The same with the first parts of each list and table, and how many there are beyond them."""
    match value:
        case Mapping():
            beyond = {MARK: len(value) - most} if len(value) > most else {}
            return {key: _first(part, most) for key, part in [*value.items()][:most]} | beyond
        case list():
            beyond_it = [_beyond(len(value) - most)] if len(value) > most else []
            return [_first(part, most) for part in value[:most]] + beyond_it
        case _:
            return value


def _beyond(count: int) -> str:
    return f"{MARK} +{count}"


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from _texts(part)
        case list():
            for part in value:
                yield from _texts(part)


def _share(sizes: list[int], left: int) -> int:
    """How many bytes each may have, so that all together have no more than `left`; what short ones leave is others'."""
    for number, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - number)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)


def _cut_to(text: str, size: int) -> str:
    if _text_size(text) <= size:
        return text
    room = size - _text_size(MARK)
    fits = bisect_right(range(len(text)), room, key=lambda length: _text_size(text[:length])) - 1
    return f"{text[: max(0, fits)]}{MARK}"


def _frame(value: Any) -> int:
    """How many bytes it has without its texts."""
    return _size(_each(value, lambda _: ""))


def _size(value: Any) -> int:
    """Of it as JSON, in bytes."""
    return len(json.dumps(value, ensure_ascii=False, default=str).encode())


def _text_size(text: str) -> int:
    return _size(text) - 2  # its quotation marks are always there
