"""`atoll_verify` on this machine: real sockets, files and certificates; each finding is in words."""

from __future__ import annotations

import datetime as dt
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@pytest.fixture
def asking(module_utility: Callable[[str], ModuleType]) -> ModuleType:
    return module_utility("atoll_verification")


def written_certificate(folder: Path, name: str, days: float) -> tuple[str, str]:
    """Write a certificate that ends in so many days, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=400))
        .not_valid_after(now + dt.timedelta(days=days))
        .sign(key, hashes.SHA256())
    )
    (folder / f"{name}.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return str(folder / f"{name}.crt"), str(folder / f"{name}.key")


def test_certificates_near_their_end_and_with_another_key_are_told(asking: ModuleType, tmp_path: Path) -> None:
    good, good_key = written_certificate(tmp_path, "good", 100.5)
    near, near_key = written_certificate(tmp_path, "near", 3.1)
    over, over_key = written_certificate(tmp_path, "over", -1)
    assert asking.certificate(good, good_key, 14) == []
    assert asking.certificate(near, near_key, 14) == [f"{near} ends in 3 days"]
    assert asking.certificate(over, over_key, 14) == [f"{over} has ended"]
    assert "are not a certificate and its key" in asking.certificate(good, near_key, 14)[0]
    assert "No such file" in asking.certificate(str(tmp_path / "none.crt"), good_key, 14)[0]


class Registry(BaseHTTPRequestHandler):
    """As much of a registry as is asked: read-only or not."""

    read_only = False
    begun: list[str] = []  # noqa: RUF012 - one server per test
    metrics = ""

    def do_GET(self) -> None:
        told = self.metrics.encode() if self.path == "/metrics" else b""
        self.send_response(200 if self.path in ("/v2/", "/metrics") else 404)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def do_POST(self) -> None:
        self.send_response(405 if self.read_only else 202)
        self.begun.append("/v2/verify/blobs/uploads/1")
        self.send_header("Location", f"http://registry{self.begun[-1]}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_DELETE(self) -> None:
        self.begun.remove(self.path)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def registry() -> Iterator[int]:
    Registry.protocol_version = "HTTP/1.1"
    Registry.read_only, Registry.begun, Registry.metrics = False, [], ""
    server = HTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def url(port: int, **more: Any) -> dict[str, Any]:
    names = ("name", "ca", "trust", "certificate", "key", "upload")
    return {"what": "the registry", "host": "127.0.0.1", "port": port, "path": "/v2/", **dict.fromkeys(names), **more}


def test_a_server_is_asked_whether_it_takes_uploads_and_keeps_none(asking: ModuleType, registry: int) -> None:
    assert asking.url(url(registry, upload="verify"), 14) == []
    assert Registry.begun == []
    assert "answers /none with 404" in asking.url(url(registry, path="/none"), 14)[0]
    Registry.read_only = True
    assert "takes no images: it answers 405" in asking.url(url(registry, upload="verify"), 14)[0]


STORE = {"what": "etcd", "used": "etcd_mvcc_db_total_size_in_bytes", "most": "etcd_server_quota_backend_bytes"}


@pytest.mark.parametrize(
    ("used", "told"),
    [("1.073741e+09", ""), ("1.073741824e+09", "etcd (127.0.0.1:{}) holds 1024 MiB of the 2048 MiB that it may")],
    ids=["less than half", "half"],
)
def test_a_store_that_is_half_full_is_told(asking: ModuleType, registry: int, used: str, told: str) -> None:
    Registry.metrics = (
        f'# HELP {STORE["used"]} 7\n{STORE["used"]} {used}\nx{{a="b"}} 9\n{STORE["most"]} 2.147483648e+09\n'
    )
    found = asking.store({**STORE, "port": registry})
    assert [words.startswith(told.format(registry)) for words in found] == ([True] if told else []), found


def test_a_store_that_does_not_tell_how_full_it_is_is_told(asking: ModuleType, registry: int) -> None:
    assert asking.store({**STORE, "port": registry})[0].endswith(f"does not tell {STORE['used']} and {STORE['most']}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert "does not tell how full it is" in asking.store({**STORE, "port": free.getsockname()[1]})[0]


def test_what_does_not_listen_is_told(asking: ModuleType) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        assert "the registry (127.0.0.1:" in asking.url(url(port), 14)[0]
        assert asking.port(port, "the scheduler")[0].startswith(f"the scheduler does not listen on port {port}")
        free.listen()
        assert asking.port(port, "the scheduler") == []


def test_what_must_not_be_answered_is_told_when_it_is(asking: ModuleType, registry: int) -> None:
    assert asking.url(url(registry, path="/version", status=404), 14) == []
    assert "answers /v2/ with 200" in asking.url(url(registry, status=401), 14)[0]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("", "admits what it must refuse (level)"),
        ("denied request: another level", None),
        ("no connection", "for another reason: no connection"),
    ],
)
def test_what_must_be_refused_is_told_when_it_is_admitted(
    asking: ModuleType, monkeypatch: pytest.MonkeyPatch, said: str, told: str | None
) -> None:
    def kubectl(*_: str, **__: object) -> str:
        if said:
            raise asking.NodeError(said)
        return ""

    monkeypatch.setattr(asking.cluster, "kubectl", kubectl)
    found = asking.refusal("level", "kind: Namespace")
    assert found == [] if told is None else told in found[0]


def test_what_is_not_mounted_is_told(asking: ModuleType, tmp_path: Path) -> None:
    assert asking.mount(str(tmp_path)) == [f"nothing is mounted at {tmp_path}"]


def test_a_setting_of_the_kernel_that_is_another_is_told(asking: ModuleType) -> None:
    assert asking.sysctls({"kernel.ostype": "Linux"}) == []
    assert asking.sysctls({"kernel.ostype": "Minix", "kernel.none": 1}) == [
        "the kernel's kernel.ostype is Linux, not Minix",
        "the kernel's kernel.none is not there, not 1",
    ]


def api(said: dict[str, Any], monkeypatch: pytest.MonkeyPatch, asking: ModuleType) -> None:
    monkeypatch.setattr(asking, "asked_for", lambda *_: said)


@pytest.mark.parametrize(
    ("spec", "status", "told"),
    [
        ({"replicas": 1}, {"readyReplicas": 1, "updatedReplicas": 1, "observedGeneration": 2}, None),
        ({"replicas": 0}, {"observedGeneration": 2}, "is scaled to 0"),
        ({"replicas": 2}, {"readyReplicas": 1, "updatedReplicas": 2, "observedGeneration": 2}, "has 1 of 2 pods ready"),
        ({"replicas": 1}, {"readyReplicas": 1, "updatedReplicas": 0, "observedGeneration": 2}, "0 up to date"),
    ],
)
def test_a_workload_that_is_not_complete_is_told(
    asking: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    spec: dict[str, Any],
    status: dict[str, Any],
    told: str | None,
) -> None:
    answers(monkeypatch, asking, {"metadata": {"generation": 2}, "spec": spec, "status": status})
    found = asking.rollout("Deployment atoll-system/api", [])
    assert (found == []) if told is None else told in found[0]


def answers(monkeypatch: pytest.MonkeyPatch, asking: ModuleType, workload: dict[str, Any], **lists: list[Any]) -> None:
    """Let the API server answer with one workload, and with lists by kind."""

    def asked_for(*words: str) -> dict[str, Any]:
        what = words[words.index("get") + 1]
        return workload if "/" in what else {"items": lists.get(what, [])}

    monkeypatch.setattr(asking, "asked_for", asked_for)


def a_node(name: str, ready: bool = True, **labels: str) -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": "True" if ready else "Unknown"}]
    return {"metadata": {"name": name, "labels": labels}, "status": {"conditions": conditions}}


def a_pod(node: str | None, ready: bool = True, revision: str = "new", **selector: str) -> dict[str, Any]:
    conditions = [{"type": "Ready", "status": str(ready)}]
    if node is None:
        conditions.append({"type": "PodScheduled", "status": "False", "reason": "Unschedulable"})
    return {
        "metadata": {"name": f"pod-{node}", "labels": {"controller-revision-hash": revision}},
        "spec": {"nodeName": node, "nodeSelector": selector},
        "status": {"conditions": conditions},
    }


REVISIONS = [
    {"revision": number, "metadata": {"labels": {"controller-revision-hash": name}}}
    for number, name in ((9, "old"), (10, "new"))
]


@pytest.mark.parametrize(
    ("pods", "updated", "told"),
    [
        ([a_pod("a"), a_pod("b"), a_pod("away", False)], 3, False),
        ([a_pod("a"), a_pod("b")], 2, False),  # the node is away for so long that its pod is gone
        ([a_pod("a"), a_pod("b"), a_pod("away", False, "old")], 2, False),
        # As many as nodes are away, and elsewhere.
        ([a_pod("a"), a_pod("b", False), a_pod("away")], 3, True),
        ([a_pod("a"), a_pod("b", False), a_pod("away", False)], 3, True),
        ([a_pod("a"), a_pod("away", False)], 2, True),
        ([a_pod("a"), a_pod("b", revision="old"), a_pod("away", False)], 2, True),
    ],
)
@pytest.mark.parametrize("left_out", [False, True])
def test_of_a_daemon_set_only_what_is_on_nodes_that_are_away_or_left_out_is_forgiven(
    asking: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    pods: list[dict[str, Any]],
    updated: int,
    told: bool,
    left_out: bool,
) -> None:
    ready = sum(pod["status"]["conditions"][0]["status"] == "True" for pod in pods)
    status = {
        "desiredNumberScheduled": 3, "numberReady": ready, "updatedNumberScheduled": updated, "observedGeneration": 1,
    }  # fmt: skip
    answers(
        monkeypatch,
        asking,
        {"metadata": {"generation": 1}, "spec": {"selector": {"matchLabels": {"app": "x"}}}, "status": status},
        nodes=[a_node("a"), a_node("b"), a_node("away", ready=left_out)],
        pods=pods,
        controllerrevisions=REVISIONS,
    )
    found = asking.rollout("DaemonSet atoll-system/gateway", ["away"] if left_out else [])
    assert bool(found) == told
    assert not told or f"has {ready} of 3 pods ready" in found[0]


@pytest.mark.parametrize(
    ("pod", "told"),
    [
        (a_pod(None, False, role="master"), False),
        (a_pod(None, False, role="worker"), True),  # it waits for something else than the node that is away
        (a_pod("away", False, role="master"), True),  # until it is replaced nothing serves
        (a_pod("a", False), True),
        (a_pod(None, False), True),  # it may be anywhere, so it waits for something else
        (a_pod(None, False, disk="fast"), True),  # a node that is there has it too
        (a_pod(None, False, role="none"), True),  # no node ever had that
    ],
)
def test_of_other_workloads_only_a_pod_that_fits_no_node_but_one_that_is_away_is_forgiven(
    asking: ModuleType, monkeypatch: pytest.MonkeyPatch, pod: dict[str, Any], told: bool
) -> None:
    status = {"readyReplicas": 1, "updatedReplicas": 2, "observedGeneration": 1}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "x"}}}
    answers(
        monkeypatch,
        asking,
        {"metadata": {"generation": 1}, "spec": spec, "status": status},
        nodes=[a_node("a", role="worker", disk="fast"), a_node("away", ready=False, role="master", disk="fast")],
        pods=[a_pod("a"), pod],
    )
    assert bool(asking.rollout("Deployment atoll-system/api", [])) == told


def test_nodes_that_are_away_or_offer_too_little_are_told(asking: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def node(name: str, ready: str, **allocatable: str) -> dict[str, Any]:
        conditions = [{"type": "Ready", "status": ready, "message": "kubelet stopped"}]
        status = {"conditions": conditions, "allocatable": allocatable}
        return {"metadata": {"name": name}, "spec": {}, "status": status}

    api({"items": [node("a", "True", gpu="8"), node("b", "Unknown")]}, monkeypatch, asking)
    assert asking.nodes(["a"], {"a": {"gpu": 8}}) == []
    assert asking.nodes(["a", "b"], {}) == ["node b is not ready: kubelet stopped"]
    assert asking.away() == ["b"]
    assert asking.nodes(["c"], {"a": {"gpu": 9}}) == [
        "node c is no member of the cluster",
        "node a offers 8 of 9 gpu",
    ]


def test_a_file_changed_by_hand_is_told(asking: ModuleType, tmp_path: Path) -> None:
    book = {"files": {str(tmp_path / str(number)): {"sha256": "x"} for number in range(9)}}
    assert asking.left(book) == [
        *(f"file {tmp_path}/{number} is gone" for number in range(4)),
        "and 5 more like these",
    ]


def test_the_module_fails_with_all_that_is_broken_in_words(run: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    asked = {"phase": "demo", "mounts": [str(tmp_path)], "sysctls": {"kernel.ostype": "Minix"}, "timeout_s": 0}
    failed = run("atoll_verify", **asked)
    assert failed["broken"] == ["the kernel's kernel.ostype is Linux, not Minix", f"nothing is mounted at {tmp_path}"]
    assert "./atoll apply --every-phase --phase demo" in failed["remedy"]
    assert run("atoll_verify", phase="demo")["broken"] == []
