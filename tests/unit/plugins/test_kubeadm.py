"""kubeadm, run by our module against a kubeadm of a few lines. Needs nothing."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


@pytest.fixture
def kubeadm(plugin: Any, programs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A node where `kubeadm init` was begun; its authority, and etcd with a half-done member. Returns the log."""
    module = plugin("modules", "atoll_kubeadm")
    root, etcd = tmp_path / "kubernetes", tmp_path / "etcd"
    (root / "pki").mkdir(parents=True)
    (root / "pki" / "ca.key").write_text("authority")
    (root / "admin.conf").write_text("made before it was killed")
    (etcd / "member").mkdir(parents=True)
    monkeypatch.setattr(module, "ROOT", str(root))
    monkeypatch.setattr(module.state_of, "__defaults__", (str(root),))
    monkeypatch.setattr(module.clean, "__defaults__", ((str(etcd),),))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "kubeadm.json").write_text('{"verb": "init", "state": "running"}')
    programs("systemctl", "true")
    log: Path = programs("kubeadm", f'[ "$1" = reset ] && rm -r {root}/* || echo made > {root}/admin.conf')
    return log


def test_an_init_that_was_killed_is_cleaned_up_and_made_again(run: Any, kubeadm: Path, tmp_path: Path) -> None:
    wanted = {"verb": "init", "config": "/c.yaml", "keep": [str(tmp_path / "kubernetes" / "pki" / "ca.key")]}
    first = run("atoll_kubeadm", **wanted)
    assert (first["changed"], first["cleaned"]) == (True, True)
    said = [line.split()[1] for line in kubeadm.read_text().splitlines() if line.startswith("kubeadm")]
    assert said == ["reset", "init"]
    assert list((tmp_path / "etcd").iterdir()) == []
    assert (tmp_path / "kubernetes" / "pki" / "ca.key").read_text() == "authority"
    assert json.loads((tmp_path / "state" / "kubeadm.json").read_text())["state"] == "done"
    assert not run("atoll_kubeadm", **wanted)["changed"]


def test_a_member_that_the_cluster_lost_registers_again_and_its_kubelet_makes_the_node(
    run: Any, plugin: Any, programs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = plugin("modules", "atoll_kubeadm")
    root, there = tmp_path / "kubernetes", tmp_path / "registered"
    root.mkdir()
    (root / "kubelet.conf").write_text("of a member")
    monkeypatch.setattr(module, "ROOT", str(root))
    monkeypatch.setattr(module.state_of, "__defaults__", (str(root),))
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "kubeadm.json").write_text('{"verb": "join", "state": "done"}')
    network = tmp_path / "net.d"
    network.mkdir()
    (network / "10-kube-router.conflist").write_text("the old addresses")
    monkeypatch.setattr(module, "NETWORKS", (str(network), str(tmp_path / "none")))
    links = programs("ip", '[ "$2" = delete ] || echo "4: kube-bridge: <UP>"')
    name = f"router{os.getpid()}"[:15]
    (tmp_path / name).symlink_to("/bin/sleep")
    router = subprocess.Popen([tmp_path / name, "600"])
    monkeypatch.setattr(module, "ROUTER", name)
    programs("kubectl", f"cat {there} 2>/dev/null; true")
    restarts = programs("systemctl", f'[ "$1" = stop ] || echo node/worker1 > {there}')
    wanted = {"verb": "join", "config": "/c.yaml", "node": "worker1"}
    rehearsed = run("atoll_kubeadm", check=True, **wanted)
    assert (rehearsed["changed"], there.exists()) == (True, False)
    first = run("atoll_kubeadm", **wanted)
    assert (first["changed"], first["registered"]) == (True, True)
    assert "start kubelet.service" in restarts.read_text()
    assert list(network.iterdir()) == []
    assert router.wait(timeout=10) == -signal.SIGKILL
    assert "ip link delete kube-bridge" in links.read_text()
    again = run("atoll_kubeadm", **wanted)
    assert (again["changed"], again["registered"]) == (False, False)


@pytest.mark.parametrize(("marker", "seen"), [("done", "v1.36.3"), ("running", ""), (None, "")])
def test_the_probe_tells_the_kubernetes_of_a_finished_control_plane(
    run: Any, plugin: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marker: str | None, seen: str
) -> None:
    probe = plugin("modules", "atoll_probe")
    manifest = tmp_path / "kube-apiserver.yaml"
    manifest.write_text(
        "spec:\n  containers:\n  - image: registry.k8s.io/kube-apiserver:v1.36.3\n    name: kube-apiserver\n"
    )
    monkeypatch.setattr(probe.kubernetes, "__defaults__", (str(manifest),))
    (tmp_path / "state").mkdir()
    if marker:
        (tmp_path / "state" / "kubeadm.json").write_text(json.dumps({"verb": "init", "state": marker}))
    assert run("atoll_probe", objects=False)["kubernetes"] == seen
    manifest.unlink()
    assert run("atoll_probe", objects=False)["kubernetes"] == ""


def certificate(days: int) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kube-apiserver")])
    begin = datetime(2026, 11, 21, tzinfo=UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(begin).not_valid_after(begin + timedelta(days=days))
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def test_the_probe_tells_when_the_first_certificate_of_kubeadm_ends(plugin: Any, tmp_path: Path) -> None:
    ends = plugin("modules", "atoll_probe").certificates_end
    assert ends(str(tmp_path)) == ""
    (tmp_path / "pki" / "etcd").mkdir(parents=True)
    (tmp_path / "pki" / "ca.crt").write_bytes(certificate(1))
    assert ends(str(tmp_path)) == "", "authorities are not kubeadm's"
    (tmp_path / "pki" / "apiserver.crt").write_bytes(certificate(30))
    assert ends(str(tmp_path)) == "2026-12-21"
    (tmp_path / "pki" / "etcd" / "peer.crt").write_bytes(certificate(20))
    assert ends(str(tmp_path)) == "2026-12-11"
    embedded = base64.b64encode(certificate(10)).decode()
    (tmp_path / "admin.conf").write_text(f"users:\n- user:\n    client-certificate-data: {embedded}\n")
    assert ends(str(tmp_path)) == "2026-12-01"
