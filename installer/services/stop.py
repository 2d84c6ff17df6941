"""A way to end things that wait for more input (followed logs), from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Stop:
    """Set once; everything that was added is called then, or at once if it is set already."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._ends: list[Callable[[], object]] = []

    def add(self, end: Callable[[], object]) -> None:
        """Add something that ends a wait."""
        with self._lock:
            if not self._event.is_set():
                self._ends.append(end)
                return
        end()

    def set(self) -> None:
        """End all waits, now and later."""
        with self._lock:
            self._event.set()
            ends, self._ends = self._ends, []
        for end in ends:
            end()

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._event.is_set()
