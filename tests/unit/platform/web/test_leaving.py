"""A service that is told to end: it serves on for a while, lets go of connections, and ends live views whole."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

TREE = Path(__file__).parents[4]
SERVED = Path(__file__).with_name("served.py")


class Leaving:
    """A process of `serve` on a socket of its own."""

    def __init__(self, book: Path, **environment: str) -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=128) as door:
            self.url = f"http://127.0.0.1:{door.getsockname()[1]}"
            given = {"PYTHONPATH": str(TREE / "platform"), "ATOLL_SOCKET": str(door.fileno()), **environment}
            self.process = subprocess.Popen(
                [sys.executable, SERVED, book],
                env={**os.environ, **given},
                pass_fds=(door.fileno(),),
                stderr=subprocess.DEVNULL,
            )
        assert httpx.get(f"{self.url}/readyz", timeout=30).status_code == 200  # its socket listens from the start on


Started = Callable[..., Leaving]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    made: list[Leaving] = []

    def start(**environment: str) -> Leaving:
        made.append(Leaving(tmp_path / "book", **environment))
        return made[-1]

    yield start
    for one in made:
        one.process.kill()
        one.process.wait()


def test_a_service_that_is_told_to_end_serves_on_and_each_answer_is_the_last_of_its_connection(
    started: Started,
) -> None:
    service = started(ATOLL_DRAIN_S="5")
    with httpx.Client(base_url=service.url) as kept:
        assert "connection" not in kept.get("/api/things").headers
        service.process.terminate()
        began, answered, lost = time.monotonic(), 0, ""
        while time.monotonic() - began < 0.7:
            try:
                answers = (kept.get("/api/things"), httpx.post(f"{service.url}/api/things", content=b"one"))
            except httpx.TransportError as error:
                lost = repr(error)
                break
            for answer in answers:
                assert answer.status_code == 200
                assert answer.headers.get("connection") == "close", "the connection was kept"
                answered += 1
        assert not lost, f"requests were lost: {lost}"
        assert answered > 2
        said = kept.get("/readyz")
        assert said.status_code == 503
        assert "about to end" in said.json()["obstacle"]
        assert kept.get("/healthz").status_code == 200
    assert service.process.wait(10) == -signal.SIGTERM


def test_without_a_drain_it_ends_at_once(started: Started) -> None:
    service = started()
    began = time.monotonic()
    service.process.terminate()
    service.process.wait(10)
    assert time.monotonic() - began < 4  # dev, tests, Ctrl-C


def test_a_live_view_ends_whole_with_its_process(started: Started) -> None:
    service = started(ATOLL_DRAIN_S="0.3")
    with httpx.stream("GET", f"{service.url}/api/stream", timeout=10) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: hello"
        service.process.terminate()
        assert next(lines) == "data: {}"
        assert not any(list(lines))  # raises where the answer breaks off
    service.process.wait(10)
