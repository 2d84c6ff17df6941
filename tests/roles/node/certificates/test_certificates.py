"""Certificates on the node and on the control host: who signed them, for what, for whom and how long."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID
from cryptography.x509.verification import PolicyBuilder, Store

HERE = "/etc/atoll/pki"
DOMAINS = ("", ".svc", ".svc.cluster.local")
# Each certificate for a server, by the authority that those who ask trust, with all its names.
SERVERS = [
    ("registry/servers/node1", "", {"registry.atoll.internal", "localhost", "127.0.0.1", "node1", "10.81.0.11"}),
    ("gateway/portal", "", {"node1", "10.81.0.11"}),
    (
        "webhooks/kueue",
        "",
        {
            f"kueue-{name}.kueue-system.svc{domain}"
            for name in ("webhook-service", "visibility-server")
            for domain in ("", ".cluster.local")
        },
    ),
    ("kubernetes/kubelets/node1", "kubernetes", {"node1", "10.81.0.11"}),
    ("monitoring/node-exporter", "monitoring", {"node-exporter"}),
    (
        "monitoring/measurements",
        "monitoring",
        {f"prometheus.atoll-monitoring{domain}" for domain in DOMAINS} | {"localhost"},
    ),
    (
        "database/server",
        "database",
        {f"database.atoll-system{domain}" for domain in DOMAINS},
    ),
    *(
        (f"platform/{service}", "platform", {f"{service}.atoll-system{domain}" for domain in DOMAINS} | {"platform"})
        for service in ("api", "jobs", "files")
    ),
    ("control/servers/node1", "control", {"localhost", "127.0.0.1", "node1", "10.81.0.11"}),
]
CLIENTS = [
    "registry/client",
    "registry/nodes/node1",
    "control/administrator",
    "monitoring/prometheus",
    "kubernetes/administrator",
]


def name_of(name: str) -> x509.DNSName | x509.IPAddress:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def load(file: Path) -> list[x509.Certificate]:
    return x509.load_pem_x509_certificates(file.read_bytes())


@pytest.mark.parametrize(("name", "authority", "names"), SERVERS, ids=[name for name, *_ in SERVERS])
def test_a_server_is_trusted_under_each_of_its_names_and_no_other(
    name: str, authority: str, names: set[str], pki: Path
) -> None:
    leaf, *between = load(pki / f"{name}.crt")
    policy = PolicyBuilder().store(Store([load(pki / authority / "ca.crt")[-1]]))
    seen = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert set(seen) == {name_of(one) for one in names}
    for one in names:
        policy.build_server_verifier(name_of(one)).verify(leaf, between)


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_is_signed_by_its_authority_and_can_not_pose_as_a_server(name: str, pki: Path) -> None:
    leaf = load(pki / f"{name}.crt")[0]
    leaf.verify_directly_issued_by(load(pki / name.partition("/")[0] / "issuer.crt")[0])
    usage = leaf.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]


def test_authorities_below_the_root_are_signed_by_it(pki: Path) -> None:
    (root,) = load(pki / "ca.crt")
    for authority in ("registry", "gateway", "webhooks"):
        load(pki / authority / "issuer.crt")[0].verify_directly_issued_by(root)


def test_every_certificate_ends_in_time_and_is_listed_with_its_owner(pki: Path) -> None:
    listed = {entry["file"]: entry for entry in json.loads((pki / "inventory.json").read_text("utf-8"))}
    files = {str(file.relative_to(pki)): load(file)[0] for file in pki.rglob("*.crt")}
    assert set(listed) == set(files)
    for file, certificate in files.items():
        left = certificate.not_valid_after_utc - datetime.now(UTC)
        authority = Path(file).name in {"ca.crt", "issuer.crt"}
        assert timedelta(days=396) < left < timedelta(days=3651 if authority else 398), file
        assert datetime.fromisoformat(listed[file]["ends"]) == certificate.not_valid_after_utc
        assert listed[file]["owner"], file


def test_no_one_but_their_owner_reads_private_keys_on_the_control_host(pki: Path) -> None:
    keys = list(pki.rglob("*.key"))
    assert len(keys) > len(SERVERS) + len(CLIENTS)
    assert {key.stat().st_mode & 0o777 for key in keys} == {0o600}
    assert pki.stat().st_mode & 0o777 == 0o700


def test_the_node_has_its_own_certificates_and_no_key_of_an_authority(
    host: Any, pki: Path, attributes: Callable[..., list[str]]
) -> None:
    public = {
        "ca.crt": "ca.crt",
        "registry-ca.crt": "registry/ca.crt",
        "kubernetes-ca.crt": "kubernetes/ca.crt",
        "node.crt": "registry/nodes/node1.crt",
        "kubelet.crt": "kubernetes/kubelets/node1.crt",
    }
    assert attributes(HERE, *(f"{HERE}/{name}" for name in public)) == ["755 root:root"] + ["644 root:root"] * 5
    for name, source in public.items():
        assert host.file(f"{HERE}/{name}").content == (pki / source).read_bytes(), name
    assert sorted(host.file(HERE).listdir()) == sorted([*public, "node.key", "kubelet.key"])
    assert host.check_output("find /etc /root /srv /var/lib -xdev -name 'ca.key'") == ""


def test_keys_on_the_node_fit_their_certificates_and_are_only_for_root(
    host: Any, attributes: Callable[..., list[str]]
) -> None:
    assert attributes(f"{HERE}/node.key", f"{HERE}/kubelet.key") == ["600 root:root"] * 2
    for name in ("node", "kubelet"):
        key = load_pem_private_key(host.file(f"{HERE}/{name}.key").content, password=None)
        leaf = x509.load_pem_x509_certificates(host.file(f"{HERE}/{name}.crt").content)[0]
        assert key.public_key() == leaf.public_key(), name


def test_the_kubelet_is_the_node_that_kubernetes_knows_by_its_name(host: Any) -> None:
    leaf = x509.load_pem_x509_certificates(host.file(f"{HERE}/kubelet.crt").content)[0]
    assert leaf.subject.rfc4514_string() == "CN=system:node:node1,O=system:nodes"
