"""What was read for which user, and who was refused, in the log of the control service.

Actions stand in the journal of operations. Of what is read, logs and runs are told, which show what programs said and
did. Lists (services, ports, runs, images) are not: pages ask for them every few seconds and see states there, and their
lines would drive the others out of a log of bounded size. A page that shows a log asks again as often: the same line is
told once in a period, and so many different ones of each user at most, which nobody who may ask drives the log full
with. No user's lines count for another: who reads a lot keeps nothing from being told of the others.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field

AGAIN_S = 600.0
MOST_LINES = 200  # of a user within AGAIN_S: there are fewer services, and nobody looks at so many runs
MOST_USERS = 64  # who have a budget of their own at a time: with their lines, 2 MiB at worst, in memory and of log
REFUSED = "callers who were refused"  # their names are a stranger's word, so all of them have one budget
OTHERS = "other users"
_log = logging.getLogger(__name__)


@dataclass
class _Period:
    """What was told of a user since the period began, and how often something was not."""

    began: float
    told: set[str] = field(default_factory=set)
    left_out: int = 0


class Trail:
    """Tells a line once in AGAIN_S, of each user so many, and at the next line after that how many were left out."""

    def __init__(self, most: int = MOST_LINES, users: int = MOST_USERS) -> None:
        self._most, self._users = most, users
        self._periods: dict[str, _Period] = {}
        self._lock = threading.Lock()

    def tell(self, line: str, user: str) -> None:
        """Write what is done for a user who was found to be one, if it was not just written."""
        self._tell(line, f"`{user}`", logging.INFO)

    def refuse(self, line: str) -> None:
        """Write that somebody was refused, if it was not just written."""
        self._tell(line, REFUSED, logging.WARNING)

    def _tell(self, line: str, whose: str, level: int) -> None:
        now = time.monotonic()
        with self._lock:
            ended = {one: period for one, period in self._periods.items() if now - period.began >= AGAIN_S}
            for one in ended:
                del self._periods[one]
            if whose != REFUSED and whose not in self._periods and len(self._periods) >= self._users:
                whose = OTHERS
            period = self._periods.setdefault(whose, _Period(now))
            new, full = line not in period.told, len(period.told) >= self._most
            if new and full:
                period.left_out += 1
            elif new:
                period.told.add(line)
            last = new and not full and len(period.told) == self._most
        for one, left in ended.items():
            if left.left_out:
                _log.warning("%s: %d further lines were left out", one, left.left_out)
        if new and not full:
            _log.log(level, "%s", line)
        if last:
            _log.warning("%s: %d lines within %.0f min, further ones are left out", whose, self._most, AGAIN_S / 60)
