"""What a certificate can make the control service hold: bodies, connections and answers, over real TLS."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from installer.control.bodies import MOST_BYTES
from installer.control.server import MOST_CONNECTIONS
from installer.services import log_lines
from tests.system.harness import wait_for
from tests.unit.control.conftest import Running, as_caller

STOP = "/services/api/stop"


@pytest.mark.parametrize("said", [True, False], ids=["said", "unsaid"])
def test_a_body_that_is_too_long_or_of_no_said_length_is_not_read(control: Running, said: bool) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(MOST_BYTES // 65536 + 1):
            yield b"x" * 65536

    body = b"".join(chunks()) if said else chunks()
    with as_caller(control, "platform", "ada") as client:
        answer = client.post(STOP, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == (413 if said else 411), "it was read"
        answer = client.post(STOP, content=b"x" * MOST_BYTES, headers={"Content-Type": "application/json"})
        assert answer.status_code in (403, 422)


def test_whoever_says_that_a_body_is_too_long_is_told_so_before_it_is_sent(control: Running) -> None:
    head = f"POST {STOP} HTTP/1.1\r\nHost: x\r\nContent-Length: {200 << 20}\r\n\r\n".encode()
    with ExitStack() as held:
        one = connected(control, "platform", held)
        one.sendall(head)
        assert one.recv(65536).split()[1] == b"413"


def connected(control: Running, name: str, held: ExitStack) -> ssl.SSLSocket:
    trusts = ssl.create_default_context(cafile=str(control.authority.file))
    trusts.load_cert_chain(*control.authority.issue(name))
    host, port = control.url.removeprefix("https://").split(":")
    plain = held.enter_context(socket.create_connection((host, int(port)), timeout=20))
    return held.enter_context(trusts.wrap_socket(plain, server_hostname=host))


def is_kept(one: ssl.SSLSocket) -> bool:
    """Whether the connection is still there; one that was made a moment ago may be about to be cut."""
    one.sendall(b"GET /runs HTTP/1.1\r\nHost: x\r\nAtoll-User: ada\r\n\r\n")
    try:
        return one.recv(12) == b"HTTP/1.1 200"
    except OSError:
        return False


def test_a_certificate_has_so_many_connections_and_takes_none_of_anothers(control: Running) -> None:
    with ExitStack() as held:
        ones = [connected(control, "platform", held) for _ in range(MOST_CONNECTIONS)]
        assert is_kept(ones[-1])
        assert not is_kept(connected(control, "platform", held)), "it has as many as it likes"
        with as_caller(control, "administrator") as administrator:
            assert administrator.get("/runs").status_code == 200
        ones[0].close()
        wait_for("a place", lambda: is_kept(connected(control, "platform", held)), 20)


def test_an_answer_has_the_last_lines_of_a_log_as_far_as_they_fit(control: Running) -> None:
    line = "x" * (log_lines.LINE_BYTES - 100)
    control.kubernetes.log_lines[:] = [f"{number:05} {line}" for number in range(log_lines.MOST_BYTES // len(line) * 2)]
    with as_caller(control, "platform", "ada") as client:
        answer = client.get("/services/api/logs?lines=10000")
    assert answer.status_code == 200
    assert len(answer.content) < log_lines.MOST_BYTES * 1.1, "all of it is told"
    note, *lines = answer.json()["lines"]
    assert "left out" in note
    assert lines[-1].startswith(control.kubernetes.log_lines[-1][:5])
