"""The services among themselves: by TLS, to the one that is meant, or not at all."""

import asyncio
import contextlib
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import httpx
import pytest
from atoll.configuration import ConfigurationError, Control, Services
from atoll.configuration import Prometheus as Measurements
from atoll.control.client import ControlClient
from atoll.engines.base import EngineError
from atoll.engines.kubernetes.client import NODE, KubernetesClient
from atoll.engines.live_log import JobsClient, LiveLogGone
from atoll.homes.client import FilesClient
from atoll.homes.schemas import Owner
from atoll.measurements.prometheus import Prometheus
from atoll.web.errors import Unavailable
from kubernetes.aio.config import incluster_config
from pydantic import ValidationError

import service_ctl
from tests.unit.strangers import SECRET, Somebody, signed

TREE = Path(__file__).parents[4]
SERVED = Path(__file__).with_name("served.py")
Ask = Callable[[int, Path], Awaitable[None]]


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service's certificate, that of another, and one of the same name by another authority."""
    names = {"platform/right": "localhost", "platform/another": "another", "monitoring/server": "localhost"}
    return signed(tmp_path_factory.mktemp("pki"), names)


async def ask_files(port: int, authority: Path) -> None:
    client = FilesClient(f"https://localhost:{port}", SECRET, "/home", authority)
    try:
        async for _ in client.read(Owner(name="ann", uid=10000), "code/main.py"):
            pass
    finally:
        await client.close()


async def ask_jobs(port: int, authority: Path) -> None:
    client = JobsClient(f"https://localhost:{port}", SECRET, authority)
    try:
        async for _ in client.log("1", 0, 0):
            pass
    finally:
        await client.close()


async def ask_prometheus(port: int, authority: Path) -> None:
    client = Prometheus(f"https://localhost:{port}", authority=authority)
    try:
        await client.range(SECRET, 0, 1, step_s=1)
    finally:
        await client.close()


async def ask_control(port: int, authority: Path) -> None:
    own = {"certificate": authority.with_name("right.crt"), "key": authority.with_name("right.key")}
    client = ControlClient(Control(url=f"https://localhost:{port}", ca=authority, **own))
    try:
        await client.restart("api", SECRET)
    finally:
        await client.close()


async def ask_kubernetes(port: int, authority: Path) -> None:
    """As `jobs` does it in its pod, with the token of its account."""
    token = authority.with_name("token")
    token.write_text(SECRET)
    with pytest.MonkeyPatch.context() as pod:
        pod.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(token))
        pod.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(authority))
        pod.setenv("KUBERNETES_SERVICE_HOST", "localhost")
        pod.setenv("KUBERNETES_SERVICE_PORT", str(port))
        client = await KubernetesClient.connect(None)
    try:
        await client.list(NODE)
    finally:
        await client.close()


async def ask_by_service_ctl(port: int, authority: Path) -> None:
    own = {"certificate": authority.with_name("right.crt"), "key": authority.with_name("right.key")}
    control = service_ctl.Control({"urls": [f"https://localhost:{port}"], "ca": authority, **own})
    await asyncio.to_thread(control.get, f"/services/{SECRET}")


ASKING = pytest.mark.parametrize(
    "ask", [ask_files, ask_jobs, ask_prometheus, ask_control, ask_kubernetes, ask_by_service_ctl]
)


@ASKING
async def test_a_sibling_is_asked(pki: Path, ask: Ask) -> None:
    # It answers like no Prometheus.
    with Somebody.at_work(pki / "platform/right.crt") as right, contextlib.suppress(Unavailable):
        await ask(right.port, pki / "platform/ca.crt")
    assert SECRET.encode() in right.heard


@ASKING
@pytest.mark.parametrize(
    ("shown", "newest"),
    [
        ("monitoring/server", None),
        ("platform/another", None),
        ("platform/right", ssl.TLSVersion.TLSv1_2),
        (None, None),
    ],
    ids=["of another authority", "another service", "by an older TLS", "in clear"],
)
async def test_who_is_not_the_sibling_is_told_nothing(
    pki: Path, ask: Ask, shown: str | None, newest: ssl.TLSVersion | None
) -> None:
    person = Somebody.at_work(pki / f"{shown}.crt" if shown else None, newest)
    with person as stranger:
        refused = False
        try:
            await ask(stranger.port, pki / "platform/ca.crt")
        except (Unavailable, LiveLogGone, EngineError, service_ctl.Failure):
            refused = True
    assert refused, "a stranger was taken for a sibling"
    assert SECRET.encode() not in stranger.heard


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ("http://files.atoll-system:8002", "`files`: a service on a network is asked by https alone"),
        ("https://files.atoll-system:8002", "`files` is asked by TLS: name the `authority`"),
    ],
)
def test_no_sibling_on_a_network_is_asked_without_tls(files: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Services.model_validate({"files": files, "jobs": "http://127.0.0.1:1"})


def test_measurements_on_a_network_are_not_asked_for_without_tls() -> None:
    with pytest.raises(ValidationError, match="asked by https alone"):
        Measurements.model_validate({"url": "http://prometheus.atoll-monitoring:9090"})


def test_an_authority_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.crt: cannot read this authority"):
        JobsClient("https://localhost:1", SECRET, tmp_path / "nowhere.crt")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1"])
def test_nothing_is_served_on_a_network_in_clear(host: str) -> None:
    program = "from fastapi import FastAPI; from atoll.web.internal import serve; "
    program += f"serve(FastAPI(), host={host!r}, port=0, tls=None)"
    given = {key: value for key, value in os.environ.items() if key != "ATOLL_SOCKET"}
    given["PYTHONPATH"] = str(TREE / "platform")
    try:
        ended = subprocess.run([sys.executable, "-c", program], env=given, capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        pytest.fail("it serves in clear")
    assert ended.returncode == 1
    assert ended.stderr == f"{host}: nothing is served on a network in clear: name a certificate and its key in `tls`\n"


@pytest.fixture
def service(tmp_path: Path, pki: Path) -> Iterator[int]:
    """The port of a service with a certificate."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as door:
        port: int = door.getsockname()[1]
        given = {"PYTHONPATH": str(TREE / "platform"), "ATOLL_SOCKET": str(door.fileno())}
        process = subprocess.Popen(
            [sys.executable, SERVED, tmp_path / "book"],
            env={**os.environ, **given, "SERVED_CERTIFICATE": str(pki / "platform/right")},
            pass_fds=(door.fileno(),),
            stderr=subprocess.DEVNULL,
        )
    yield port
    process.kill()
    process.wait()


def test_a_service_with_a_certificate_speaks_nothing_else_than_the_latest_tls(service: int, pki: Path) -> None:
    trusts = ssl.create_default_context(cafile=str(pki / "platform/ca.crt"))
    with httpx.Client(verify=trusts) as client:
        assert client.get(f"https://localhost:{service}/healthz", timeout=30).status_code == 200
    trusts.maximum_version = ssl.TLSVersion.TLSv1_2
    with httpx.Client(verify=trusts) as client, pytest.raises(httpx.ConnectError):
        client.get(f"https://localhost:{service}/healthz")
    with httpx.Client() as client, pytest.raises(httpx.HTTPError):
        client.get(f"http://localhost:{service}/healthz")


def test_a_certificate_that_is_not_there_is_named(tmp_path: Path) -> None:
    given = {**os.environ, "PYTHONPATH": str(TREE / "platform"), "SERVED_CERTIFICATE": str(tmp_path / "nowhere")}
    argv = [sys.executable, str(SERVED), str(tmp_path / "book")]
    ended = subprocess.run(argv, env=given, capture_output=True, text=True, timeout=20)
    assert ended.returncode == 1
    assert "nowhere.crt" in ended.stderr.splitlines()[-1]
    assert "Traceback" not in ended.stderr
