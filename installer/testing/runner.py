"""Runs suites side by side, each after those that it waits for, and tells how they ended."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from threading import Lock
from typing import Any, TextIO

from installer.cluster.places import cache_directory
from installer.testing.results import DIRECTORY, ROOT, Report, Result, commit, read, write
from installer.testing.suites import SUITES, Command, Suite

# A lab waits for half of its time; more than two suites would hold up each other's tests. What they leave of the cores
# goes to one suite more whose tests do not mind: it weighs a third of another (sched(7): autogroup).
SLOTS = 2
PATIENT_NICE = 5
TOLD = 10  # tests that failed, in the closing lines


@dataclass(frozen=True)
class Ended:
    """How a command of a suite ended, `reason` is empty when it passed.

    `seconds` is wall time. `cpu_s` is the time of a core that its processes had, in seconds: those that were waited
    for, so neither daemons nor what a lab's nodes do.
    """

    suite: str
    title: str
    seconds: float
    reason: str
    cpu_s: float = 0.0


def _argv(command: Command, node: Path) -> list[str]:
    places = {"python": sys.executable, "bin": str(Path(sys.executable).parent), "node": str(node)}
    return [part.format(**places) for part in command.argv]


def run(suites: tuple[Suite, ...], node: Path, extra: tuple[str, ...] = ()) -> list[Ended]:
    """Run the suites, as many side by side as there are slots, and return how each command ended, in their order.

    A suite whose forerunner failed still runs. A single suite prints as it goes; what several print goes to
    `tests/results/<suite>.log` and is shown when the suite ends. `node` is the directory of the pinned node and npm.
    `extra` is appended to the last command of a single suite.
    """
    if len(suites) == 1:
        print(f"\n=== {suites[0].name}: {suites[0].title}", flush=True)
        with _Processes() as processes:
            return _run_suite(suites[0], node, extra, processes)
    waiting = waits(suites)
    ended: dict[str, list[Ended]] = {}
    running: dict[Future[list[Ended]], Suite] = {}
    with _Processes() as processes, ThreadPoolExecutor(SLOTS + 1) as pool:
        try:
            while len(ended) < len(suites):
                for suite in startable(suites, waiting, set(running.values()), set(ended)):
                    beside = "".join(f", beside {other.name}" for other in running.values())
                    print(
                        f"=== {suite.name} begins{beside}: {_log(suite).relative_to(DIRECTORY.parent.parent)}",
                        flush=True,
                    )
                    running[pool.submit(_run_logged, suite, node, processes)] = suite
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    suite = running.pop(done)
                    ended[suite.name] = done.result()
                    _show(suite)
        except BaseException:
            processes.end()
            raise
    return [end for suite in suites for end in ended[suite.name]]


def waits(suites: tuple[Suite, ...]) -> dict[str, set[str]]:
    """Return for each suite which of the others have to end before it, also through suites that do not run."""
    table = {suite.name: suite for suite in (*SUITES, *suites)}

    def before(suite: Suite) -> set[str]:
        return set(suite.after).union(*(before(table[name]) for name in suite.after if name in table))

    names = {suite.name for suite in suites}
    return {suite.name: before(suite) & names for suite in suites}


def startable(
    suites: tuple[Suite, ...], waiting: dict[str, set[str]], running: set[Suite], ended: set[str], slots: int = SLOTS
) -> list[Suite]:
    """Return what begins now: those first that most others wait for, then in the order of the table."""
    begun = ended | {suite.name for suite in running}
    ready = [suite for suite in suites if suite.name not in begun and waiting[suite.name] <= ended]
    ready.sort(key=lambda suite: -sum(suite.name in others for others in waiting.values()))
    found: list[Suite] = []

    def busy(together: list[Suite]) -> int:
        return sum(not other.patient for other in together)

    for suite in ready:
        together = [*running, *found]
        room = not any(other.patient for other in together) if suite.patient else busy(together) < slots
        if room and not any(other.alone for other in together) and not (suite.alone and together):
            found.append(suite)
        elif suite.alone:
            break  # what comes behind it would keep it waiting for ever
    return found


def _log(suite: Suite) -> Path:
    return DIRECTORY / f"{suite.name}.log"


def _run_logged(suite: Suite, node: Path, processes: _Processes) -> list[Ended]:
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    with _log(suite).open("w", encoding="utf-8") as output:
        return _run_suite(suite, node, (), processes, output)


def _show(suite: Suite) -> None:
    print(f"\n=== {suite.name}: {suite.title}", flush=True)
    with _log(suite).open(encoding="utf-8", errors="replace") as output:
        shutil.copyfileobj(output, sys.stdout)
    sys.stdout.flush()


class _Processes:
    """The process groups of suites that run; after `end` none runs, and none begins."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._lock = Lock()
        self._over = False

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def run(self, argv: list[str], limit_s: float, nice: int = 0, **options: Any) -> tuple[str, float]:
        """Run a program as the leader of a group of its own, for `limit_s` at most.

        Return why it failed, or "", and the seconds of a core that it had.
        """
        with self._lock:
            if self._over:
                return "the run was ended", 0.0
            try:
                process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True, **options)
            except FileNotFoundError as error:
                return f"not found: {error.filename}", 0.0
            self._groups.add(process.pid)
        if nice:
            _weigh_less(process.pid, nice)
        ended = False
        try:
            ended = _ends(process.pid, limit_s)
        finally:
            with self._lock:
                self._groups.discard(process.pid)
            if not ended:  # over its time, or Ctrl-C: its own session does not hear of that
                _kill_group(process.pid)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = code = os.waitstatus_to_exitcode(status)
        reason = "its time was over" if not ended else "" if code == 0 else f"exit code {code}"
        return reason, used.ru_utime + used.ru_stime

    def end(self) -> None:
        """Kill all groups."""
        with self._lock:
            self._over = True
            for group in self._groups:
                _kill_group(group)


def _ends(process_id: int, limit_s: float) -> bool:
    """Whether it ends within its time. It is not waited for: what it used is told to who does that."""
    handle = os.pidfd_open(process_id)
    try:
        return bool(select.select([handle], [], [], limit_s)[0])
    finally:
        os.close(handle)


def _weigh_less(leader: int, nice: int) -> None:
    """Give a session less of the cores: as a whole, where the kernel weighs sessions, else each of its processes."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PGRP, leader, nice)
        Path(f"/proc/{leader}/autogroup").write_text(str(nice), encoding="ascii")


def _kill_group(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _run_suite(
    suite: Suite, node: Path, extra: tuple[str, ...], processes: _Processes, output: TextIO | None = None
) -> list[Ended]:
    target = DIRECTORY / f"{suite.name}.json"
    target.unlink(missing_ok=True)
    begun = commit()
    deadline = time.monotonic() + suite.time_limit_s
    ended: list[Ended] = []
    for command in suite.commands:
        print(f"--- {suite.name}: {command.title}", flush=True, file=output)
        argv = _argv(command, node) + list(extra if command is suite.commands[-1] else ())
        began = time.monotonic()
        reason, cpu_s = processes.run(
            argv,
            max(deadline - began, 1),
            nice=PATIENT_NICE if suite.patient and output else 0,
            cwd=ROOT,
            env=_environment(target, node),
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
        )
        ended.append(Ended(suite.name, command.title, time.monotonic() - began, reason, cpu_s))
    if not target.exists():
        outcomes = [
            Result(name=f"{suite.name}: {end.title}", outcome="failed" if end.reason else "passed", seconds=end.seconds)
            for end in ended
        ]
        write(target, outcomes, begun)
    return ended + _skips(suite, target)


def _skips(suite: Suite, target: Path) -> list[Ended]:
    """Return the failure of a suite of which a test was skipped that the table does not name."""
    results = read(target).results
    skipped = [result.name for result in results if result.outcome == "skipped"]
    told = suite.unexplained(skipped, root=os.geteuid() == 0)
    if not told:
        return []
    return [Ended(suite.name, "skips", 0.0, f"skipped, and suites.py has no reason for it: {', '.join(told)}")]


def _environment(target: Path, node: Path) -> dict[str, str]:
    return {
        **os.environ,
        "ATOLL_TEST_RESULTS": str(target),
        "npm_config_cache": str(cache_directory() / "npm"),
        "npm_config_audit": "false",
        "npm_config_fund": "false",
        "PATH": f"{node}:{Path(sys.executable).parent}:{os.environ.get('PATH', '')}",
    }


def closing(ended: list[Ended], reports: list[Report]) -> str:
    """Return the closing lines.

    They are every command with its time, the tests that failed with what they said, and the plain line that counts
    tests and checks: of a long run, often only its end is kept.
    """
    lines = [
        f"{'failed' if end.reason else 'passed'}  {end.seconds:7.1f} s {end.cpu_s:7.1f} s of a core"
        f"  {end.suite}: {end.title}" + (f"  ({end.reason})" if end.reason else "")
        for end in ended
    ]
    run_suites = {end.suite for end in ended}
    results = [result for report in reports if report.suite in run_suites for result in report.results]
    outcomes = [result.outcome for result in results]
    failures = [result for result in results if result.outcome == "failed"]
    lines += ["", *(f"failed: {result.name}\n{indent(result.said, '    ')}".rstrip() for result in failures[:TOLD])]
    if len(failures) > TOLD:
        lines.append(f"… and {len(failures) - TOLD} more")
    silent = sum(
        1
        for suite in run_suites
        if any(end.reason for end in ended if end.suite == suite)
        and not any(r.outcome == "failed" for rep in reports if rep.suite == suite for r in rep.results)
    )
    passed, failed, skipped = (outcomes.count(o) for o in ("passed", "failed", "skipped"))
    plain = f"{passed} passed, {failed + silent} failed" + (f", {skipped} skipped" if skipped else "")
    return "\n".join([*lines, *([""] if failures else []), plain])
