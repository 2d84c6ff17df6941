"""An answer that many may ask for, and that costs a look at every node."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Recent(Generic[Answer]):
    """Keeps an answer for a moment, so that many watchers cost one look; a second asker waits for the first's look."""

    def __init__(self, look: Callable[[], Answer], fresh_s: float) -> None:
        self._look = look
        self._fresh_s = fresh_s
        self._lock = threading.Lock()
        self._kept: tuple[float, Answer] | None = None

    def get(self) -> Answer:
        """Return what was seen at most so many seconds ago."""
        with self._lock:
            if self._kept is None or time.monotonic() - self._kept[0] > self._fresh_s:
                found = self._look()
                self._kept = time.monotonic(), found
            return self._kept[1]
