"""What is going on now, for whoever watches: a person at a terminal, a log file, or another program.

Everything that takes longer than a second takes a `Progress` and tells it three things: a stage begins, it advanced,
it ended. Stages nest (`up` > `bundle` > `kubernetes`). Usable from several threads: the stages that one begins lie
beside those of the others, within what was begun before any of them.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from installer.progress.timings import Timings

BAR = 24
BESIDE_TEXT = BAR + 8 + 13 + 24  # bar, count, time taken, time left: what else stands on a line of the live part


@dataclass
class Stage:
    """A stage that has begun and not ended."""

    name: str
    total: int | None
    expected_seconds: float | None
    began: float = field(default_factory=time.monotonic)
    done: int = 0
    text: str = ""
    thread: int = field(default_factory=threading.get_ident)

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began

    def left_seconds(self) -> float | None:
        """Estimate what is left, from earlier runs, else from what is counted; None if neither is known."""
        if self.expected_seconds is not None:
            return max(0.0, self.expected_seconds - self.seconds)
        if self.total and 0 < self.done <= self.total:
            return self.seconds / self.done * (self.total - self.done)
        return None


class Progress:
    """Silent progress: keeps the books (stages, timings) and shows nothing. The others add a face."""

    def __init__(self, timings: Timings | None = None) -> None:
        self.timings = timings or Timings()
        self.stages: list[Stage] = []
        self._coming: list[str] = []
        self._lock = threading.RLock()
        self._thread = threading.get_ident()  # whoever made it: what it begins lies around what others begin

    def expect(self, stages: Iterable[str]) -> None:
        """Say which stages are to come, so that the estimate covers them too."""
        with self._lock:
            self._coming.extend(stages)

    def begin(self, stage: str, total: int | None = None) -> None:
        """A stage begins; `total` is the number of advances it will make, if known."""
        with self._lock:
            if stage in self._coming:
                self._coming.remove(stage)
            begun = Stage(stage, total, self.timings.expected(stage))
            self.stages.append(begun)
            self._show("begin", begun)

    def advance(self, text: str, count: int = 1) -> None:
        """This thread's innermost stage did `count` pieces (0: only the text changes); `text` says what it does now."""
        with self._lock:
            if not self.stages:
                self._show("advance", Stage("", None, None, text=text))
                return
            stage = next((mine for mine in reversed(self.stages) if _is_mine(mine)), self.stages[-1])
            stage.done += count
            stage.text = text
            self._show("advance", stage)

    def end(self, stage: str, ok: bool = True) -> None:
        """The stage ended, and with it those inside it that did not say so."""
        with self._lock:
            named = [begun for begun in reversed(self.stages) if begun.name == stage]
            ending = next((begun for begun in named if _is_mine(begun)), named[0] if named else None)
            while ending is not None and ending in self.stages:
                ended = next(begun for begun in reversed(self.stages) if begun.thread == ending.thread)
                self.stages.remove(ended)
                complete = ok and ended is ending
                if complete:
                    self.timings.record(ended.name, ended.seconds)
                self._show("end", ended, ok=complete)

    @contextmanager
    def stage(self, stage: str, total: int | None = None) -> Iterator[None]:
        """Begin and end a stage around a block; it ends not ok when the block raises."""
        self.begin(stage, total)
        try:
            yield
        except BaseException:
            self.end(stage, ok=False)
            raise
        self.end(stage, ok=True)

    def say(self, text: str) -> None:
        """A line that stays: something a person should know."""
        with self._lock:
            self._say(text)

    def event(self, name: str, **fields: Any) -> None:
        """An event for programs; people see stages and lines instead."""

    def around(self, stage: Stage) -> list[Stage]:
        """Return the stages that `stage` lies in, outermost first, without those of other threads beside it."""
        before = self.stages[: self.stages.index(stage)] if stage in self.stages else self.stages
        return [other for other in before if other.thread in (self._thread, stage.thread)]

    def left_seconds(self) -> float | None:
        """Estimate for all that has begun and is announced; None if any of it is unknown."""
        with self._lock:
            outer = self.stages[0].left_seconds() if self.stages else 0.0
            coming = [self.timings.expected(stage) for stage in self._coming]
            if outer is None or any(seconds is None for seconds in coming):
                return None
            return outer + sum(seconds or 0.0 for seconds in coming)

    def close(self) -> None:
        """Nothing more will come."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _show(self, what: str, stage: Stage, ok: bool = True) -> None: ...

    def _say(self, text: str) -> None: ...


class PlainProgress(Progress):
    """A line when a stage begins and when it ends, and one now and then between: for logs and pipes."""

    def __init__(self, stream: TextIO, timings: Timings | None = None, every_seconds: float = 5.0) -> None:
        super().__init__(timings)
        self._stream = stream
        self._every_seconds = every_seconds
        self._last = 0.0

    def _show(self, what: str, stage: Stage, ok: bool = True) -> None:
        path = " > ".join([*(s.name for s in self.around(stage)), stage.name])
        if what == "begin":
            expected = stage.expected_seconds
            hint = f" (about {duration(expected)})" if expected and expected >= 1 else ""
            self._say(f"{path} ...{hint}")
        elif what == "end":
            self._say(f"{path} {'done' if ok else 'FAILED'} in {duration(stage.seconds)}")
        elif time.monotonic() - self._last >= self._every_seconds:
            counted = f" {stage.done}/{stage.total}" if stage.total else ""
            self._say(f"{path}{counted}: {stage.text}")

    def _say(self, text: str) -> None:
        self._last = time.monotonic()
        self._stream.write(text + "\n")
        self._stream.flush()


class JsonProgress(Progress):
    """A JSON object per line: `begin`, `advance`, `end`, `message` and whatever `event` is given."""

    def __init__(self, stream: TextIO, timings: Timings | None = None) -> None:
        super().__init__(timings)
        self._stream = stream

    def event(self, name: str, **fields: Any) -> None:
        """Write the event as one line."""
        with self._lock:
            self._stream.write(json.dumps({"event": name, **fields}) + "\n")
            self._stream.flush()

    def _show(self, what: str, stage: Stage, ok: bool = True) -> None:
        fields: dict[str, Any] = {"at": round(time.time(), 3), "stage": stage.name}
        if what == "begin":
            fields |= {"total": stage.total, "expected_seconds": stage.expected_seconds}
        elif what == "advance":
            fields |= {"text": stage.text, "done": stage.done, "total": stage.total}
        else:
            fields |= {"ok": ok, "seconds": round(stage.seconds, 2)}
        left = self.left_seconds()
        self.event(what, **fields, left_seconds=None if left is None else round(left))

    def _say(self, text: str) -> None:
        self.event("message", at=round(time.time(), 3), text=text)


class TerminalProgress(Progress):
    """Finished stages stay as lines; below them, live: what runs now, a bar, and when it will be done."""

    def __init__(self, console: Console, timings: Timings | None = None) -> None:
        super().__init__(timings)
        self._console = console
        self._live = Live(console=console, get_renderable=self._render, refresh_per_second=4, transient=True)
        self._live.start()

    def close(self) -> None:
        """Take the live part off the screen; the lines stay."""
        self._live.stop()

    def _show(self, what: str, stage: Stage, ok: bool = True) -> None:
        if what != "end":
            return
        # Short inner stages would scroll the important lines away; a failure is always shown.
        depth = len(self.around(stage))
        if not ok or depth <= 1 or stage.seconds >= 2:
            mark = "[green]✓[/]" if ok else "[red]✗[/]"
            indent = "  " * depth
            self._console.print(f"{indent}{mark} {escape(stage.name)} [dim]{duration(stage.seconds)}[/]")

    def _say(self, text: str) -> None:
        self._console.print(escape(text))

    def _render(self) -> Table:
        with self._lock:
            table = Table.grid(padding=(0, 1))
            rows = [(len(self.around(stage)), stage) for stage in self.stages]
            names = max((len(stage.name) + 2 * depth for depth, stage in rows), default=0)
            room = max(16, self._console.width - names - BESIDE_TEXT)
            for depth, stage in rows:
                counted = f"{stage.done}/{stage.total}" if stage.total else ""
                left = stage.left_seconds()
                eta = f"about {duration(left)} left" if left is not None and left >= 1 else ""
                name = f"{'  ' * depth}[cyan]{escape(stage.name)}[/]"
                took = f"[dim]{duration(stage.seconds)}[/]"
                table.add_row(name, _bar(stage), counted, took, f"[dim]{eta}[/]", escape(_cut(stage.text, room)))
            left = self.left_seconds()
            if self._coming and left is not None:
                table.add_row("[dim]all[/]", "", "", "", f"[dim]about {duration(left)} left[/]", "")
            return table


def _is_mine(stage: Stage) -> bool:
    return stage.thread == threading.get_ident()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _bar(stage: Stage, width: int = BAR) -> str:
    if stage.total:
        share = min(1.0, stage.done / stage.total)
    elif stage.expected_seconds:
        share = min(0.98, stage.seconds / stage.expected_seconds)
    else:
        return ""
    filled = round(share * width)
    return f"[cyan]{'━' * filled}[/][dim]{'━' * (width - filled)}[/]"


def duration(seconds: float) -> str:
    """Say a time the way people do: `0.4 s`, `12 s`, `3 min 05 s`, `1 h 02 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def progress_for(output: str, timings: Timings | None = None) -> Progress:
    """Choose the face: `json` on stdout, live on a terminal, plain lines elsewhere (both on stderr).

    Results go to stdout and progress to stderr, so that `atoll … > result` and pipes stay clean.
    """
    if output == "json":
        return JsonProgress(sys.stdout, timings)
    if sys.stderr.isatty():
        return TerminalProgress(Console(stderr=True), timings)
    return PlainProgress(sys.stderr, timings)
