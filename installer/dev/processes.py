"""The services of `./atoll dev` as processes: started together, watched together, ended together."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import FrameType

import click

from installer.dev.settings import TREE

START_TIMEOUT_S = 60.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def check_port(port: int) -> None:
    """Fail with a remedy when the wanted port is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise click.ClickException(
                f"port {port} on 127.0.0.1 cannot be used: {error.strerror}\n  Choose another one with --port."
            ) from error


def environment(config: Path, port: int | None = None) -> dict[str, str]:
    """What a service is started with; it binds loopback only."""
    given = {**os.environ, "ATOLL_CONFIG": str(config), "PYTHONPATH": str(TREE / "platform")}
    if port is not None:
        given.update(ATOLL_LISTEN="127.0.0.1", ATOLL_PORT=str(port))
    return given


def migrate(config: Path) -> None:
    """Bring the database to the newest version."""
    done = subprocess.run([sys.executable, "-m", "atoll.database"], env=environment(config), check=False)
    if done.returncode != 0:
        raise click.ClickException("the database could not be prepared; its messages are above")


class Services:
    """The three processes."""

    def __init__(self, config: Path, ports: dict[str, int], logs: Path) -> None:
        self._ports = ports
        self._logs = logs
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        logs.mkdir(parents=True, exist_ok=True)
        for name, port in ports.items():
            with (logs / f"{name}.log").open("ab") as log:
                self._running[name] = subprocess.Popen(
                    [sys.executable, "-m", f"atoll.{name}"],
                    env=environment(config, port),
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )

    def wait_until_ready(self) -> None:
        """Until every service says that it is ready."""
        until = time.monotonic() + START_TIMEOUT_S
        for name, port in self._ports.items():
            while not _ready(port):
                self._check(name)
                if time.monotonic() > until:
                    raise click.ClickException(f"{name} is not ready after {START_TIMEOUT_S:.0f} s\n{self._tail(name)}")
                time.sleep(0.1)

    def run_until_told(self) -> None:
        """Until Ctrl-C or SIGTERM, or until a service ends by itself."""
        told = False

        def tell(_number: int, _frame: FrameType | None) -> None:
            nonlocal told
            told = True

        signal.signal(signal.SIGINT, tell)
        signal.signal(signal.SIGTERM, tell)
        while not told:
            for name in self._running:
                self._check(name)
            time.sleep(0.3)

    def end(self) -> None:
        """End all; tasks that run go on and are adopted by the next start."""
        for process in self._running.values():
            if process.poll() is None:
                process.terminate()
        for process in self._running.values():
            try:
                process.wait(timeout=8)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _check(self, name: str) -> None:
        code = self._running[name].poll()
        if code is not None:
            raise click.ClickException(f"{name} ended with exit code {code}\n{self._tail(name)}")

    def _tail(self, name: str) -> str:
        path = self._logs / f"{name}.log"
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-15:]
        return "\n".join([f"  end of {path}:", *(f"  {line}" for line in lines)])


def _ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
