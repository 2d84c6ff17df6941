"""Runs suites one after another, or side by side where they are told to, and tells how they ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from typing import TextIO

from installer.cluster.places import cache_directory
from installer.testing.results import DIRECTORY, ROOT, Report, Result, write
from installer.testing.suites import Command, Suite


@dataclass(frozen=True)
class Ended:
    """How a command of a suite ended; `seconds` is wall time, `reason` is empty when it passed."""

    suite: str
    title: str
    seconds: float
    reason: str


def _argv(command: Command, node: Path) -> list[str]:
    places = {"python": sys.executable, "bin": str(Path(sys.executable).parent), "node": str(node)}
    return [part.format(**places) for part in command.argv]


def run(suites: tuple[Suite, ...], node: Path, extra: tuple[str, ...] = ()) -> list[Ended]:
    """Run the suites and return how each command ended, in their order. A suite whose forerunner failed still runs.

    Suites of different lanes that follow each other run side by side; what each printed is shown when it ends.
    `node` is the directory of the pinned node and npm. `extra` is appended to the last command of a single suite.
    """
    ended: list[Ended] = []
    for lanes in waves(suites):
        if len(lanes) == 1:
            for suite in lanes[0]:
                print(f"\n=== {suite.name}: {suite.title}", flush=True)
                ended.extend(_run_suite(suite, node, extra if len(suites) == 1 else ()))
            continue
        names = " beside ".join(", ".join(suite.name for suite in lane) for lane in lanes)
        print(f"\n=== {names}: side by side, each is shown when it has ended", flush=True)
        with ThreadPoolExecutor(len(lanes)) as pool:
            for lane in pool.map(lambda lane: [end for suite in lane for end in _run_shown_later(suite, node)], lanes):
                ended.extend(lane)
    return ended


def waves(suites: tuple[Suite, ...]) -> list[list[list[Suite]]]:
    """Part the suites into waves that run one after the other, each into lanes that run side by side."""
    found: list[list[list[Suite]]] = []
    for with_lane, following in groupby(suites, key=lambda suite: bool(suite.lane)):
        if with_lane:
            lanes: dict[str, list[Suite]] = {}
            for suite in following:
                lanes.setdefault(suite.lane, []).append(suite)
            found.append(list(lanes.values()))
        else:
            found.extend([[suite]] for suite in following)
    return found


_SHOWING = Lock()


def _run_shown_later(suite: Suite, node: Path) -> list[Ended]:
    with TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        ended = _run_suite(suite, node, (), output)
        output.seek(0)
        with _SHOWING:
            print(f"\n=== {suite.name}: {suite.title}", flush=True)
            shutil.copyfileobj(output, sys.stdout)
            sys.stdout.flush()
    return ended


def _run_suite(suite: Suite, node: Path, extra: tuple[str, ...], output: TextIO | None = None) -> list[Ended]:
    target = DIRECTORY / f"{suite.name}.json"
    target.unlink(missing_ok=True)
    deadline = time.monotonic() + suite.time_limit_s
    ended: list[Ended] = []
    for command in suite.commands:
        print(f"--- {suite.name}: {command.title}", flush=True, file=output)
        argv = _argv(command, node) + list(extra if command is suite.commands[-1] else ())
        ended.append(_run_one(suite, command, argv, node, deadline, target, output))
    if not target.exists():
        outcomes = [
            Result(name=f"{suite.name}: {end.title}", outcome="failed" if end.reason else "passed", seconds=end.seconds)
            for end in ended
        ]
        write(target, outcomes)
    return ended


def _run_one(
    suite: Suite,
    command: Command,
    argv: list[str],
    node: Path,
    deadline: float,
    target: Path,
    output: TextIO | None,
) -> Ended:
    environment = dict(os.environ)
    environment["ATOLL_TEST_RESULTS"] = str(target)
    environment["npm_config_cache"] = str(cache_directory() / "npm")
    environment["npm_config_audit"] = environment["npm_config_fund"] = "false"
    environment["PATH"] = f"{node}:{Path(sys.executable).parent}:{environment.get('PATH', '')}"
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            argv,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        return Ended(suite.name, command.title, 0.0, f"not found: {error.filename}")
    reason = ""
    try:
        code = process.wait(timeout=max(deadline - time.monotonic(), 1))
        reason = "" if code == 0 else f"exit code {code}"
    except subprocess.TimeoutExpired:
        reason = f"the suite's time limit of {suite.time_limit_s} s was over"
    finally:
        if process.returncode is None:  # over its time, or Ctrl-C: its own session does not hear of that
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return Ended(suite.name, command.title, time.monotonic() - started, reason)


def closing(ended: list[Ended], reports: list[Report]) -> str:
    """Return the closing lines: every command with its time, and the plain line that counts tests and checks."""
    lines = [
        f"{'failed' if end.reason else 'passed'}  {end.seconds:7.1f} s  {end.suite}: {end.title}"
        + (f"  ({end.reason})" if end.reason else "")
        for end in ended
    ]
    run_suites = {end.suite for end in ended}
    outcomes = [result.outcome for report in reports if report.suite in run_suites for result in report.results]
    silent = sum(
        1
        for suite in run_suites
        if any(end.reason for end in ended if end.suite == suite)
        and not any(r.outcome == "failed" for rep in reports if rep.suite == suite for r in rep.results)
    )
    passed, failed, skipped = (outcomes.count(o) for o in ("passed", "failed", "skipped"))
    plain = f"{passed} passed, {failed + silent} failed" + (f", {skipped} skipped" if skipped else "")
    return "\n".join([*lines, "", plain])
