"""The figures of `tests/bench`: what was measured last, on what, against the target and the stored baseline.

A figure is measured where the thing happens (a system test, the runner of the installer) and handed in with
`record`; `./atoll bench` measures those that need no lab, shows all of them, and fails when one is worse than its
baseline. Fewer is better in all of them. Counts are compared as they are. Seconds say nothing on another machine, or
beside other work: they are compared by a reference, which is work that never changes, measured in the same moment.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from installer.cluster import load
from installer.lab.topology import lab_directory
from installer.testing.results import DIRECTORY, ROOT, commit

COLD = ROOT / "tests" / "bench" / "cold.yaml"
BASELINE = ROOT / "tests" / "bench" / "baseline.json"
MEASURED = DIRECTORY / "bench"
# How much worse a figure may be that is not counted.
TOLERATED = 0.10
REFERENCE = "import hashlib; [hashlib.sha256(bytes(1 << 20)).digest() for _ in range(64)]"


def reference_seconds() -> list[float]:
    """Measure work that never changes: processes that start, allocate and compute. Their spread is the noise."""

    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", REFERENCE], check=True)
        return time.perf_counter() - started

    return sorted(once() for _ in range(5))


def record(name: str, value: float, unit: str, on: str = "") -> None:
    """Keep a measured figure: `unit` is `s`, `bytes`, `tasks` or `ratio`; `on` says what was measured."""
    MEASURED.mkdir(parents=True, exist_ok=True)
    entry = {"name": name, "value": round(value, 4), "unit": unit, "on": on, "commit": commit()}
    if unit == "s":
        entry["reference"] = [round(seconds, 4) for seconds in reference_seconds()]
    (MEASURED / f"{name}.json").write_text(json.dumps(entry) + "\n", encoding="utf-8")


def limit(row: Mapping[str, Any], measured: Mapping[str, Any], reference: float) -> float | None:
    """Return the most that a measured figure may be; None where there is no baseline yet.

    `reference` is what the reference took where the baselines were measured. A slower machine gets its time, a faster
    one is asked for no more, as most of such seconds are waits; what the reference itself varies is the noise.
    """
    base: float | None = row.get("baseline")
    if base is None:
        return None
    allowed: float = base * (1 + float(row.get("tolerated", 0 if row["unit"] == "tasks" else TOLERATED)))
    if row["unit"] != "s":
        return allowed
    samples = measured.get("reference") or [reference]
    middle = float(statistics.median(samples))
    return allowed * max(1.0, middle / reference) * (middle / float(min(samples)))


def _help_seconds() -> float:
    def once() -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "installer", "--help"], cwd=ROOT, check=True, capture_output=True)
        return time.perf_counter() - started

    return statistics.median(once() for _ in range(5))


def _dev_seconds() -> float:
    """What `./atoll dev` takes to be ready for somebody whose cache is empty: it builds the portal first."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        argv = [sys.executable, "-m", "installer", "dev", "--port", str(port), "--state", f"{folder}/state"]
        environment = {**os.environ, "ATOLL_CACHE": f"{folder}/cache"}
        started = time.perf_counter()
        with subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as dev:
            ready = any("Ctrl-C ends it." in line for line in dev.stdout or ())
            took = time.perf_counter() - started
            dev.send_signal(signal.SIGINT)
    if not ready:
        raise RuntimeError("./atoll dev ended before it was ready")
    return took


def _up_cold_seconds() -> float:
    """What `./atoll up` takes where nothing is: no bundle, no compiled packages, no nodes. Needs root."""
    if lab_directory(load(COLD, installed=False).name).exists():
        raise RuntimeError(f"a lab of {COLD} is there already; `./atoll down -f {COLD}` removes it")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:  # gigabytes; /tmp may be memory
        environment = {**os.environ, "ATOLL_CACHE": f"{folder}/cache", "ATOLL_STATE": f"{folder}/clusters"}
        environment.pop("ATOLL_BUNDLE", None)

        def atoll(*arguments: str) -> int:
            argv = [sys.executable, "-m", "installer", *arguments]
            return subprocess.run(argv, cwd=ROOT, env=environment, stdout=sys.stderr, check=False).returncode

        started = time.perf_counter()
        try:
            code = atoll("up", "-f", str(COLD))
            took = time.perf_counter() - started
        finally:
            atoll("down", "-f", str(COLD), "--yes")
    if code:
        raise RuntimeError(f"./atoll up ended with code {code}")
    return took


def _people() -> dict[str, dict[str, Any]]:
    """What many people notice, measured by a program that knows the platform."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    argv = [sys.executable, "-m", "tests.bench.people"]
    done = subprocess.run(argv, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


MEASURES: dict[str, Callable[[], float]] = {"help": _help_seconds, "dev_ready": _dev_seconds}
# Several figures each, as it takes a while until what they are measured of is there: `{name: value, unit, on}`.
TOGETHER: dict[tuple[str, ...], Callable[[], dict[str, dict[str, Any]]]] = {
    ("people_lists", "people_type_ahead", "people_hidden", "people_sign_in"): _people
}
# Half an hour of both cores, and a lab: measured only when somebody names it.
ASKED: dict[str, Callable[[], float]] = {"up_cold": _up_cold_seconds}


def figures() -> list[dict[str, Any]]:
    """Return every figure with its target, baseline, what was measured last, its limit, and whether it is worse."""
    stored: dict[str, Any] = json.loads(BASELINE.read_text("utf-8"))
    rows: list[dict[str, Any]] = stored["figures"]
    for row in rows:
        file = MEASURED / f"{row['name']}.json"
        last = json.loads(file.read_text("utf-8")) if file.exists() else {}
        row["measured"] = last.get("value")
        row["commit"] = last.get("commit")
        base = row.get("baseline")
        row["ratio"] = round(last["value"] / base, 3) if last and base else None
        most = limit(row, last, stored["reference_seconds"]) if last else None
        row["limit"] = None if most is None else round(most, 3)
        row["worse"] = most is not None and last["value"] > most
    return rows


def worse(at: str | None = None, units: Collection[str] | None = None) -> list[str]:
    """Say which figures are worse than their baseline allows; `at` and `units` look at those of a commit, of units."""
    return [
        f"{row['name']}: {row['measured']:g} {row['unit']}, at most {row['limit']:g} (baseline {row['baseline']:g}): "
        f"{row['what']}"
        for row in figures()
        if row["worse"] and (at is None or row["commit"] == at) and (units is None or row["unit"] in units)
    ]


def unmeasured(at: str) -> list[str]:
    """Say which figures were not measured on a commit, but for those that are measured only when they are named."""
    return [
        f"{row['name']}: not measured on this commit: {row['what']}"
        for row in figures()
        if row["commit"] != at and row["name"] not in ASKED
    ]


def measure(names: tuple[str, ...], *, as_json: bool, complete: bool = False) -> int:
    """Measure the named figures (all that need no lab without names) and print the table. Return the exit code.

    It is 1 when a figure of this commit is worse than its baseline allows; where they have to be `complete`, also when
    one was not measured on it.
    """
    known = {row["name"] for row in figures()}
    unknown = sorted(set(names) - known)
    if unknown:
        sys.stderr.write(f"there is no figure {', '.join(unknown)}; known: {', '.join(sorted(known))}\n")
        return 64
    for name, function in (MEASURES | ASKED).items():
        if name in (names or MEASURES):
            record(name, function(), "s", f"{os.cpu_count()} cores")
    for group, several in TOGETHER.items():
        if not names or {*group} & {*names}:
            for name, figure in several().items():
                record(name, figure["value"], figure["unit"], figure["on"])
    rows = [row for row in figures() if not names or row["name"] in names]
    bad = worse(commit()) + (unmeasured(commit()) if complete else [])
    red = [told for told in bad if not names or told.partition(":")[0] in names]
    if as_json:
        sys.stdout.write(json.dumps({"figures": rows, "worse": red}, indent=1) + "\n")
        return int(bool(red))
    for row in rows:
        measured = "not measured" if row["measured"] is None else f"{row['measured']:g} {row['unit']}"
        sys.stdout.write(
            f"{row['name']:<24} {measured:>16}   target {row['target']:g} {row['unit']:<6} {row['what']}\n"
        )
    for told in red:
        sys.stderr.write(f"WORSE  {told}\n")
    return int(bool(red))
