"""The lock and the journal of a run on the first master, while the run goes on from another machine.

The control service there must not act meanwhile, and the portal shows the run as it happens. Both hang on one SSH
connection: when this process dies, however it dies, the connection ends, and the master gives its lock back.
"""

from __future__ import annotations

import queue
import subprocess
import threading
from pathlib import Path

from installer.running import lock_file
from installer.running.errors import Busy
from installer.ssh.nodes import CONNECT_SECONDS, SshNode, shown

LOCK_WAIT_SECONDS = 10
LONGEST_LINE = 2000  # characters of what the master says
PROGRAM = Path(lock_file.__file__).read_text("utf-8")  # runs on the master, with its own Python


class Mirror:
    """Holds the master's lock and passes journal lines on. A master that cannot be reached is done without."""

    def __init__(self, master: SshNode, folder: Path, run_id: str, verb: str) -> None:
        command = ["python3", "-c", PROGRAM, str(folder), run_id, verb, str(LOCK_WAIT_SECONDS)]
        self._process = subprocess.Popen(
            master.arguments(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._master = master.name
        # A slow or broken connection must not hold the run up: a thread of its own writes.
        self._thread = threading.Thread(target=self._pass_on, daemon=True)

    def take(self) -> bool:
        """Wait until the master has given its lock; return False if it cannot be reached. Raises Busy."""
        timer = threading.Timer(CONNECT_SECONDS + LOCK_WAIT_SECONDS + 5, self._process.kill)
        timer.start()
        said = self._process.stdout.readline(LONGEST_LINE) if self._process.stdout else ""
        timer.cancel()
        if said.startswith("ready"):
            self._thread.start()
            return True
        code = self._end()
        if code == lock_file.BUSY:
            raise Busy(
                f"The control service on `{self._master}` changes this cluster now: {shown(said[5:])}",
                "Wait until it is done, then try again.",
            )
        return False

    def write(self, line: str) -> None:
        """Pass a journal line on, some time soon."""
        self._lines.put(line)

    def close(self) -> None:
        """Pass on what is left and give the master's lock back."""
        self._lines.put(None)
        if self._thread.is_alive():
            self._thread.join(30)
        self._end()

    def _pass_on(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                if self._process.stdin:
                    self._process.stdin.write(line)
                    self._process.stdin.flush()
            except OSError:
                return  # the connection broke; the whole journal is handed over at the end

    def _end(self) -> int:
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                try:
                    stream.close()
                except OSError:
                    continue  # what could not be written is handed over at the end
        try:
            return self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
