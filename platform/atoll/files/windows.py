"""What comes next in listings that people page through, so that a page costs no look at the whole directory.

One look gives a window of names in order; the pages after it are cut from the window, and only what is on a page is
asked for its size and time, under the owner's uid as ever. At most `WINDOWS` windows of `WINDOW` names are kept (32 ×
5,000 names, under 50 MB with the longest names that there are), each for `KEPT_S`. The first page is always a fresh
look.
"""

import bisect
import time
from collections import OrderedDict
from dataclasses import dataclass

WINDOW = 5_000
WINDOWS = 32
KEPT_S = 60.0

Place = tuple[bool, str]  # whether it is no directory, and the name: directories come first


@dataclass(frozen=True)
class Window:
    """Names in order, `complete` when nothing comes behind them."""

    places: list[Place]
    complete: bool
    made_at: float


@dataclass(frozen=True)
class Cut:
    """The names of one page."""

    places: list[Place]
    more: bool


class Windows:
    """Those that were asked for last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Window] = OrderedDict()

    def keep(self, owner: str, path: str, places: list[Place], *, complete: bool) -> None:
        """A fresh look replaces an older one."""
        self._kept[owner, path] = Window(places, complete, time.monotonic())
        self._kept.move_to_end((owner, path))
        while len(self._kept) > WINDOWS:
            self._kept.popitem(last=False)

    def cut(self, owner: str, path: str, after: Place, limit: int) -> Cut | None:
        """The page behind `after`, None when that takes a look at the directory."""
        window = self._kept.get((owner, path))
        if window is None or time.monotonic() > window.made_at + KEPT_S or not window.places:
            return None
        begin = bisect.bisect_right(window.places, after)
        places = window.places[begin : begin + limit]
        more = begin + limit < len(window.places)
        if after < window.places[0] or not (more or window.complete):
            return None
        self._kept.move_to_end((owner, path))
        return Cut(places, more)


def place(after: str) -> Place:
    """The place that a cursor names."""
    flag, _, name = after.partition(":")
    return flag == "1", name


def cursor(last: Place) -> str:
    """The cursor that goes on behind `last`."""
    return f"{int(last[0])}:{last[1]}"
