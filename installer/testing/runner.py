"""Runs suites one after another, each with its time limit, and tells how they ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

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
    """Run the suites in order and return how each command ended. A suite whose forerunner failed still runs.

    `node` is the directory of the pinned node and npm. `extra` is appended to the last command of a single suite.
    """
    ended: list[Ended] = []
    for suite in suites:
        print(f"\n=== {suite.name}: {suite.title}", flush=True)
        target = DIRECTORY / f"{suite.name}.json"
        target.unlink(missing_ok=True)
        deadline = time.monotonic() + suite.time_limit_s
        for command in suite.commands:
            print(f"--- {suite.name}: {command.title}", flush=True)
            argv = _argv(command, node)
            if extra and len(suites) == 1 and command is suite.commands[-1]:
                argv.extend(extra)
            ended.append(_run_one(suite, command, argv, node, deadline, target))
        if not target.exists():
            mine = [end for end in ended if end.suite == suite.name]
            write(
                target,
                [
                    Result(
                        name=f"{suite.name}: {end.title}",
                        outcome="failed" if end.reason else "passed",
                        seconds=end.seconds,
                    )
                    for end in mine
                ],
            )
    return ended


def _run_one(suite: Suite, command: Command, argv: list[str], node: Path, deadline: float, target: Path) -> Ended:
    environment = dict(os.environ)
    environment["ATOLL_TEST_RESULTS"] = str(target)
    environment["npm_config_cache"] = str(cache_directory() / "npm")
    environment["npm_config_audit"] = environment["npm_config_fund"] = "false"
    environment["PATH"] = f"{node}:{Path(sys.executable).parent}:{environment.get('PATH', '')}"
    started = time.monotonic()
    try:
        process = subprocess.Popen(argv, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    except FileNotFoundError as error:
        return Ended(suite.name, command.title, 0.0, f"not found: {error.filename}")
    try:
        code = process.wait(timeout=max(deadline - time.monotonic(), 1))
        reason = "" if code == 0 else f"exit code {code}"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        reason = f"the suite's time limit of {suite.time_limit_s} s was over"
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
