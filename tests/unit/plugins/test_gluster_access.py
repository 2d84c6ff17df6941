"""Whom the servers of a volume listen to, asked of real servers on this machine. Needs nothing."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.unit.strangers import signed

HOST = "127.0.0.1"
Answer = Callable[[socket.socket], None]


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of two servers of the volume, and one of another service of the cluster."""
    names = ("storage/nodes/storage1", "storage/nodes/worker1", "registry/nodes/storage1")
    return signed(tmp_path_factory.mktemp("pki"), dict.fromkeys(names, HOST))


@pytest.fixture
def access(module_utility: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = module_utility("atoll_gluster_access")
    # Where a test wants silence, waiting longer changes nothing; who hangs up has all the time.
    monkeypatch.setattr(module, "HANGS_UP_S", 20)
    monkeypatch.setattr(module, "ANSWER_S", 20)
    return module


@pytest.fixture
def identity(pki: Path) -> tuple[str, ...]:
    """The one that asks."""
    node = pki / "storage/nodes/worker1"
    return f"{node}.crt", f"{node}.key", str(pki / "storage/issuer.crt")


@contextlib.contextmanager
def server(answer: Answer) -> Iterator[int]:
    """Serve connections one after the other, each until its other end is gone; the port."""
    with socket.create_server((HOST, 0)) as door:

        def serve() -> None:
            while True:
                try:
                    one, _ = door.accept()
                except OSError:
                    return
                with one, contextlib.suppress(OSError):
                    one.settimeout(20)
                    answer(one)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield door.getsockname()[1]
        finally:
            door.shutdown(socket.SHUT_RDWR)
            thread.join()


def tls(pki: Path, judge: Callable[[ssl.SSLSocket], bool], name: str = "storage/nodes/storage1") -> Answer:
    """GlusterFS's way: the handshake is made with everybody, and then who shows what is judged."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pki / f"{name}.crt", pki / f"{name}.key")
    context.load_verify_locations(pki / "storage/issuer.crt")
    context.verify_mode = ssl.CERT_OPTIONAL

    def answer(one: socket.socket) -> None:
        with context.wrap_socket(one, server_side=True) as stream:
            if judge(stream):
                stream.recv(1)

    return answer


def shows_a_certificate(stream: ssl.SSLSocket) -> bool:
    return stream.getpeercert() is not None


def everybody(_: ssl.SSLSocket) -> bool:
    return True


def found(access: ModuleType, identity: tuple[str, ...], port: int, serves: bool = True) -> list[str]:
    """What is said of a brick at a port; glusterd is left out."""
    said: list[str] = access.open_to_strangers([], [(HOST, "/srv/brick", str(port), serves)], identity)
    return [one.replace(str(port), "PORT") for one in said]


NO_TLS = f"the brick at {HOST}:PORT does not speak TLS with this node"
OPEN = f"the brick at {HOST}:PORT takes connections without a certificate"


def test_a_server_that_hangs_up_on_who_shows_no_certificate_is_as_it_should_be(
    access: ModuleType, identity: tuple[str, ...], pki: Path
) -> None:
    with server(tls(pki, shows_a_certificate)) as port:
        assert access.listens(HOST, port, identity, known=True)
        assert not access.listens(HOST, port, identity, known=False), "who was hung up on counts as let in"
        assert found(access, identity, port) == []


def test_a_server_that_lets_everybody_stay_is_told(
    access: ModuleType, identity: tuple[str, ...], pki: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "HANGS_UP_S", 0.2)
    with server(tls(pki, everybody)) as port:
        assert found(access, identity, port) == [OPEN], "a server that takes strangers is not told"


def plain(one: socket.socket) -> None:
    """What expects another protocol hangs up on a handshake."""
    one.recv(65536)
    one.sendall(b"what?\n")


def test_a_server_without_tls_is_told(access: ModuleType, identity: tuple[str, ...]) -> None:
    with server(plain) as port:
        assert found(access, identity, port) == [NO_TLS], "a server without TLS is not told"


def silent(one: socket.socket) -> None:
    while one.recv(65536):
        pass


def test_a_server_that_says_nothing_does_not_speak_tls(
    access: ModuleType, identity: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So does a firewall that drops what comes: nobody has taken the connection of a stranger there."""
    monkeypatch.setattr(access, "ANSWER_S", 0.2)
    with server(silent) as port:
        assert found(access, identity, port) == [NO_TLS], "silence counts as an answer"


def test_a_server_with_a_certificate_of_another_authority_is_told(
    access: ModuleType, identity: tuple[str, ...], pki: Path
) -> None:
    with server(tls(pki, shows_a_certificate, "registry/nodes/storage1")) as port:
        assert found(access, identity, port) == [NO_TLS], "whoever took a server's place is believed"


def test_where_nobody_listens_that_is_told_of_glusterd_and_of_each_brick_that_should_serve(
    access: ModuleType, identity: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:  # bound, so that nobody else gets it, and not listening
        taken.bind((HOST, 0))
        port = taken.getsockname()[1]
        monkeypatch.setattr(access, "MANAGEMENT_PORT", port)
        assert not access.listens(HOST, port, identity, known=True)
        assert found(access, identity, port) == [NO_TLS]
        assert found(access, identity, port, serves=False) == [], "a brick that does not serve is told by others"
        (said,) = access.open_to_strangers([HOST], [], identity)
        assert said == f"glusterd at {HOST}:{port} does not speak TLS with this node", "glusterd is not asked"
