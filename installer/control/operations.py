"""Actions on services: each goes on to its end even when the one who asked has gone, and each is in a journal.

`operations/<id>/journal.jsonl` under the cluster's state has the lines `begun`, `message` and `finished`, written
before anyone is told. One without an end, found when the service starts, was cut off: it gets its end then.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import logging
import secrets
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anyio

from installer.control.exclusion import Activity, hindrance
from installer.redaction import Redactor
from installer.running.errors import Busy
from installer.running.journal import FILE_NAME, Journal, cut_torn_line, is_being_written, read
from installer.running.lock import holder, is_held_here
from installer.running.runs import moment
from installer.services.actions import ActionResult, Say

log = logging.getLogger("atoll.control")
Work = Callable[[Say], ActionResult]
Event = dict[str, Any]
KEPT = 200
LOOK_EVERY_SECONDS = 0.2
CUT_OFF = (
    "The control service ended before this did; what was done until then stands. `service_ctl status {service}` shows "
    "what is; give the command again if it is not as it should be."
)


def new_id() -> str:
    """Name an operation; names sort by time, also within a second."""
    return dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S.%fZ-") + secrets.token_hex(2)


class Operation:
    """One action with everything that it said, going on or long over."""

    def __init__(self, folder: Path, events: list[Event], redactor: Redactor | None = None) -> None:
        self.id = folder.name
        self._events = events
        self._redactor = redactor or Redactor()
        self._journal: Journal | None = None
        self._changed = threading.Condition()

    @classmethod
    def begun(cls, folder: Path, redactor: Redactor, **what: str) -> Operation:
        """Begin a new one: from here on it is on the disk."""
        operation = cls(folder, [], redactor)
        operation._journal = Journal(folder, redactor)
        operation._events.append(operation._journal.write("begun", **what))
        return operation

    @classmethod
    def kept(cls, folder: Path) -> Operation:
        """Read an earlier one."""
        return cls(folder, list(read(folder)))

    @property
    def activity(self) -> Activity:
        """What it is for others that want to begin."""
        begun = self._events[0]
        return Activity(f"{begun['action']} {begun['service']}", str(begun["caller"]), str(begun["service"]))

    @property
    def has_begun(self) -> bool:
        """Whether its first line is on the disk: without it (a full disk, a cut) nothing was begun."""
        return bool(self._events)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(self._events[-1]["event"] == "finished")

    def say(self, text: str) -> None:
        """Tell something to whoever follows."""
        self._write("message", text=text)

    def finish(self, result: ActionResult, state: str) -> None:
        """It is over."""
        self._write("finished", state=state, **result.to_json())
        if self._journal is not None:
            with contextlib.suppress(OSError):
                self._journal.close()

    async def follow(self, after: int = 0) -> AsyncIterator[tuple[int, Event]]:
        """Return its events behind the first `after`, each with its number, until it is over.

        It looks, and waits in no thread: the threads are for requests that are answered, however many follow.
        """
        told = after
        while True:
            over = self.over  # before the events are taken: then they hold its end
            for event in self._events[told:]:
                told += 1
                yield told, event
            if over:
                return
            await anyio.sleep(LOOK_EVERY_SECONDS)

    def result(self) -> dict[str, Any]:
        """Wait for the end and return how it was."""
        with self._changed:
            self._changed.wait_for(lambda: self.over)
            return {name: value for name, value in self._events[-1].items() if name not in {"at", "event", "state"}}

    def to_json(self) -> dict[str, Any]:
        """Return it in the shape of the API."""
        with self._changed:
            begun, last = self._events[0], self._events[-1]
        return {
            "id": self.id,
            "service": begun["service"],
            "action": begun["action"],
            "caller": begun["caller"],
            "state": last["state"] if last["event"] == "finished" else "running",
            "started_at": moment(begun["at"]),
            "finished_at": moment(last["at"]) if last["event"] == "finished" else None,
            "seconds": last.get("seconds"),
            "message": str(last.get("message") or last.get("text") or ""),
        }

    def _write(self, name: str, **fields: Any) -> None:
        with self._changed:
            if self._journal is None:
                raise RuntimeError(f"operation {self.id} is over")
            try:
                event = self._journal.write(name, **fields)
            except OSError:  # a full disk must not leave those who wait without an answer
                log.exception("the journal of operation %s cannot be written", self.id)
                event = {"at": time.time(), "event": name, **self._redactor.data(fields)}
            self._events.append(event)
            self._changed.notify_all()


class Operations:
    """The one place where actions begin, and the book of all that ever did on this master."""

    def __init__(self, state: Path) -> None:
        self._state = state
        self._folder = state / "operations"
        self._lock = threading.Lock()
        self._going_on: dict[str, Operation] = {}
        for folder in self._folders():
            _end_if_cut_off(folder)

    def begin(self, service: str, action: str, caller: str, work: Work) -> Operation:
        """Begin an action. Raises Busy while something goes on that excludes it."""
        with self._lock:
            wanted = Activity(f"{action} {service}", caller, service)
            other = hindrance(wanted, [*(one.activity for one in self._going_on.values()), *self._runs()])
            if other is not None:
                raise Busy(
                    f"`{other.what}`, asked for by {other.asked_by}, goes on.", "Wait until it is done, then try again."
                )
            redactor = Redactor.of_file(self._state / "secrets.yaml")
            folder = self._folder / new_id()
            operation = Operation.begun(folder, redactor, service=service, action=action, caller=caller)
            self._going_on[operation.id] = operation
            for old in self._folders()[KEPT:]:
                shutil.rmtree(old, ignore_errors=True)  # the next one tries again
        log.info("begins: %s %s, asked for by %s", action, service, caller)
        threading.Thread(target=self._run, args=(operation, work), name=wanted.what).start()
        return operation

    def page(self, limit: int, before: str | None = None) -> tuple[list[Operation], str | None]:
        """Return operations, the newest first, and where the next page begins."""
        folders = [folder for folder in self._folders() if before is None or folder.name < before]
        found = [one for folder in folders[:limit] if (one := self.find(folder.name)) is not None]
        return found, folders[limit - 1].name if len(folders) > limit else None

    def find(self, identifier: str) -> Operation | None:
        """Return the operation of that name, None if there is none."""
        with self._lock:
            if (going_on := self._going_on.get(identifier)) is not None:
                return going_on
        folder = next((one for one in self._folders() if one.name == identifier), None)
        if folder is None or not (kept := Operation.kept(folder)).has_begun:
            return None
        if kept.over:
            return kept
        with self._lock:
            if identifier not in self._going_on:
                # It went on when this process began, and its process has ended since. A full disk keeps it as it is.
                with contextlib.suppress(OSError):
                    _end_if_cut_off(folder)
        return Operation.kept(folder)

    def _runs(self) -> list[Activity]:
        """Runs of other processes: an apply from the control host holds the cluster's lock."""
        held = holder(self._state)
        if held is None or is_held_here(held):
            return []
        return [Activity(str(held.get("verb", "a run")), f"run {held.get('run', '?')}")]

    def _folders(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        return sorted((path for path in self._folder.iterdir() if (path / FILE_NAME).exists()), reverse=True)

    def _run(self, operation: Operation, work: Work) -> None:
        activity, began = operation.activity, time.monotonic()
        try:
            result = work(operation.say)
        except Exception as error:
            # Whatever it is, whoever waits must learn of it; a defect of ours also goes to the log with its traceback.
            log.exception("%s failed", activity.what)
            action = activity.what.partition(" ")[0]
            result = ActionResult(activity.service or "", action, False, False, str(error), time.monotonic() - began)
        outcome = "ok" if result.ok else "FAILED"
        log.info("ends: %s, asked for by %s: %s (%s)", activity.what, activity.asked_by, outcome, result.message)
        with self._lock:
            del self._going_on[operation.id]
            operation.finish(result, "succeeded" if result.ok else "failed")


def _end_if_cut_off(folder: Path) -> None:
    """Give the journal of an operation whose process was killed its end."""
    # The lock of its journal tells it, as numbers of processes say nothing beyond their container.
    if is_being_written(folder):
        return  # the one before us still has to end
    events = list(read(folder))
    cut_torn_line(folder / FILE_NAME)
    if not events:  # killed before its first line was whole: nothing was begun
        shutil.rmtree(folder)
        return
    if events[-1]["event"] == "finished":
        return
    begun, last = events[0], events[-1]
    service, action = str(begun["service"]), str(begun["action"])
    text = CUT_OFF.format(service=service)
    result = ActionResult(service, action, False, False, text, last["at"] - begun["at"])
    with Journal(folder, Redactor()) as journal:
        journal.write("finished", state="interrupted", **result.to_json())
    log.warning("was cut off: %s %s (operation %s)", action, service, folder.name)
