"""How long each stage took in earlier runs, so that a progress bar can say when it will be done."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

KEPT = 5  # enough to be robust against one odd run, few enough to follow a changed machine


class Timings:
    """Seconds of the last successful passes of each stage, kept in one small JSON file."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._seconds: dict[str, list[float]] = _read(path) if path else {}

    def expected(self, stage: str) -> float | None:
        """Return the median of the earlier passes of `stage`, None if it never ran to its end."""
        earlier = self._seconds.get(stage)
        return statistics.median(earlier) if earlier else None

    def record(self, stage: str, seconds: float) -> None:
        """Remember that `stage` took `seconds`; the oldest pass is forgotten."""
        self._seconds[stage] = [*self._seconds.get(stage, []), round(seconds, 2)][-KEPT:]
        if self._path is None or not self._path.parent.is_dir():
            return
        draft = self._path.with_name(f".{self._path.name}.new")
        draft.write_text(json.dumps(self._seconds, indent=1, sort_keys=True))
        draft.replace(self._path)


def _read(path: Path) -> dict[str, list[float]]:
    """Read the file; a missing or torn one only costs the estimate, so it counts as empty."""
    try:
        data = json.loads(path.read_text())
        return {str(stage): [float(s) for s in seconds] for stage, seconds in data.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError):
        return {}
