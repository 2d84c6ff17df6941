"""Processes of a run, known by pid *and* start time, so that a pid that was given away again is never ended.

ansible-runner and ansible-core put ansible-playbook and its workers in sessions of their own: killing their parent, or
its process group, leaves them running and changing nodes. They are found by what the lock names and by the marker
`ATOLL_RUN=<run id>` in their environment.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from installer.running.lock_file import boot_id, start_ticks

RUN_MARKER = "ATOLL_RUN"


@dataclass(frozen=True)
class ProcessId:
    """A process of this boot of this machine."""

    pid: int
    started: int  # clock ticks after boot
    boot: str

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """Name the process that has `pid` now, None if there is none (or only its zombie)."""
        started = start_ticks(pid)
        return None if started is None else cls(pid, started, boot_id())

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(int(data["pid"]), int(data["started"]), str(data["boot"]))

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    def alive(self) -> bool:
        """Whether this very process still runs."""
        return boot_id() == self.boot and start_ticks(self.pid) == self.started


def marked(run_id: str) -> list[ProcessId]:
    """Return the processes that carry the marker of a run, this process excepted."""
    wanted = f"{RUN_MARKER}={run_id}".encode()
    found = []
    for pid in _pids():
        if pid == os.getpid():
            continue
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:  # gone meanwhile, or a kernel thread
            continue
        if wanted in environment and (process := ProcessId.of(pid)):
            found.append(process)
    return found


def descendants(of: ProcessId) -> list[ProcessId]:
    """Return the children of a process and theirs, in order of depth."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        parent = _parent(pid)
        if parent is not None:
            children.setdefault(parent, []).append(pid)
    found: list[ProcessId] = []
    level = [of.pid] if of.alive() else []
    while level:
        level = [child for pid in level for child in children.get(pid, [])]
        found += [process for pid in level if (process := ProcessId.of(pid))]
    return found


def end(processes: Iterable[ProcessId], grace_seconds: float = 5.0) -> list[ProcessId]:
    """End the processes, kindly first; return those that were alive. Raises TimeoutError if one cannot be ended."""
    handles: dict[int, ProcessId] = {}
    try:
        for process in dict.fromkeys(processes):
            try:
                handle = os.pidfd_open(process.pid)
            except ProcessLookupError:
                continue
            # The handle holds the process that has the pid now: compare after opening, then no mix-up is possible.
            if process.alive():
                handles[handle] = process
            else:
                os.close(handle)
        left = set(handles)
        for how, seconds in ((signal.SIGTERM, grace_seconds), (signal.SIGKILL, 10.0)):
            for handle in left:
                _signal(handle, how)
            left = _wait(left, seconds)
        if left:
            pids = ", ".join(str(handles[handle].pid) for handle in left)
            raise TimeoutError(f"processes {pids} do not end, not even on SIGKILL")
        return list(handles.values())
    finally:
        for handle in handles:
            os.close(handle)


def _signal(handle: int, how: signal.Signals) -> None:
    try:
        signal.pidfd_send_signal(handle, how)
    except ProcessLookupError:
        return


def _wait(handles: set[int], seconds: float) -> set[int]:
    """Wait until the processes behind the handles have ended; return those that have not."""
    left = set(handles)
    poll = select.poll()
    for handle in left:
        poll.register(handle, select.POLLIN)
    deadline = time.monotonic() + seconds
    while left and (rest := deadline - time.monotonic()) > 0:
        for handle, _ in poll.poll(rest * 1000):
            poll.unregister(handle)
            left.discard(handle)
    return left


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _stat(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat after the name (which may hold blanks and brackets)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return None


def _parent(pid: int) -> int | None:
    fields = _stat(pid)
    return None if fields is None else int(fields[1])
