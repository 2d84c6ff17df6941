"""What stood in the process list of this machine, its lab nodes included, while the tests ran.

A secret in argv is there for moments only, but everybody on the machine can read it.
"""

from __future__ import annotations

import threading
from pathlib import Path

EVERY_S = 0.25


class CommandLines:
    """Looks several times a second; `seen` holds each command line once, its words ended by NUL."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._known: set[tuple[str, int]] = set()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="command lines", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(EVERY_S):
            there = set()
            for process in Path("/proc").iterdir():
                if not process.name.isdecimal():
                    continue
                try:
                    content = (process / "cmdline").read_bytes()
                except OSError:
                    continue  # it has ended
                key = (process.name, hash(content))
                there.add(key)
                if key not in self._known:
                    self.seen.add(content)
            self._known = there
