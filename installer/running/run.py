"""One run: a playbook under the lock of its cluster, with its journal, from `started` to `finished`."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from installer.planning.verbs import FACTS, VERDICT
from installer.progress.stages import Progress
from installer.redaction import Redactor
from installer.running.errors import Interrupted, RunError
from installer.running.events import PhaseBook, Recorder
from installer.running.failures import Failure
from installer.running.journal import FILE_NAME, Journal, cut_torn_line, new_run_id, read
from installer.running.lock import ClusterLock, busy, holder
from installer.running.playbook import Playbook, drop_private_folder, run


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the content of the `finished` event."""

    ok: bool
    seconds: float
    run_id: str | None = None
    changed: int = 0
    evaluated_tasks: Mapping[str, int] = field(default_factory=dict)
    phases: Sequence[PhaseBook] = ()
    failures: Sequence[Failure] = ()
    verify_seconds: float = 0.0  # of the verification behind it, which `seconds` does not count

    def then(self, following: Outcome) -> Outcome:
        """Return the outcome of this run and of one that went on from it."""
        nodes = sorted({*self.evaluated_tasks, *following.evaluated_tasks})
        both = (self.evaluated_tasks, following.evaluated_tasks)
        return Outcome(
            ok=self.ok and following.ok,
            seconds=self.seconds + following.seconds,
            run_id=following.run_id or self.run_id,
            changed=self.changed + following.changed,
            evaluated_tasks={node: sum(tasks.get(node, 0) for tasks in both) for node in nodes},
            phases=(*self.phases, *following.phases),
            failures=(*self.failures, *following.failures),
            verify_seconds=self.verify_seconds + following.verify_seconds,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the `finished` event (a contract: other tools read it)."""
        return {
            "ok": self.ok,
            "changed": self.changed,
            "failed": len(self.failures),
            "evaluated_tasks": dict(self.evaluated_tasks),
            "phases": [phase.to_json() for phase in self.phases],
            "seconds": round(self.seconds, 2),
            "verify_seconds": round(self.verify_seconds, 2),
            "run": self.run_id,
            "failures": [failure.to_json() for failure in self.failures],
        }


class Writer:
    """The one writer of a cluster, from taking the lock to giving it back: `writing` makes it.

    Without a lock it is one who looks and changes nothing, which any number may do: `looking` makes it.
    """

    def __init__(self, state: Path, verb: str, lock: ClusterLock | None, run_id: str, version: str) -> None:
        self.state = state
        self.verb = verb
        self.run_id = run_id
        self.folder = state / "runs" / run_id
        self.began = time.monotonic()
        self._lock = lock
        self._version = version

    def play(
        self,
        playbook: Playbook,
        steps: Sequence[Mapping[str, Any]],
        progress: Progress,
        also: Callable[[str], None] | None = None,
        stage: str = "",
    ) -> Outcome:
        """Run the playbook and keep its journal, which `also` gets line by line.

        `stage` stands before the names of phases where progress shows them, as their times are those of another verb.

        A failed task is told in the outcome; RunError is for all else.
        """
        redactor = Redactor.of_file(self.state / "secrets.yaml")
        with (
            Journal(self.folder, redactor, also) as journal,
            (self.folder / "ansible.log").open("w", encoding="utf-8", buffering=1) as log,
        ):
            journal.write(
                "started",
                run=self.run_id,
                verb=self.verb,
                version=self._version,
                fence=self._lock.fence if self._lock else None,
            )
            journal.write("plan", steps=[dict(step) for step in steps])
            recorder = Recorder(journal, progress, log, redactor, stage)
            try:
                ok = run(playbook, self.run_id, self.folder, recorder, self._name_playbook)
            except RunError as error:
                state = "interrupted" if isinstance(error, Interrupted) else "failed"
                journal.write("failure", message=error.message, remedy=error.remedy)
                journal.write("finished", state=state, **self._outcome(recorder, ok=False).to_json())
                raise
            outcome = self._outcome(recorder, ok)
            for failure in outcome.failures:
                journal.write("failure", **failure.to_json())
            journal.write("finished", state="succeeded" if ok else "failed", **outcome.to_json())
            return outcome

    def _name_playbook(self, pid: int) -> None:
        if self._lock is not None:
            self._lock.name_playbook(pid)

    def nothing_to_do(self) -> Outcome:
        """Return the outcome of a plan without steps."""
        return Outcome(ok=True, seconds=time.monotonic() - self.began)

    def _outcome(self, recorder: Recorder, ok: bool) -> Outcome:
        return Outcome(
            ok=ok,
            seconds=time.monotonic() - self.began,
            run_id=self.run_id,
            changed=recorder.changed,
            evaluated_tasks=dict(sorted(recorder.evaluated.items())),
            phases=[phase for phase in recorder.phases.values() if phase.name not in {FACTS, VERDICT}],
            failures=list(recorder.failures),
        )


@contextmanager
def writing(state: Path, verb: str, version: str, progress: Progress, wait_seconds: float = 0.0) -> Iterator[Writer]:
    """Become the one writer of the cluster whose state lies in `state`; end first what a killed writer left running."""
    run_id = new_run_id()
    with _stop_signals_interrupt(), ClusterLock(state, run_id, verb, wait_seconds) as lock:
        if lock.broken_run:
            _close_broken_run(state / "runs" / lock.broken_run)
            ended = f"; ended {len(lock.left_behind)} processes that it left running" if lock.left_behind else ""
            progress.say(f"Run {lock.broken_run} was cut off{ended}. Going on where it was.")
        yield Writer(state, verb, lock, run_id, version)


@contextmanager
def looking(state: Path, verb: str, version: str) -> Iterator[Writer]:
    """Look at the cluster in a run of its own, which changes nothing and keeps nobody from changing it.

    Raises Busy while somebody does: what is half made would be told as broken.
    """
    held = holder(state)
    if held is not None:
        raise busy(held, state / "lock")
    with _stop_signals_interrupt():
        yield Writer(state, verb, None, new_run_id(), version)


def _close_broken_run(folder: Path) -> None:
    """Give the journal of a killed run its end, so that nobody takes it for a running one."""
    drop_private_folder(folder)
    if not (folder / FILE_NAME).exists() or any(line["event"] == "finished" for line in read(folder)):
        return
    cut_torn_line(folder / FILE_NAME)
    changed, last, began = 0, 0.0, None
    for line in read(folder):
        began = began or line["at"]
        last = line["at"]
        changed += line["event"] == "task" and line["outcome"] == "changed"
    with Journal(folder, Redactor()) as journal:
        outcome = Outcome(ok=False, seconds=last - (began or last), run_id=folder.name, changed=changed)
        journal.write("finished", state="interrupted", **outcome.to_json())


@contextmanager
def _stop_signals_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP like Ctrl-C: the run ends its Ansible and closes its journal."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    try:
        earlier = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    except ValueError:  # not in the main thread (the control service): whoever runs us handles signals
        earlier = {}
    try:
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
