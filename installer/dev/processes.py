"""Processes of `./atoll dev`: each with a log of its own, none that outlives it, none left of one that was killed."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from installer.dev.errors import DevError

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
GRACE_S = 6.0
TOLD_LINES = 15
WAITING = 100  # connections that wait for a service that is still starting
AGAIN = "Run `./atoll dev` again, which goes on where it was; with --reset it begins from nothing."
_libc = ctypes.CDLL(None)


def listen(port: int = 0) -> socket.socket:
    """Listen on a port (0: any that is free), for a service that is given this very socket.

    From here on nobody else gets the port: to look for a free one and let go of it again would be a race with whoever
    starts beside us.
    """
    door = socket.socket()
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # over what a stack before it left waiting
        door.bind(("127.0.0.1", port))
        door.listen(WAITING)
    except OSError as error:
        door.close()
        if isinstance(error, PermissionError):
            raise DevError(
                f"port {port} is for root only.", "Choose one above 1023: ./atoll dev --port 8080"
            ) from error
        raise DevError(
            f"port {port} of this machine is taken, by another program or by someone else's `./atoll dev`.",
            f"Choose another one: ./atoll dev --port {port + 1 if port < 65535 else 8080}",
        ) from error
    return door


def port_of(door: socket.socket) -> int:
    """Return the port on which it listens."""
    return int(door.getsockname()[1])


@dataclass(frozen=True)
class Known:
    """A process as it is written down: its number and when it began, which tells it from a later one of that number."""

    name: str
    number: int
    began: str
    ends_by: int

    @property
    def lives(self) -> bool:
        """Whether it still runs."""
        return bool(self.began) and began(self.number) == self.began

    def tell(self, number: int) -> None:
        """Send a signal to it, if it still runs."""
        if self.lives:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.number, number)


def began(number: int) -> str:
    """When a process began, in ticks since the machine did. Empty: it has ended."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return "" if fields[0] in "ZX" else fields[19]


class Family:
    """All processes of one `./atoll dev`."""

    def __init__(self, state: Path) -> None:
        self._logs = state / "logs"
        self._record = state / "processes.json"
        self._logs.mkdir(exist_ok=True)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._known: list[Known] = []
        self._end_leftovers()

    def start(
        self,
        name: str,
        argv: Sequence[str | Path],
        env: Mapping[str, str],
        ends_by: signal.Signals = signal.SIGTERM,
        keeps: Sequence[int] = (),
    ) -> None:
        """Start a process that goes on; `ends_by` is the signal by which it ends at once but in order.

        `keeps` are open files that it is handed.
        """
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                [str(word) for word in argv],
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is told to this program only, which ends the others in order
                preexec_fn=_end_with_parent(ends_by),
                pass_fds=keeps,
            )
        self._running[name] = process
        self._known.append(Known(name, process.pid, began(process.pid), int(ends_by)))
        self._record.write_text(json.dumps([vars(known) for known in self._known]), encoding="utf-8")

    def do(self, name: str, argv: Sequence[str | Path], env: Mapping[str, str]) -> None:
        """Run a process to its end; its output is in its log. Raises when it fails."""
        self.start(name, argv, env)
        code = self._running.pop(name).wait()
        self._known = [known for known in self._known if known.name != name]
        if code != 0:
            raise self._failed(name, code)

    def check(self, name: str | None = None) -> None:
        """Raise when a process (or any) has ended by itself."""
        for one in self._running if name is None else (name,):
            code = self._running[one].poll()
            if code is not None:
                raise self._failed(one, code)

    def wait_until(self, name: str, ready: Callable[[], bool], timeout_s: float) -> None:
        """Wait for a process to be ready. Raises when it ends or takes longer."""
        until = time.monotonic() + timeout_s
        while not ready():
            self.check(name)
            if time.monotonic() > until:
                raise DevError(f"{name} is not ready after {timeout_s:.0f} s.\n{self._tail(name)}", AGAIN)
            time.sleep(0.1)

    def end(self, *names: str) -> None:
        """End those of these processes that run, or all: told at once, killed after a grace."""
        ended = {name: self._running.pop(name) for name in names or tuple(self._running) if name in self._running}
        for name, process in ended.items():
            if process.poll() is None:
                process.send_signal(next(known.ends_by for known in self._known if known.name == name))
        until = time.monotonic() + GRACE_S
        for process in ended.values():
            try:
                process.wait(timeout=max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if not self._running:
            self._record.unlink(missing_ok=True)

    def _end_leftovers(self) -> None:
        """End what is left of one that was killed itself; most of it has ended with it."""
        try:
            left = [Known(**each) for each in json.loads(self._record.read_text(encoding="utf-8"))]
        except (OSError, ValueError, TypeError):
            return
        end_all(left)
        self._record.unlink(missing_ok=True)

    def _log(self, name: str) -> Path:
        """A new log; the one before is kept."""
        path = self._logs / f"{name}.log"
        if path.exists():
            path.replace(self._logs / f"{name}.before.log")
        return path

    def _failed(self, name: str, code: int) -> DevError:
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        return DevError(f"{name} ended by itself ({how}).\n{self._tail(name)}", AGAIN)

    def _tail(self, name: str) -> str:
        path = self._logs / f"{name}.log"
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-TOLD_LINES:]
        if not lines:
            return f"  It wrote nothing into {path}."
        return "\n".join([f"  The end of {path}:", *(f"    {line[:2000]}" for line in lines)])


def end_all(processes: Sequence[Known]) -> None:
    """End processes that are nobody's children any more: told at once, killed after a grace."""
    for known in processes:
        known.tell(known.ends_by)
    until = time.monotonic() + GRACE_S
    while any(known.lives for known in processes) and time.monotonic() < until:
        time.sleep(0.05)
    for known in processes:
        known.tell(signal.SIGKILL)


def below(number: int, name: str, ends_by: signal.Signals) -> list[Known]:
    """All processes that a process started, and theirs."""
    found: list[Known] = []
    try:
        children = Path(f"/proc/{number}/task/{number}/children").read_text(encoding="ascii").split()
    except OSError:
        return found
    for child in map(int, children):
        found += [Known(name, child, began(child), int(ends_by)), *below(child, name, ends_by)]
    return found


def keep_orphans() -> None:
    """From now on this process is the parent of what its children leave, so that it can end that too."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)


def end_orphans() -> None:
    """End whatever is still below this process: what a build that was broken off left, for instance."""
    end_all(below(os.getpid(), "orphan", signal.SIGTERM))


def _end_with_parent(ends_by: signal.Signals) -> Callable[[], None]:
    """What a child does first: it asks the kernel for that signal when its parent dies, however it does."""

    def ask() -> None:
        _libc.prctl(PR_SET_PDEATHSIG, int(ends_by))

    return ask
