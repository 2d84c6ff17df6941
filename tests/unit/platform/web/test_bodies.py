"""What is sent to a service that it has no use for is not held, whoever sends it: a process as the pods run it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from atoll.web import bodies

TREE = Path(__file__).parents[4]
SERVED = Path(__file__).with_name("served.py")
SENT = 64 << 20
CHUNK = b"x" * (64 << 10)


@dataclass
class Served:
    """A service and its process."""

    address: tuple[str, int]
    pid: int

    def most_bytes(self) -> int:
        """All that it ever had of its own."""
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

    def send(self, head: bytes, chunks: list[bytes]) -> tuple[int, bytes]:
        """Send until it takes no more; how much it took, and what it answered."""
        with socket.create_connection(self.address, timeout=10) as one:
            one.sendall(head)
            taken = 0
            try:
                for chunk in chunks:
                    one.sendall(chunk)
                    taken += len(chunk)
            except OSError:
                pass
            try:
                return taken, one.recv(65536)
            except OSError:
                return taken, b""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as door:
        given = {"PYTHONPATH": str(TREE / "platform"), "ATOLL_SOCKET": str(door.fileno())}
        process = subprocess.Popen(
            [sys.executable, SERVED, tmp_path / "book"],
            env={**os.environ, **given},
            pass_fds=(door.fileno(),),
            stderr=subprocess.DEVNULL,
        )
        address = door.getsockname()
    try:
        assert httpx.get(f"http://127.0.0.1:{address[1]}/readyz", timeout=30).status_code == 200
        yield Served(address, process.pid)
    finally:
        process.kill()
        process.wait()


HEAD = b"POST /api/things HTTP/1.1\r\nHost: x\r\n"
SAID = HEAD + b"Content-Length: %d\r\n\r\n" % SENT
UNSAID = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "chunk"), [(SAID, CHUNK), (UNSAID, b"10000\r\n" + CHUNK + b"\r\n")], ids=["said", "unsaid"]
)
def test_a_body_that_is_too_long_is_refused_and_not_held(served: Served, head: bytes, chunk: bytes) -> None:
    before = served.most_bytes()
    _, answered = served.send(head, [chunk] * (SENT // len(CHUNK)))
    assert served.most_bytes() - before < SENT // 8, "it holds what nobody asked for"
    assert answered == b"" or b" 413 " in answered.splitlines()[0]
    assert httpx.get(f"http://127.0.0.1:{served.address[1]}/healthz", timeout=30).status_code == 200


def test_whoever_says_too_much_is_told_so_before_anything_is_sent(served: Served) -> None:
    _, answered = served.send(SAID, [])
    assert b" 413 " in answered.splitlines()[0]


def test_as_much_as_there_is_use_for_is_taken(served: Served) -> None:
    taken, answered = served.send(HEAD + b"Content-Length: %d\r\n\r\n" % bodies.SIBLINGS, [b"x" * bodies.SIBLINGS])
    assert (taken, answered.splitlines()[0].split()[1]) == (bodies.SIBLINGS, b"200")
