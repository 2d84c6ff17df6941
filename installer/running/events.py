"""Turns the events of ansible-runner into journal lines, progress and the books of a run."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from installer.planning.verbs import FACTS, VERDICT
from installer.progress.stages import Progress
from installer.redaction import Redactor
from installer.running.failures import Failure, failure_of
from installer.running.journal import Journal
from installer.ssh.nodes import printable

TREE = Path(__file__).resolve().parents[2]
ENDINGS = {
    "runner_on_ok": "ok",
    "runner_on_skipped": "skipped",
    "runner_on_failed": "failed",
    "runner_on_unreachable": "unreachable",
}
COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
TAIL_LINES = 30


@dataclass
class PhaseBook:
    """What a phase did in this run. A rolling phase has several passes; they are added up."""

    name: str
    nodes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    changed: int = 0
    tasks: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return it as the `finished` event shows it."""
        return {"name": self.name, "nodes": self.nodes, "seconds": round(self.seconds, 2), "changed": self.changed}


def name_of(pattern: str, first: bool = True) -> str:
    """Return what a play on this group of nodes is called: its phase.

    The plays on all nodes of the plan are the look before the first phase, and the sum behind the last.
    """
    if pattern == "planned":
        return FACTS if first else VERDICT
    return pattern.removeprefix("phase_")


class Recorder:
    """Listens to one playbook run. Call `event` for each event and `close` at the end."""

    def __init__(self, journal: Journal, progress: Progress, log: TextIO, redactor: Redactor, stage: str = "") -> None:
        self._journal = journal
        self._progress = progress
        self._log = log
        self._redactor = redactor
        self._stage = stage
        self._play = ""
        self._open: PhaseBook | None = None
        self._began = 0.0
        self._failed: list[Failure] = []
        self._final_failures: dict[str, int] | None = None
        self.phases: dict[str, PhaseBook] = {}
        self.evaluated: Counter[str] = Counter()
        self.tail: list[str] = []

    @property
    def failures(self) -> list[Failure]:
        """Failures that count: not those that a rescue mended, once Ansible has summed up."""
        if self._final_failures is None:
            return self._failed
        # The verdict only sums up what was told before.
        told = [failure for failure in self._failed if failure.phase != VERDICT]
        return [failure for failure in told if self._final_failures.get(failure.node)]

    @property
    def changed(self) -> int:
        """How many tasks changed something, over all nodes."""
        return sum(phase.changed for phase in self.phases.values())

    def event(self, event: dict[str, Any]) -> None:
        """Take one event in."""
        self._write_log(event)
        kind = event["event"]
        data = event.get("event_data") or {}
        if kind == "playbook_on_play_start":
            self._close_phase(ok=True)
            self._play = name_of(str(data.get("play_pattern") or data.get("play") or ""), first=not self.phases)
        elif kind == "runner_on_start":
            self._started(data)
        elif kind in ENDINGS:
            self._ended(event)
        elif kind == "playbook_on_stats":
            self._close_phase(ok=not self._failed)
            self._final_failures = Counter(data.get("failures") or {}) + Counter(data.get("dark") or {})

    def close(self) -> None:
        """The run is over, however it ended."""
        self._close_phase(ok=False)
        self._log.flush()

    def _started(self, data: dict[str, Any]) -> None:
        node = str(data["host"])
        if self._open is None:
            self._open = self.phases.setdefault(self._play, PhaseBook(self._play))
            self._began = time.monotonic()
            self._progress.begin(self._stage + self._play)
            self._journal.write("phase", phase=self._play)
        if node not in self._open.nodes:
            self._open.nodes.append(node)
        self._open.tasks += 1
        self.evaluated[node] += 1
        self._progress.advance(f"{node}: {data.get('task', '')}", 0)

    def _ended(self, event: dict[str, Any]) -> None:
        data = event["event_data"]
        result = data.get("res") or {}
        outcome = ENDINGS[event["event"]]
        if outcome == "failed" and data.get("ignore_errors"):
            outcome = "ignored"
        changed = outcome == "ok" and bool(result.get("changed"))
        if changed and self._open:
            self._open.changed += 1
        node, task = str(data["host"]), str(data.get("task", ""))
        self._journal.write(
            "task",
            phase=self._play,
            node=node,
            task=task,
            outcome="changed" if changed else outcome,
            seconds=round(float(data.get("duration") or 0.0), 3),
        )
        self._progress.advance(f"{node}: {task}")
        self._progress.event("task", phase=self._play, node=node, task=task, outcome="changed" if changed else outcome)
        if outcome in {"failed", "unreachable"}:
            self._fail(event)

    def _fail(self, event: dict[str, Any]) -> None:
        found = failure_of(self._play, event, str(TREE))
        failure = Failure(**{name: self._redactor.data(value) for name, value in found.to_json().items()})
        self._failed.append(failure)
        self._journal.write("task_failed", **failure.to_json())

    def _close_phase(self, ok: bool) -> None:
        phase, self._open = self._open, None
        if phase is None:
            return
        seconds = time.monotonic() - self._began
        phase.seconds += seconds
        ok = ok and not any(failure.phase == phase.name for failure in self.failures)
        self._journal.write("phase_finished", phase=phase.name, ok=ok, seconds=round(seconds, 2), changed=phase.changed)
        self._progress.end(self._stage + phase.name, ok)

    def _write_log(self, event: dict[str, Any]) -> None:
        text = printable(COLOURS.sub("", str(event.get("stdout") or "")).replace("\r", "").strip("\n"))
        if not text:
            return
        text = self._redactor.text(text)
        self._log.write(text + "\n")
        self.tail = [*self.tail, *text.splitlines()][-TAIL_LINES:]
