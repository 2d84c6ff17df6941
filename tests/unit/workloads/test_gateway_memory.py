"""What strangers make the gateway hold, at its own nginx: all the connections that it takes fit into its pod."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from atoll import quantities

from .conftest import Rendered
from .test_gateway import configuration, nginx

__all__ = ["nginx"]

CONNECTIONS = 150
KERNEL_BYTES = 8 << 10  # of a socket: the container pays for that, too
MOST_BYTES = 96 << 10


def private_bytes(pid: int) -> int:
    """What the process alone holds."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


@dataclass
class Gateway:
    """An nginx with one worker, so that it has all of the connections."""

    pid: int
    door: Path
    held: contextlib.ExitStack

    def worker(self) -> int:
        (pid,) = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return int(pid)

    def come(self, says: bytes, protocol: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # who it is is tested elsewhere
        context.set_alpn_protocols([protocol])
        plain = self.held.enter_context(socket.socket(socket.AF_UNIX))
        plain.connect(str(self.door))
        one = self.held.enter_context(context.wrap_socket(plain, server_hostname="portal"))
        one.sendall(says)


@pytest.fixture
def gateway(rendered: Rendered, nginx: Path, tmp_path: Path) -> Iterator[Gateway]:
    text = configuration(rendered)
    pki = rendered.state / "pki/gateway"
    for pattern, put in (
        (r"worker_processes \d+", "worker_processes 1"),
        (r"server api\.atoll-system\.svc\.[a-z.]+:8000", "server 127.0.0.1:9"),
        (r"listen (\d+)( ssl http2)?;", rf"listen unix:{tmp_path}/s\1\2;"),
        (r"listen \[::\]:.*", ""),
        (r"/etc/atoll/tls/tls", f"{pki}/portal"),
        (r"/etc/nginx/", f"{nginx}/etc/nginx/"),
        (r"/tmp/(?=[a-z.]+;)", f"{tmp_path}/"),
        (r"/dev/std(out|err)", f"{tmp_path}/log"),
    ):
        text, times = re.subn(pattern, put, text)
        assert times, pattern
    (tmp_path / "gateway.conf").write_text(text)
    argv: list[str | Path] = [nginx / "usr/sbin/nginx", "-p", tmp_path, "-c", tmp_path / "gateway.conf"]
    process = subprocess.Popen([*argv, "-e", tmp_path / "log", "-g", "daemon off;"])
    with contextlib.ExitStack() as held:
        try:
            made = Gateway(process.pid, tmp_path / "s8443", held)
            deadline = time.monotonic() + 10
            while not made.door.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            yield made
        finally:
            process.terminate()
            process.wait()


HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
UNFINISHED, TOO_LONG = (
    b"GET / HTTP/1.1\r\nHost: portal\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"x" * 4000) for n in range(lines))
    for lines in (3, 7)
)


@pytest.mark.parametrize(
    "says",
    [b"", UNFINISHED, TOO_LONG, HTTP2],
    ids=["silent", "a request without an end", "too long a request", "http2"],
)
def test_all_connections_that_the_gateway_takes_fit_into_its_pod(
    rendered: Rendered, gateway: Gateway, says: bytes
) -> None:
    protocol = "h2" if says == HTTP2 else "http/1.1"
    gateway.come(says, protocol)
    time.sleep(0.5)
    before = private_bytes(gateway.worker())
    for _ in range(CONNECTIONS):
        gateway.come(says, protocol)
    time.sleep(0.5)
    each = (private_bytes(gateway.worker()) - before) / CONNECTIONS + KERNEL_BYTES
    assert each < MOST_BYTES
    text = configuration(rendered)
    workers, connections, shared_mib = (
        int(re.findall(pattern, text)[0])
        for pattern in (
            r"worker_processes (\d+);",
            r"worker_connections (\d+);",
            r"ssl_session_cache shared:TLS:(\d+)m;",
        )
    )
    (container,) = rendered.one("DaemonSet", "gateway")["spec"]["template"]["spec"]["containers"]
    limit = quantities.parse(container["resources"]["limits"]["memory"])
    own = private_bytes(gateway.pid) + workers * before + (shared_mib << 20)
    assert limit >= workers * connections * MOST_BYTES + own


def test_who_says_nothing_is_not_waited_for(rendered: Rendered) -> None:
    text = configuration(rendered)
    for name in ("client_header_timeout", "client_body_timeout", "send_timeout"):
        (waits,) = re.findall(rf"{name} (\d+)s;", text)
        assert int(waits) <= 20, name
