"""Tasks that the local engine started: they outlive `jobs`, so that it may be restarted, but not `./atoll dev`."""

from __future__ import annotations

import signal
from pathlib import Path

from installer.dev.processes import Known, began, end_all


def running(engine: Path) -> list[Known]:
    """The entry points that run, with their programs: `<engine>/<attempt>/<rank>.pid` says number and beginning."""
    found: list[Known] = []
    for record in sorted(engine.glob("*/*.pid")):
        number, _, start = record.read_text(encoding="ascii").partition(" ")
        known = Known(record.parent.name, int(number), start.strip(), int(signal.SIGTERM))
        if known.lives:
            found += [known, *_below(known)]
    return found


def end(engine: Path) -> int:
    """End them all; returns how many tasks there were."""
    left = running(engine)
    end_all(left)
    return len({known.name for known in left})


def _below(known: Known) -> list[Known]:
    found: list[Known] = []
    try:
        children = Path(f"/proc/{known.number}/task/{known.number}/children").read_text(encoding="ascii").split()
    except OSError:
        return found
    for number in map(int, children):
        child = Known(known.name, number, began(number), known.ends_by)
        found += [child, *_below(child)]
    return found
