"""The connection to the API server, with the certificates of a kubeconfig. Needs nothing."""

import base64
import ssl
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from installer.services.kubernetes_api import KubernetesApi, KubernetesUnavailable
from installer.services.stop import Stop
from tests.unit.control.conftest import Authority


class Handler(BaseHTTPRequestHandler):
    """Answers every question with an empty list."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "12")
        self.end_headers()
        self.wfile.write(b'{"items":[]}')

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Iterator[Path]:
    """A server that wants a certificate of its authority, and the configuration of who has one."""
    authority = Authority(tmp_path, "kubernetes")
    trust = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=str(authority.file))
    trust.verify_mode = ssl.CERT_REQUIRED
    trust.load_cert_chain(*authority.issue("server"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = trust.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    certificate, key = authority.issue("administrator")
    yield _write(tmp_path / "admin.conf", server.server_address[1], authority.file, certificate, key)
    server.shutdown()
    thread.join()
    server.server_close()


def _write(place: Path, port: int, authority: Path, certificate: Path, key: Path) -> Path:
    def packed(file: Path) -> str:
        return base64.b64encode(file.read_bytes()).decode()

    cluster = {"server": f"https://127.0.0.1:{port}", "certificate-authority-data": packed(authority)}
    user = {"client-certificate-data": packed(certificate), "client-key-data": packed(key)}
    content = {
        "clusters": [{"name": "other", "cluster": {}}, {"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    place.write_text(yaml.safe_dump(content))
    return place


def test_the_administrators_key_is_written_nowhere_however_many_connect_at_once(
    kubeconfig: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(drafts))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: KubernetesApi(kubeconfig).nodes(), range(8)))

    assert answers == [[]] * 8
    assert list(drafts.iterdir()) == []


def test_a_proxy_for_the_internet_is_not_asked_for_the_cluster(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("https_proxy", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    assert KubernetesApi(kubeconfig).nodes() == []


def _server_of(kubeconfig: Path) -> str:
    return str(yaml.safe_load(kubeconfig.read_text())["clusters"][1]["cluster"]["server"])


def test_where_one_master_is_away_the_next_is_asked_and_from_then_on_first(kubeconfig: Path) -> None:
    away, there = "https://127.0.0.1:1", _server_of(kubeconfig)
    api = KubernetesApi(kubeconfig, [away, there])

    assert api.nodes() == []
    assert api.servers == (there, away)


def test_masters_that_are_all_away_are_named_each(kubeconfig: Path) -> None:
    api = KubernetesApi(kubeconfig, ["https://127.0.0.1:1", "https://127.0.0.1:2"])

    with pytest.raises(KubernetesUnavailable) as caught:
        api.nodes()

    refused = "[Errno 111] Connection refused"
    assert caught.value.message == (
        "the API server does not answer (127.0.0.1:1: Failed to establish a new connection: "
        f"{refused}; 127.0.0.1:2: Failed to establish a new connection: {refused})"
    )


def test_a_server_that_took_the_request_is_not_passed_over(kubeconfig: Path, tmp_path: Path) -> None:
    other = Authority(tmp_path, "other").file.read_bytes()
    content = yaml.safe_load(kubeconfig.read_text())
    content["clusters"][1]["cluster"]["certificate-authority-data"] = base64.b64encode(other).decode()
    kubeconfig.write_text(yaml.safe_dump(content))

    with pytest.raises(KubernetesUnavailable, match="CERTIFICATE_VERIFY_FAILED") as caught:
        KubernetesApi(kubeconfig, [_server_of(kubeconfig), "https://127.0.0.1:1"]).nodes()

    assert "127.0.0.1:1:" not in str(caught.value)


def test_a_server_of_another_authority_is_not_believed(kubeconfig: Path, tmp_path: Path) -> None:
    content = yaml.safe_load(kubeconfig.read_text())
    other = Authority(tmp_path, "other").file.read_bytes()
    content["clusters"][1]["cluster"]["certificate-authority-data"] = base64.b64encode(other).decode()
    kubeconfig.write_text(yaml.safe_dump(content))

    with pytest.raises(KubernetesUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
        KubernetesApi(kubeconfig).nodes()


@pytest.mark.parametrize("text", ["", "[]", "clusters: {}", "current-context: x\ncontexts: []", "a: b: c"])
def test_a_kubeconfig_that_says_nothing_of_use_is_named(text: str, tmp_path: Path) -> None:
    place = tmp_path / "admin.conf"
    place.write_text(text)

    with pytest.raises(KubernetesUnavailable, match=r"admin\.conf cannot be used"):
        KubernetesApi(place).nodes()


def test_a_kubeconfig_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(KubernetesUnavailable, match=r"admin\.conf"):
        KubernetesApi(tmp_path / "admin.conf").nodes()


def test_to_stop_a_log_that_has_ended_by_itself_is_no_mistake(kubeconfig: Path) -> None:
    api, stop, ended = KubernetesApi(kubeconfig), Stop(), []
    assert [*api.log("atoll-platform", "api-0", "api", 10, stop)] == ['{"items":[]}']
    followed = api.log("atoll-platform", "api-1", "api", 10, stop)
    next(followed)
    followed.close()
    stop.add(lambda: ended.append("the one after it"))
    stop.set()
    assert ended == ["the one after it"]
