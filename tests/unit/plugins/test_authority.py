"""Authorities and certificates. Needs nothing."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

from installer.cluster import TREE


@pytest.fixture
def pki(module_utility: Any, tmp_path: Path) -> Any:
    """Return a function that opens the same directory of certificates anew."""
    authority = module_utility("atoll_authority")
    return lambda dry=False: authority.Pki(tmp_path, "demo", dry=dry)


def certificates(file: Path) -> list[x509.Certificate]:
    return x509.load_pem_x509_certificates(file.read_bytes())


def check_server(folder: Path, trusted: str, name: str, host: str) -> None:
    leaf, *between = certificates(folder / f"{name}.crt")
    anchors = certificates(folder / trusted)
    PolicyBuilder().store(Store(anchors)).build_server_verifier(x509.DNSName(host)).verify(leaf, between)


def test_a_server_is_trusted_by_way_of_the_root(pki: Any, tmp_path: Path) -> None:
    pki().certificate("registry/servers/one", names=["registry.atoll.internal", "10.0.0.1"])
    check_server(tmp_path, "ca.crt", "registry/servers/one", "registry.atoll.internal")
    check_server(tmp_path, "registry/issuer.crt", "registry/servers/one", "registry.atoll.internal")
    with pytest.raises(VerificationError):
        check_server(tmp_path, "ca.crt", "registry/servers/one", "other.internal")


def test_one_authority_says_nothing_about_what_another_signs(pki: Any, tmp_path: Path) -> None:
    opened = pki()
    authorities = ("kubernetes", "control", "registry", "gateway", "storage")
    for authority in authorities:
        opened.certificate(f"{authority}/one", names=["one"])
    for trusted in authorities:
        for signed in {*authorities} - {trusted}:
            with pytest.raises(VerificationError):
                check_server(tmp_path, f"{trusted}/issuer.crt", f"{signed}/one", "one")


def test_nothing_is_made_twice(pki: Any, tmp_path: Path) -> None:
    wanted = {"name": "webhooks/one", "names": ["a.b.svc"], "usages": ["server", "client"], "organisation": "x"}
    first = pki()
    first.certificate(**wanted)
    first.signing_key("kubernetes/sa")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    second = pki()
    second.certificate(**wanted)
    second.signing_key("kubernetes/sa")
    assert first.made == ["root", "webhooks", "webhooks/one", "kubernetes/sa"]
    assert second.made == []
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("change", [{"names": ["b"]}, {"usages": ["client"]}, {"common_name": "other"}])
def test_a_certificate_for_other_names_is_made_anew(pki: Any, change: dict[str, Any]) -> None:
    pki().certificate("webhooks/one", names=["a"])
    again = pki()
    again.certificate("webhooks/one", **{"names": ["a"], **change})
    assert again.made == ["webhooks/one"]


def test_what_ends_soon_is_renewed(pki: Any, module_utility: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pki().certificate("webhooks/one", names=["a"], days=90)
    authority = module_utility("atoll_authority")
    real = authority.now
    for days, renewed in ((50, False), (65, True)):
        monkeypatch.setattr(authority, "now", lambda days=days: real() + datetime.timedelta(days=days))
        opened = pki()
        opened.certificate("webhooks/one", names=["a"], days=90)
        assert bool(opened.made) is renewed


def test_the_root_can_be_taken_away(pki: Any, tmp_path: Path, module_utility: Any) -> None:
    pki().certificate("webhooks/one", names=["a"])
    (tmp_path / "ca.key").unlink()
    pki().certificate("webhooks/two", names=["b"])
    with pytest.raises(module_utility("atoll_authority").AuthorityError, match=r"ca\.key is needed to sign with"):
        pki().certificate("gateway/one", names=["c"])


def test_the_root_may_lie_there_encrypted_until_it_has_to_sign(pki: Any, tmp_path: Path, module_utility: Any) -> None:
    pki().certificate("webhooks/one", names=["a"])
    plain = load_pem_private_key((tmp_path / "ca.key").read_bytes(), password=None)
    (tmp_path / "ca.key").write_bytes(
        plain.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"of the administrator"))
    )
    pki().certificate("webhooks/two", names=["b"])
    with pytest.raises(module_utility("atoll_authority").AuthorityError, match=r"ca\.key .* is encrypted"):
        pki().certificate("gateway/one", names=["c"])
    assert not (tmp_path / "gateway").exists()


def test_the_roots_key_is_not_among_what_masters_keep() -> None:
    left_out = yaml.safe_load((TREE / "roles/control/vars/main.yml").read_text("utf-8"))["control_left_out"]
    assert re.search(left_out, "/var/lib/atoll/clusters/house/pki/ca.key")
    for kept in ("pki/ca.crt", "pki/registry/ca.key", "pki/kubernetes/ca.key", "ssh/id_ed25519"):
        assert not re.search(left_out, f"/var/lib/atoll/clusters/house/{kept}")


def test_keys_are_for_their_owner_only(pki: Any, tmp_path: Path) -> None:
    opened = pki()
    opened.certificate("kubernetes/one")
    opened.signing_key("kubernetes/sa")
    keys = list(tmp_path.rglob("*.key"))
    assert len(keys) == 3
    assert {key.stat().st_mode & 0o7777 for key in keys} == {0o600}


def test_the_inventory_says_what_ends_when(pki: Any, tmp_path: Path) -> None:
    opened = pki()
    opened.certificate("control/administrator", usages=["client"])
    opened.write_inventory()
    listed = json.loads((tmp_path / "inventory.json").read_text())
    mine = next(entry for entry in listed if entry["file"] == "control/administrator.crt")
    assert mine["owner"] == "role control"
    assert datetime.datetime.fromisoformat(mine["ends"]) > datetime.datetime.now(datetime.UTC)


def test_a_rehearsal_writes_nothing(pki: Any, tmp_path: Path) -> None:
    opened = pki(dry=True)
    opened.certificate("webhooks/one")
    opened.write_inventory()
    assert "webhooks/one" in opened.made
    assert list(tmp_path.iterdir()) == []
