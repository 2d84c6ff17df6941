"""What strangers make the gateway hold, at its own nginx: all the connections that it takes fit into its pod."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from atoll import quantities
from atoll.web.schema import Problem
from atoll.web.told import Crowded
from h2.connection import H2Connection
from h2.settings import SettingCodes

from installer.bundle.portal import compress

from .conftest import Rendered
from .gateway import Change, configuration, nginx, started

__all__ = ["nginx"]

CONNECTIONS = 150
CONNECTIONS_ASKING = 8
OFFICE = 100 * (2 + 15)  # people at one address, each with two live views and a page that opens
LONG = random.Random(1).randbytes(200_000).hex().encode()  # for a long time nothing in it comes twice
# As much as a request may say about itself.
LARGE = [(f"x-{number}", "~" * 3900) for number in range(3)]
KERNEL_BYTES = 8 << 10  # of a socket: the container pays for that, too
MOST_BYTES = 96 << 10
SOCKET_BYTES = 128 << 10  # of answers, in the kernel, which counts it twice
KERNEL_HOLDS = 2 * SOCKET_BYTES + (64 << 10)  # it looks before each segment, not within one


def queues(port: int) -> list[int]:
    """What the kernel holds of answers, of each connection to a port of this machine."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(row[4].partition(":")[0], 16) for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "01"]


def private_bytes(pid: int) -> int:
    """What the process alone holds."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def said(rendered: Rendered, pattern: str) -> int:
    """A number of the configuration."""
    (found,) = re.findall(pattern, configuration(rendered))
    return int(found)


def most_bytes(rendered: Rendered) -> int:
    """What all connections and all their requests hold."""
    connections = said(rendered, r"worker_processes (\d+);") * said(rendered, r"worker_connections (\d+);")
    return (connections + most_requests(rendered)) * MOST_BYTES


def most_requests(rendered: Rendered) -> int:
    """From how many on no more are held."""
    return said(rendered, r"\(\[(\d)-9\]") * 1000


def held_for(path: str) -> int:
    """What a request may hold: one to the API has a connection there, too, which is one of those that there may be."""
    return MOST_BYTES * 2 if path.startswith("/api/") else MOST_BYTES


def said_crowd(rendered: Rendered) -> int:
    """From how many on they are refused in words."""
    assert re.search(r'"~\^\(25\[6-9\]\\d\|2\[6-9\]\\d\\d\)\$" crowd;', configuration(rendered))
    return 2560


def limit_bytes(rendered: Rendered) -> int:
    (container,) = rendered.one("DaemonSet", "gateway")["spec"]["template"]["spec"]["containers"]
    return int(quantities.parse(container["resources"]["limits"]["memory"]))


def own_bytes(rendered: Rendered, gateway: Gateway, worker: int) -> int:
    """What nginx holds without a connection: itself, and what its processes share."""
    shared = sum(
        int(size) << (20 if unit == "m" else 10)
        for size, unit in re.findall(r"(?:zone=\w+|shared:TLS):(\d+)([mk])", configuration(rendered))
    )
    return private_bytes(gateway.pid) + said(rendered, r"worker_processes (\d+);") * worker + shared


@cache
def asking(path: str, window: int, many: int) -> bytes:
    """What a client of HTTP/2 says that asks so often for a path and takes no more than `window` bytes of an answer."""
    client = H2Connection()
    client.initiate_connection()
    client.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: window})
    where = [(":method", "GET"), (":scheme", "https"), (":authority", "portal"), (":path", path)]
    for _ in range(many):
        stream = client.get_next_available_stream_id()
        client.send_headers(stream, [*where, ("accept-encoding", "gzip"), *LARGE], end_stream=True)
    return client.data_to_send()


@dataclass
class Gateway:
    """An nginx with one worker, so that it has all of the connections."""

    pid: int
    door: Path
    port: int
    held: contextlib.ExitStack
    streams: int
    asked: int = 0

    def worker(self) -> int:
        (pid,) = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return int(pid)

    def come(self, says: bytes, protocol: str, address: str = "") -> ssl.SSLSocket:
        """By the socket; with an address of this machine, from there."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # who it is is tested elsewhere
        context.set_alpn_protocols([protocol])
        if address:
            plain = socket.create_connection(("127.0.0.1", self.port), timeout=20, source_address=(address, 0))
        else:
            plain = socket.socket(socket.AF_UNIX)
            plain.connect(str(self.door))
        self.held.enter_context(plain)
        one = self.held.enter_context(context.wrap_socket(plain, server_hostname="portal"))
        one.sendall(says)
        return one

    def ask(self, path: str, window: int, address: str = "") -> int:
        """Ask by HTTP/2 for as much as one connection may, and take no answer but its first `window` bytes."""
        self.come(asking(path, window, self.streams), "h2", address)
        self.asked += self.streams
        return self.streams

    def begin(self, path: str) -> int:
        """Begin as many bodies by HTTP/2 as one connection may, each with as much as is taken of it at first."""
        one, client = self.come(b"", "h2"), H2Connection()
        client.initiate_connection()
        one.sendall(client.data_to_send())
        while client.remote_settings.max_concurrent_streams != self.streams:
            client.receive_data(one.recv(65536))
        where = [(":method", "POST"), (":scheme", "https"), (":authority", "portal"), (":path", path)]
        for _ in range(self.streams):
            stream = client.get_next_available_stream_id()
            client.send_headers(stream, [*where, ("content-length", "1000000"), *LARGE])
            while room := min(client.local_flow_control_window(stream), client.max_outbound_frame_size):
                client.send_data(stream, b"x" * room)
        one.sendall(client.data_to_send())
        return self.streams

    def say(self, path: str, address: str = "") -> str:
        """Ask by HTTP/1.1, and return all of the answer."""
        one = self.come(
            f"GET {path} HTTP/1.1\r\nHost: portal\r\nConnection: close\r\n\r\n".encode(), "http/1.1", address
        )
        return b"".join(iter(lambda: one.recv(65536), b"")).decode()

    def until(self, path: str, starts: str, address: str = "") -> str:
        """Ask until the answer is such a one: what was sent before has been read by then."""
        deadline = time.monotonic() + 20
        while not (answer := self.say(path, address)).startswith(starts) or (answer and not starts):
            assert time.monotonic() < deadline, answer[:200]
            time.sleep(0.1)
        return answer


class Long(BaseHTTPRequestHandler):
    """An API that answers with more than fits into any buffer."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(LONG)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(LONG)

    def do_POST(self) -> None:
        """Does not even read it."""
        time.sleep(20)

    def log_message(self, *_of: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_of: object) -> None:
        """Who asked went away."""


@pytest.fixture
def api(rendered: Rendered) -> Iterator[int]:
    server = Server(("127.0.0.1", 0), Long)
    shown = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    shown.load_cert_chain(rendered.state / "pki/platform/api.crt", rendered.state / "pki/platform/api.key")
    server.socket = shown.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.socket.close()


@pytest.fixture
def portal(tmp_path: Path) -> Path:
    """As the build makes it."""
    root = tmp_path / "portal"
    (root / "assets").mkdir(parents=True)
    (root / "assets/page.js").write_bytes(LONG)
    (root / "index.html").write_bytes(LONG[:2000])
    compress(root)
    return root


@pytest.fixture
def gateway(rendered: Rendered, nginx: Path, tmp_path: Path, api: int, portal: Path) -> Iterator[Gateway]:
    pki = rendered.state / "pki/gateway"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    changes: tuple[Change, ...] = (
        (r"worker_processes \d+", "worker_processes 1"),
        (r"server api\.atoll-system\.svc\.[a-z.]+:8000", f"server 127.0.0.1:{api}"),
        (r"(listen) 8443( [^;]+;)", rf"\1 127.0.0.1:{port}\2 listen unix:{tmp_path}/s8443 ssl http2;"),
        (r"listen (8\d+);", rf"listen unix:{tmp_path}/s\1;"),
        (r"/etc/atoll/tls/tls", f"{pki}/portal"),
        (r"/etc/atoll/tls/services_authority", f"{rendered.state}/pki/platform/ca.crt"),
        (r"/usr/share/atoll/portal", str(portal)),
        (r"(?<=rate=)\d+r/s", "100000r/s"),  # a stranger has more than one address
        (r"(?<=burst=)\d+", "100000"),
    )
    with contextlib.ExitStack() as held, started(nginx, configuration(rendered), tmp_path, *changes) as pid:
        streams = said(rendered, r"http2_max_concurrent_streams (\d+);")
        yield Gateway(pid, tmp_path / "s8443", port, held, streams)


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
    assert limit_bytes(rendered) >= most_bytes(rendered) + own_bytes(rendered, gateway, before)


@pytest.mark.parametrize("path", ["/assets/page.js", "/", "/assets/none.js", "/api/v1/openapi.json"])
@pytest.mark.parametrize("window", [0, 100])
def test_requests_of_which_nobody_takes_the_answer_fit_into_the_pod(
    rendered: Rendered, gateway: Gateway, path: str, window: int
) -> None:
    gateway.ask("/", window)
    time.sleep(0.5)
    before = private_bytes(gateway.worker())
    asked = sum(gateway.ask(path, window) for _ in range(CONNECTIONS_ASKING))
    time.sleep(1.5)
    each = (private_bytes(gateway.worker()) - before - CONNECTIONS_ASKING * MOST_BYTES) / asked
    assert each < held_for(path)
    assert limit_bytes(rendered) >= most_bytes(rendered) + own_bytes(rendered, gateway, before)


def test_bodies_that_the_api_does_not_take_yet_fit_into_the_pod(rendered: Rendered, gateway: Gateway) -> None:
    gateway.begin("/api/v1/files")
    time.sleep(1)
    before = private_bytes(gateway.worker())
    begun = sum(gateway.begin("/api/v1/files") for _ in range(CONNECTIONS_ASKING))
    time.sleep(1.5)
    assert (private_bytes(gateway.worker()) - before) / begun < held_for("/api/v1/files")


def test_what_the_kernel_holds_of_an_answer_fits_too_also_for_who_took_it_fast_at_first(
    rendered: Rendered, gateway: Gateway
) -> None:
    """It keeps as much for a connection as that once took at a time, megabytes, and the pod pays for it."""
    ask = b"GET /assets/page.js HTTP/1.1\r\nHost: portal\r\n\r\n"
    one = gateway.come(ask * 50, "http/1.1", "127.0.0.1")
    one.settimeout(20)
    taken = 0
    while taken < 45 * len(LONG):
        taken += len(one.recv(1 << 20))
    one.sendall(ask * 150)
    time.sleep(2)
    assert 0 < max(queues(gateway.port)) <= KERNEL_HOLDS
    connections = said(rendered, r"worker_processes (\d+);") * said(rendered, r"worker_connections (\d+);")
    assert limit_bytes(rendered) >= most_bytes(rendered) + KERNEL_HOLDS * connections


def test_one_address_is_cut_before_all_that_the_gateway_holds_are_its_own(rendered: Rendered, gateway: Gateway) -> None:
    """Its refusals would be held, too: who asks for more has nothing, and all others are answered as before."""
    one_address = said(rendered, r"limit_conn open_of_address (\d+);")
    assert OFFICE <= one_address <= said_crowd(rendered) - 500
    while gateway.asked < one_address:
        gateway.ask("/", 0)
    gateway.until("/", "")
    before = private_bytes(gateway.worker())
    while gateway.asked < most_requests(rendered) + 500:
        gateway.ask("/", 0)
    assert gateway.say("/") == ""
    assert gateway.say("/", "127.0.0.2").startswith("HTTP/1.1 200 ")
    streams = (most_requests(rendered) + 500 - one_address) / gateway.streams
    assert private_bytes(gateway.worker()) - before < streams * MOST_BYTES, "requests that are refused are held"


def test_of_more_requests_than_fit_the_rest_is_refused_and_beyond_that_held_no_longer(
    rendered: Rendered, gateway: Gateway
) -> None:
    one_address = said(rendered, r"limit_conn open_of_address (\d+);")
    while gateway.asked < one_address:
        gateway.ask("/", 0)
    while gateway.asked < said_crowd(rendered):
        gateway.ask("/", 0, "127.0.0.2")
    answer = gateway.until("/", "HTTP/1.1 503 ", "127.0.0.3")
    problem = Problem.model_validate_json(answer.partition("\r\n\r\n")[2])
    told = Crowded()
    assert (problem.code, problem.title, problem.remedy) == ("crowded", told.title, told.remedy)
    deadline = time.monotonic() + 20
    while gateway.say("/", "127.0.0.3"):
        assert time.monotonic() < deadline, "refusals are held without an end"
        for _ in range(20):  # faster than they are given up
            gateway.ask("/", 0, "127.0.0.2")
    before = private_bytes(gateway.worker())
    for _ in range(20):
        gateway.ask("/", 0, "127.0.0.3")
    assert private_bytes(gateway.worker()) - before < 20 * MOST_BYTES


def test_who_says_nothing_is_not_waited_for(rendered: Rendered) -> None:
    text = configuration(rendered)
    for name in ("client_header_timeout", "client_body_timeout", "send_timeout"):
        said_of = re.findall(rf"{name} (\d+)s;", text)
        assert said_of, name
        assert max(map(int, said_of)) <= 20, name
