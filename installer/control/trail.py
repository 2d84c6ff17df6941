"""What was read for which user, and who was refused, in the log of the control service.

Actions stand in the journal of operations. Of what is read, logs and runs are told, which show what programs said and
did. Lists (services, ports, runs, images) are not: pages ask for them every few seconds and see states there, and their
lines would drive the others out of a log of bounded size. A page that shows a log asks again as often: the same line is
told once in AGAIN_S, and so many different ones at most, which nobody who may ask drives the log full with.
"""

from __future__ import annotations

import logging
import threading
import time

AGAIN_S = 600.0
MOST_LINES = 2000  # within AGAIN_S
_log = logging.getLogger(__name__)


class Trail:
    """Tells a line once in AGAIN_S."""

    def __init__(self, most: int = MOST_LINES) -> None:
        self._most = most
        self._told: dict[str, float] = {}
        self._lock = threading.Lock()

    def tell(self, line: str, level: int = logging.INFO) -> None:
        """Write the line, if it was not just written."""
        now = time.monotonic()
        with self._lock:
            self._told = {one: at for one, at in self._told.items() if now - at < AGAIN_S}
            if line in self._told or len(self._told) >= self._most:
                return
            self._told[line] = now
            last = len(self._told) == self._most
        _log.log(level, "%s", line)
        if last:
            _log.warning("%d such lines within %.0f min: further ones are not told", self._most, AGAIN_S / 60)
