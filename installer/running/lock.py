"""One writer per cluster: the lock file, and the end of what a killed writer left behind.

The kernel's lock falls with the process that holds it, also on kill -9; what is written inside stays, and names the
run, the writer and its ansible-playbook. Whoever gets the lock next ends those first, and only then acts.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from installer.running import lock_file
from installer.running.errors import Busy
from installer.running.processes import ProcessId, descendants, end, marked


class ClusterLock:
    """The right to change one cluster. Use it as a context manager; `left_behind` says what it had to end."""

    def __init__(self, cluster_state: Path, run_id: str, verb: str, wait_seconds: float = 0.0) -> None:
        self._path = cluster_state / "lock"
        self._run_id = run_id
        self._verb = verb
        self._wait_seconds = wait_seconds
        self._handle: int | None = None
        self._content: dict[str, Any] = {}
        self.left_behind: list[ProcessId] = []
        self.broken_run: str | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Python opens with O_CLOEXEC: the lock is not handed to ansible-playbook, which may outlive this process.
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if not lock_file.take(handle, self._wait_seconds):
                raise busy(lock_file.read(handle), self._path)
            earlier = lock_file.read(handle)
            self._end_leftovers(earlier)
            self._content = lock_file.of_writer(self._run_id, self._verb, earlier)
            lock_file.write(handle, self._content)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._handle is None:
            return
        # Stopped while it ended its processes (a second Ctrl-C), or not able to: the next writer ends what is left.
        in_order = kind is None or (issubclass(kind, Exception) and not issubclass(kind, TimeoutError))
        if in_order:
            self._content |= {"playbook": None, "done": True}
        lock_file.write(self._handle, self._content)
        os.close(self._handle)
        self._handle = None

    @property
    def fence(self) -> int:
        """The number of this writer; it is higher than that of every earlier one."""
        return int(self._content["fence"])

    def name_playbook(self, pid: int) -> None:
        """Write down which ansible-playbook acts for this writer."""
        if self._handle is None:
            raise RuntimeError("the lock is not held")
        process = ProcessId.of(pid)
        self._content["playbook"] = process.to_json() if process else None
        lock_file.write(self._handle, self._content)

    def _end_leftovers(self, earlier: dict[str, Any]) -> None:
        run_id = earlier.get("run")
        if not run_id or earlier.get("done"):
            return
        self.broken_run = str(run_id)
        left = marked(self.broken_run)
        if earlier.get("playbook"):
            playbook = ProcessId.from_json(earlier["playbook"])
            left += [playbook, *descendants(playbook)]
        self.left_behind = end(left)


def holder(cluster_state: Path) -> dict[str, Any] | None:
    """Say who changes the cluster at the moment (what the lock file tells), None if nobody does."""
    try:
        handle = os.open(cluster_state / "lock", os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return lock_file.read(handle)
    else:
        return None
    finally:
        os.close(handle)


def is_held_here(held: dict[str, Any]) -> bool:
    """Whether what `holder` told is this very process."""
    me = ProcessId.of(os.getpid())
    return me is not None and held.get("writer") == me.to_json()


def busy(content: dict[str, Any], path: Path) -> Busy:
    """Return the error that says who changes the cluster."""
    pid = (content.get("writer") or {}).get("pid", "?")
    return Busy(
        f"{path}: run {content.get('run', '?')} (`{content.get('verb', '?')}`, process {pid}, since "
        f"{content.get('at', '?')}) changes this cluster now.",
        f"Wait until it is done (`./atoll runs show {content.get('run', 'ID')}`) or end process {pid}, then try again.",
    )
