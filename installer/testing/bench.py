"""The figures of `tests/bench`: what was measured last, on what, against the target and the stored baseline.

A figure is measured where the thing happens (a system test, the runner of the installer) and handed in with
`record`; `./atoll bench` measures those that need no lab and shows all of them.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from installer.testing.results import DIRECTORY, ROOT, commit

BASELINE = ROOT / "tests" / "bench" / "baseline.json"
MEASURED = DIRECTORY / "bench"


def record(name: str, value: float, unit: str, on: str = "") -> None:
    """Keep a measured figure: `unit` is `s`, `bytes`, `tasks` or `ratio`; `on` says what was measured."""
    MEASURED.mkdir(parents=True, exist_ok=True)
    entry = {"name": name, "value": round(value, 3), "unit": unit, "on": on, "commit": commit()}
    (MEASURED / f"{name}.json").write_text(json.dumps(entry) + "\n", encoding="utf-8")


def _help_seconds() -> float:
    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "installer", "--help"], cwd=ROOT, check=True, capture_output=True)
        return time.perf_counter() - started

    return statistics.median(once() for _ in range(5))


MEASURES: dict[str, Callable[[], float]] = {"help": _help_seconds}


def figures() -> list[dict[str, Any]]:
    """Return every figure of the baseline with its target, the baseline and what was measured last."""
    rows: list[dict[str, Any]] = json.loads(BASELINE.read_text("utf-8"))["figures"]
    for row in rows:
        stored = MEASURED / f"{row['name']}.json"
        last = json.loads(stored.read_text("utf-8")) if stored.exists() else {}
        row["measured"] = last.get("value")
        row["commit"] = last.get("commit")
        base = row.get("baseline")
        row["ratio"] = round(last["value"] / base, 3) if last and base else None
    return rows


def measure(names: tuple[str, ...], *, as_json: bool) -> int:
    """Measure the named figures (all that need no lab without names) and print the table. Return the exit code."""
    known = {row["name"] for row in figures()}
    unknown = sorted(set(names) - known)
    if unknown:
        sys.stderr.write(f"there is no figure {', '.join(unknown)}; known: {', '.join(sorted(known))}\n")
        return 64
    for name, function in MEASURES.items():
        if not names or name in names:
            record(name, function(), "s", f"{os.cpu_count()} cores")
    rows = [row for row in figures() if not names or row["name"] in names]
    if as_json:
        sys.stdout.write(json.dumps({"figures": rows}, indent=1) + "\n")
        return 0
    for row in rows:
        measured = "not measured" if row["measured"] is None else f"{row['measured']:g} {row['unit']}"
        sys.stdout.write(
            f"{row['name']:<24} {measured:>16}   target {row['target']:g} {row['unit']:<6} {row['what']}\n"
        )
    return 0
