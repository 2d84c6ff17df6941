"""Tasks that the local engine started: they outlive `jobs`, so that it may be restarted, but not `./atoll dev`."""

from __future__ import annotations

import signal
from pathlib import Path

from installer.dev.processes import Known, below, end_all


def running(engine: Path) -> list[Known]:
    """The entry points that run, with their programs: `<engine>/<attempt>/<rank>.pid` says number and beginning."""
    found: list[Known] = []
    for record in sorted(engine.glob("*/*.pid")):
        number, _, start = record.read_text(encoding="ascii").partition(" ")
        known = Known(record.parent.name, int(number), start.strip(), int(signal.SIGTERM))
        if known.lives:
            found += [known, *below(known.number, known.name, signal.SIGTERM)]
    return found


def end(engine: Path) -> int:
    """End them all; returns how many tasks there were."""
    left = running(engine)
    end_all(left)
    return len({known.name for known in left})
