"""The gateway's own nginx with the configuration that it gets, in front of services that are restarted and killed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from atoll.identity.tokens import new_access_token, new_token
from atoll.web.errors import TooMany
from atoll.web.schema import Problem
from atoll.web.told import TooFast

from .conftest import TREE, Rendered
from .gateway import Change, configuration, nginx, started

__all__ = ["nginx"]

# The seconds of the roles, shorter by this: who waits for whom stays as it is.
FASTER = 2
SERVED = TREE / "tests/unit/platform/web/served.py"


def seconds(pattern: str, text: str) -> float:
    (found,) = re.findall(pattern, text)
    return float(found)


def kept_s(rendered: Rendered) -> float:
    """How long the gateway keeps an idle connection to the API."""
    return seconds(r"(?s)upstream api \{.*?keepalive_timeout (\d+)s;.*?\}", configuration(rendered))


def burst(rendered: Rendered) -> int:
    """How many of one session are let through at once."""
    return int(seconds(r"zone=callers burst=(\d+) nodelay;", configuration(rendered)))


def pod(rendered: Rendered, name: str) -> dict[str, Any]:
    spec: dict[str, Any] = rendered.one("Deployment", name)["spec"]["template"]["spec"]
    return spec


def environment(rendered: Rendered, name: str) -> dict[str, str]:
    return {one["name"]: one["value"] for one in pod(rendered, name)["containers"][0]["env"]}


class Process:
    """One pod: `serve` on a socket of its own, with the certificate of the API."""

    def __init__(self, book: Path, drain_s: float, pki: Path) -> None:
        self._authority = pki / "ca.crt"
        with socket.create_server(("127.0.0.1", 0), backlog=128) as door:
            self.port: int = door.getsockname()[1]
            given = {"PYTHONPATH": str(TREE / "platform"), "ATOLL_SOCKET": str(door.fileno())}
            given["SERVED_CERTIFICATE"] = str(pki / "api")
            self.process = subprocess.Popen(
                [sys.executable, SERVED, book],
                env={**os.environ, **given, "ATOLL_DRAIN_S": str(drain_s)},
                pass_fds=(door.fileno(),),
                stderr=subprocess.DEVNULL,
            )

    def ask(self, path: str) -> httpx.Response:
        """Ask itself, past the gateway; until it answers, since its socket listens from the start on."""
        with httpx.Client(verify=ssl.create_default_context(cafile=str(self._authority))) as client:
            name = {"sni_hostname": "api.atoll-system"}
            return client.get(f"https://127.0.0.1:{self.port}{path}", timeout=30, extensions=name)


class Service:
    """An address that leads to pods, as kube-proxy makes it: new connections go to them in turn, dead or alive."""

    def __init__(self, port: int) -> None:
        self.lead_to(port)
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._come, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def lead_to(self, *ports: int) -> None:
        self._ports = itertools.cycle(ports)

    def close(self) -> None:
        def end() -> None:
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            self._server.close()
            self._loop.call_later(0.1, self._loop.stop)

        self._loop.call_soon_threadsafe(end)
        self._thread.join()
        self._loop.close()

    async def _come(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", next(self._ports))
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(_pump(reader, there[1]), _pump(there[0], writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.CancelledError):
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    writer.close()


@dataclass
class Stand:
    """All of it: a gateway, a service, pods."""

    service: Service
    book: Path
    door: Path
    pki: Path
    drain_s: float
    pods: list[Process] = field(default_factory=list)

    def start(self) -> Process:
        self.pods.append(Process(self.book, self.drain_s, self.pki))
        assert self.pods[-1].ask("/readyz").status_code == 200
        return self.pods[-1]

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.HTTPTransport(uds=str(self.door)), base_url="http://portal", timeout=30)


@pytest.fixture
def stand(rendered: Rendered, nginx: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stand]:
    # Clients that ask without pause are faster than the gateway lets one be; a test of that asks for the true rate.
    a_second, of_address = getattr(request, "param", None) or ("100000r/s", "100000r/s")
    drain_s = float(environment(rendered, "api")["ATOLL_DRAIN_S"]) / FASTER
    pki = rendered.state / "pki/platform"
    first = Process(tmp_path / "book", drain_s, pki)
    service = Service(first.port)
    made = Stand(service, tmp_path / "book", tmp_path / "s8443", pki, drain_s, [first])
    changes: tuple[Change, ...] = (
        (r"server api\.atoll-system\.svc\.[a-z.]+:8000", f"server 127.0.0.1:{service.port}"),
        (r"keepalive_timeout (\d+)s;\n  \}", lambda m: f"keepalive_timeout {int(m[1]) * 1000 // FASTER}ms;\n  }}"),
        (r"listen (\d+)(?: ssl http2[^;]*)?;", lambda m: f"listen unix:{tmp_path}/s{m[1]};"),
        (r"  ssl_certificate.*", ""),
        (r"/etc/atoll/tls/services_authority", f"{pki}/ca.crt"),
        (r"(?<=zone=callers:4m rate=)\d+r/s", a_second),
        (r"(?<=zone=addresses:4m rate=)\d+r/s", of_address),
    )
    try:
        with started(nginx, configuration(rendered), tmp_path, *changes):
            assert first.ask("/readyz").status_code == 200
            yield made
    finally:
        for pod in made.pods:
            pod.process.kill()
        for pod in made.pods:
            pod.process.wait()
        service.close()


class Asking:
    """Clients that ask without pause, each on a connection of its own, reads and writes."""

    def __init__(self, stand: Stand, clients: int = 6) -> None:
        self.reads: list[str] = []
        self.writes: dict[str, str] = {}
        self.by: set[int] = set()
        self._stand = stand
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(clients)]

    def __enter__(self) -> Asking:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_of: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        with self._stand.client() as client:
            for count in range(100_000):
                if self._end.is_set():
                    return
                self.reads.append(self._said(client, "GET", None))
                if count % 3 == 0:
                    self.writes[f"{number}-{count}"] = self._said(client, "POST", f"{number}-{count}")

    def _said(self, client: httpx.Client, method: str, body: str | None) -> str:
        try:
            answer = client.request(method, "/api/things", content=body)
        except httpx.HTTPError as error:
            return repr(error)
        if answer.is_success:
            self.by.add(answer.json()["by"])
        return str(answer.status_code)

    def wait(self, reads: int, most_s: float = 30) -> None:
        """Until so many more were answered, or for so long."""
        wanted, deadline = len(self.reads) + reads, time.monotonic() + most_s
        while len(self.reads) < wanted and time.monotonic() < deadline:
            time.sleep(0.01)


@pytest.mark.parametrize("service", ["api", "files", "jobs"])
def test_a_pod_that_is_told_to_end_serves_on_for_longer_than_idle_connections_are_kept(
    rendered: Rendered, service: str
) -> None:
    given = environment(rendered, service)
    drain_s, grace_s = float(given["ATOLL_DRAIN_S"]), float(given["ATOLL_GRACE_S"])
    siblings = seconds(r"keepalive_expiry=(\d+)", (TREE / "platform/atoll/web/siblings.py").read_text())
    assert drain_s >= max(kept_s(rendered), siblings) + 2  # and than it takes until every node knows
    assert pod(rendered, service)["terminationGracePeriodSeconds"] >= drain_s + grace_s + 5
    rolling = rendered.one("Deployment", service)["spec"]["strategy"]["rollingUpdate"]
    assert rolling == {"maxSurge": 1, "maxUnavailable": 0}


def test_a_restart_loses_no_request(stand: Stand) -> None:
    with Asking(stand) as asking:
        asking.wait(200)
        after = stand.start()
        before = stand.pods[0].process
        before.send_signal(signal.SIGTERM)
        asking.wait(50, stand.drain_s / 4)  # nobody has heard of it yet; on a busy machine fewer ask in that time
        stand.service.lead_to(after.port)
        assert before.wait(10) == -signal.SIGTERM
        asking.wait(max(350, 600 - len(asking.reads)))
    assert len(asking.reads) >= 600
    assert asking.by == {pod.process.pid for pod in stand.pods}
    assert set(asking.reads) == {"200"}
    assert set(asking.writes.values()) == {"200"}
    assert sorted(stand.book.read_text().split()) == sorted(asking.writes)


def test_behind_a_killed_process_reads_are_tried_again_and_no_write_is_made_twice(stand: Stand) -> None:
    after = stand.start()
    with Asking(stand, clients=1) as asking:
        asking.wait(30)
        stand.service.lead_to(stand.pods[0].port, after.port)
        stand.pods[0].process.kill()
        asking.wait(100)
    # What had begun to be answered breaks off; nobody can take a status back.
    begun = [said for said in asking.reads if "without sending complete message body" in said]
    assert {said for said in asking.reads if said not in begun} == {"200"}
    assert len(begun) <= 1
    written = stand.book.read_text().split()
    assert len(written) == len(set(written))
    assert {key for key, said in asking.writes.items() if said == "200"} <= set(written)


def test_a_live_view_ends_in_good_order_and_comes_back_to_the_next_process(stand: Stand) -> None:
    with stand.client() as client:
        with client.stream("GET", "/api/stream") as answer:
            lines = answer.iter_lines()
            assert next(lines) == "event: hello"
            after = stand.start()
            stand.pods[0].process.terminate()
            stand.service.lead_to(after.port)
            rest = list(lines)  # raises where the answer breaks off
        assert rest[0] == "data: {}"
        with client.stream("GET", "/api/stream") as answer:
            assert next(answer.iter_lines()) == "event: hello"


def test_a_process_that_is_about_to_end_says_so(stand: Stand) -> None:
    first = stand.pods[0]
    first.process.terminate()
    answer = first.ask("/readyz")
    assert answer.status_code == 503
    assert "about to end" in answer.json()["obstacle"]
    assert answer.headers["connection"] == "close"
    assert first.ask("/healthz").status_code == 200


def session(number: int) -> str:
    """As `tokens.py` makes them: 32 bytes."""
    return f"{number:043}"


def ask(client: httpx.Client, session: str) -> httpx.Response:
    return client.get("/api/things", headers={"Cookie": f"atoll_session={session}"} if session else {})


def by_token(client: httpx.Client, token: str, scheme: str = "Bearer", **more: str) -> httpx.Response:
    return client.get("/api/things", headers={"Authorization": f"{scheme} {token}", **more})


def access_token(number: int) -> str:
    """As `tokens.py` makes them, but for the checksum."""
    return f"atoll_{number:043}000000"


def test_an_access_token_reaches_the_api_as_it_is_shown(stand: Stand) -> None:
    shown = {"Authorization": f"Bearer {new_access_token()}", "X-Forwarded-For": "198.51.100.7"}
    with stand.client() as client:
        answer = client.get("/api/shown", headers=shown).json()
    assert answer["authorization"] == shown["Authorization"]
    assert answer["x-forwarded-for"] != shown["X-Forwarded-For"], "a program chooses the address that is counted"


@pytest.mark.parametrize("stand", [("2r/s", "100000r/s")], indirect=True)
@pytest.mark.parametrize(("scheme", "cookies"), [("Bearer", False), ("bearer ", True)])
def test_an_access_token_has_a_limit_of_its_own(rendered: Rendered, stand: Stand, scheme: str, cookies: bool) -> None:
    """Whatever cookies are sent beside it: the API looks at none of them."""
    assert len(access_token(0)) == len(new_access_token())
    with stand.client() as client:
        numbers = range(10, burst(rendered) + 70)
        beside = [{"Cookie": f"atoll_session={session(number)}"} if cookies else {} for number in numbers]
        answers = [by_token(client, access_token(1), scheme, **more).status_code for more in beside]
        assert set(answers[: burst(rendered)]) == {200}
        assert 429 in answers, "a program may ask as fast as it likes"
        assert by_token(client, access_token(2), scheme).status_code == 200
        assert {ask(client, session).status_code for session in (session(3), "")} == {200}


@pytest.mark.parametrize("stand", [("2r/s", "100000r/s")], indirect=True)
def test_a_browser_that_signed_in_before_is_not_held_up_by_strangers_behind_its_address(
    rendered: Rendered, stand: Stand
) -> None:
    def as_device(number: int, **more: str) -> int:
        cookies = "; ".join(f"{name}={value}" for name, value in more.items())
        shown = f"atoll_session_device={session(number)}" + (f"; {cookies}" if cookies else "")
        return client.get("/api/things", headers={"Cookie": shown}).status_code

    with stand.client() as client:
        strangers = [ask(client, "").status_code for _ in range(burst(rendered) + 60)]
        assert 429 in strangers
        assert as_device(1) == 200, "it is refused for what others ask"
        assert 429 in [as_device(2) for _ in range(burst(rendered) + 60)], (
            "by its device one may ask as fast as one likes"
        )
        assert as_device(2, atoll_session=session(3)) == 200
        assert ask(client, session(3)).status_code == 200


@pytest.mark.parametrize("stand", [("2r/s", "100000r/s")], indirect=True)
@pytest.mark.parametrize("length", [1, 48, 50])
def test_what_can_be_no_access_token_is_none(rendered: Rendered, stand: Stand, length: int) -> None:
    with stand.client() as client:
        tokens = ["atoll_" + f"{number:0{length}}"[-length:] for number in range(burst(rendered) + 60)]
        answers = {by_token(client, token).status_code for token in tokens}
        assert 429 in answers, "each is counted on its own"
        assert by_token(client, access_token(0)).status_code == 200


@pytest.mark.parametrize("stand", [("2r/s", "100000r/s")], indirect=True)
@pytest.mark.parametrize("length", [1, 42, 44, 200])
def test_what_can_be_no_session_is_none(rendered: Rendered, stand: Stand, length: int) -> None:
    """Its state in the zone would have another size: those of true sessions find no room where many such are."""
    assert len(new_token()) == len(session(0))
    with stand.client() as client:
        answers = {ask(client, f"{number:0{length}}"[-length:]).status_code for number in range(burst(rendered) + 60)}
        assert 429 in answers, "each is counted on its own"
        assert ask(client, session(0)).status_code == 200


@pytest.mark.parametrize("stand", [("100000r/s", "1r/m")], indirect=True)
def test_who_makes_sessions_up_is_refused_by_the_address(rendered: Rendered, stand: Stand) -> None:
    most = int(seconds(r"zone=addresses burst=(\d+) nodelay;", configuration(rendered)))
    with stand.client() as client:
        made_up = ({"Cookie": f"atoll_session={session(number)}"} for number in range(most + 60))
        answers = [client.get("/api/things", headers=headers).status_code for headers in made_up]
    assert set(answers[:most]) == {200}
    assert 429 in answers, "as many sessions as are made up are let through"


@pytest.mark.parametrize("stand", [("2r/s", "100000r/s")], indirect=True)
def test_a_session_that_asks_too_fast_is_refused_by_the_gateway_and_no_other(rendered: Rendered, stand: Stand) -> None:
    with stand.client() as client:
        answers = [ask(client, session(1)) for _ in range(burst(rendered) + 60)]
        refused = next(answer for answer in answers if answer.status_code == 429)
        assert {answer.status_code for answer in answers[: burst(rendered)]} == {200}
        assert {ask(client, session).status_code for session in (session(2), "")} == {200}
        problem = Problem.model_validate(refused.json())
        error = TooMany(TooFast(a_second=problem.params["a_second"]))
        told = error.problem
        assert (problem.code, problem.title, problem.remedy) == (told.code, told.title, told.remedy)
        assert problem.detail == error.detail
        assert problem.request_id
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert int(refused.headers["Retry-After"]) > 0
