"""The scalars that a program reported: lines of JSON in a file that it may fill with anything.

Counted while it is read: bytes of the file and of a line, lines, series, points. What is beyond is left out,
and that something was left out is told.
"""

import asyncio
import json
import math
from array import array
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

from atoll.database.texts import keepable
from atoll.homes.client import FilesClient, HasHome
from atoll.tasks.schemas import ScalarSeries
from atoll.web.turns import Lines

MOST_BYTES = 8 << 20
MOST_LINE_BYTES = 1 << 16
MOST_LINES = 200_000
MOST_SERIES = 64
MOST_POINTS = 200_000  # that are held, of all series
SHOWN_POINTS = 2000  # of a series, thinned out
SHOWN_IN_ALL = 64_000
_LARGEST_STEP = 1 << 53  # beyond it, neither JavaScript nor a float counts by one
# Not the threads that everybody shares, and no more of them: what users wrote takes no time from others' requests. One
# file of an owner at a time, so that nobody's many keep all threads, or the workers of `files`, from others' charts. A
# turn may take seconds: who would wait for as long as a browser does is told to come again.
_PARSING = ThreadPoolExecutor(2, thread_name_prefix="scalars")
WAITING, WAIT_S = 8, 10.0
OWNERS = Lines(at_once=1, waiting=WAITING, wait_s=WAIT_S)


class Scalars:
    """What is read so far."""

    def __init__(self) -> None:
        self.truncated = False
        self._points: dict[str, tuple[array[int], array[float]]] = {}
        self._held = 0
        self._lines = 0
        self._bytes = 0
        self._begun = b""
        self._skips = False  # the rest of a line that is too long
        self._full = False

    def feed(self, chunk: bytes) -> bool:
        """Read on; False when nothing more is taken."""
        if self._bytes + len(chunk) > MOST_BYTES:
            self.truncated = self._full = True
            chunk = chunk[: MOST_BYTES - self._bytes]
        self._bytes += len(chunk)
        *ended, self._begun = (self._begun + chunk).split(b"\n")
        for line in ended:
            if self._full or self._lines >= MOST_LINES:
                self.truncated = self._full = True
                break
            self._line(line)
        if len(self._begun) > MOST_LINE_BYTES:
            self.truncated = self._skips = True
            self._begun = b""
        return not self._full

    def series(self) -> list[ScalarSeries]:
        """What was read, each step once and thinned out. Nothing can be fed afterwards."""
        self._line(self._begun)
        shown = min(SHOWN_POINTS, SHOWN_IN_ALL // max(1, len(self._points)))
        return [_series(name, *points, shown) for name, points in self._points.items()]

    def _line(self, line: bytes) -> None:
        number, self._lines = self._lines, self._lines + 1
        if self._skips or len(line) > MOST_LINE_BYTES:
            self._skips, self.truncated = False, True
            return
        try:
            entry = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return  # a half-written last one, or none of ours
        if not isinstance(entry, dict):
            return
        step = entry.pop("step", number)
        if isinstance(step, bool) or not isinstance(step, int) or abs(step) > _LARGEST_STEP:
            return
        for name, value in _numbers(entry):
            self._add(keepable(name[:64]), step, value)

    def _add(self, name: str, step: int, value: float) -> None:
        if name not in self._points and len(self._points) >= MOST_SERIES:
            self.truncated = True
            return
        if self._held >= MOST_POINTS:
            self.truncated = self._full = True
            return
        steps, values = self._points.setdefault(name, (array("q"), array("d")))
        steps.append(step)
        values.append(value)
        self._held += 1


def _numbers(entry: dict[str, object]) -> Iterator[tuple[str, float]]:
    """Those that are finite."""
    for name, value in entry.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        try:
            number = float(value)
        except OverflowError:  # an integer of hundreds of digits
            continue
        if math.isfinite(number):
            yield name, number


def _series(name: str, steps: "array[int]", values: "array[float]", shown: int) -> ScalarSeries:
    newest = dict(zip(steps, values, strict=True))
    ordered = sorted(newest)
    thinned = ordered[:: max(1, math.ceil(len(ordered) / shown))]
    if thinned[-1] != ordered[-1]:
        thinned.append(ordered[-1])
    return ScalarSeries(name=name, steps=thinned, values=[newest[step] for step in thinned])


def metrics_path(task_id: str) -> str:
    """Where a program's scalars lie in the owner's home."""
    return f"tasks/{task_id}/metrics.jsonl"


async def reported(files: FilesClient, owner: HasHome, task_id: str) -> tuple[list[ScalarSeries], bool]:
    """The scalars of a task, and whether there are more. Raises NotFound before the first is reported.

    In a turn of `OWNERS`.
    """
    return await parsed(files.read(owner, metrics_path(task_id), length=MOST_BYTES + 1))


async def parsed(chunks: AsyncGenerator[bytes, None]) -> tuple[list[ScalarSeries], bool]:
    """The scalars among `chunks`, and whether there are more than these. What is too much is not even asked for."""
    loop = asyncio.get_running_loop()
    read = Scalars()
    async with aclosing(chunks) as content:
        async for chunk in content:
            if not await loop.run_in_executor(_PARSING, read.feed, chunk):
                break
    return await loop.run_in_executor(_PARSING, read.series), read.truncated
