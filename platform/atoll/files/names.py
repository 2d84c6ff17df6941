"""The names of a directory in order, in as much memory as is given, however many there are. Standard library only."""

import errno
import os
import sys
from collections.abc import Iterator
from typing import Any

MOST_NAMES = 1_000_000


def scan(entries: "Iterator[os.DirEntry[str]]") -> "Iterator[os.DirEntry[str]]":
    """All of a directory. Raises OSError (E2BIG) where there are more than `MOST_NAMES`."""
    for number, entry in enumerate(entries):
        if number >= MOST_NAMES:
            raise OSError(errno.E2BIG, "the directory holds too many names")
        yield entry


def first(places: "Iterator[tuple[Any, ...]]", most: int, most_bytes: int) -> tuple[list[Any], bool]:
    """The first `most` of `places` in order, or fewer that fit into `most_bytes`; and whether those are all."""
    kept: list[Any] = []
    held, everything = 0, True
    for place in places:
        kept.append(place)
        held += _size(place)
        if len(kept) > 2 * most or held > 2 * most_bytes:
            kept, held = _cut(kept, most, most_bytes)
            everything = False
    before = len(kept)
    kept, _ = _cut(kept, most, most_bytes)
    return kept, everything and len(kept) == before


def _size(place: "tuple[Any, ...]") -> int:
    return sys.getsizeof(place) + sys.getsizeof(place[-1])


def _cut(places: list[Any], most: int, most_bytes: int) -> tuple[list[Any], int]:
    """At least one, so that whoever asks for the next ones gets on."""
    places.sort()
    held = 0
    for number, place in enumerate(places):
        held += _size(place)
        if number and (number >= most or held > most_bytes):
            return places[:number], held - _size(place)
    return places, held
