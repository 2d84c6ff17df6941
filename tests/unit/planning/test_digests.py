"""Digests: what is read of the bundle and of the user's own files."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from installer.cluster import loads
from installer.planning import Observations, collect, plan
from installer.planning.digests import artifacts, ending


def test_a_bundle_is_known_by_its_files_and_its_images(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "index.json").write_text(json.dumps({"files": {"bin/amd64/runc": {"sha256": "r", "bytes": 1}}}))
    (tmp_path / "images" / "index.json").write_text(json.dumps({"x.io/a:1": {"digest": "sha256:a", "set": "base"}}))
    assert artifacts(tmp_path) == {"bin/amd64/runc": "r", "image/base/x.io/a:1": "sha256:a"}
    assert artifacts(tmp_path / "absent") == {}


def certificate(days: int, left: int) -> bytes:
    """A certificate of so many days of life, of which so many are left."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "one")])
    ends = datetime.now(UTC) + timedelta(days=left)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, ends - timedelta(days=days), ends)
    return made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def test_certificates_count_as_ending_when_a_third_of_their_life_is_left(tmp_path: Path) -> None:
    for name, left in (("registry/client", 100), ("registry/nodes/one", 200), ("registry/ca", 1), ("control/ends", 0)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.crt").write_bytes(certificate(397, left))
    assert list(ending(tmp_path)) == ["control/ends", "registry/client"]


def test_a_renewed_certificate_of_the_customer_is_an_input(text: str, tmp_path: Path) -> None:
    crt, key = tmp_path / "a.crt", tmp_path / "a.key"
    crt.write_text("old")
    key.write_text("key")
    cluster = loads(text + f"platform: {{certificate_file: {crt}, key_file: {key}}}\n", installed=True)

    def hashes() -> dict[str, str]:
        made = plan(cluster, None, Observations(), collect(cluster, tmp_path))
        return {step.phase: step.input_hash for step in made.steps}

    before = hashes()
    crt.write_text("new")
    after = hashes()
    assert {phase for phase in before if before[phase] != after[phase]} == {"certificates", "platform"}


def test_no_digest_of_a_password_goes_on_record(text: str, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret")
    cluster = loads(text + f"smtp: {{host: mail, sender: a@b, user: u, password_file: {file}}}\n", installed=True)
    first = collect(cluster, tmp_path).files[str(file)]
    assert hashlib.sha256(b"secret").hexdigest()[:12] not in first
    os.utime(file, (1, 1))
    assert collect(cluster, tmp_path).files[str(file)] != first


def test_another_secret_of_a_way_in_is_an_input_by_its_time_and_another_authority_by_its_content(
    text: str, tmp_path: Path
) -> None:
    secret, authority = tmp_path / "secret", tmp_path / "ca.crt"
    secret.write_text("of the application")
    authority.write_text("old")
    microsoft = f"{{issuer: 'https://login.example.com/t', client_id: a, client_secret_file: {secret}}}"
    sign_in = f"sign_in: {{microsoft: {microsoft}, proxy: 'http://192.0.2.5:3128', ca_file: {authority}}}\n"
    cluster = loads(text + sign_in, installed=True)

    def hashes() -> dict[str, str]:
        found = collect(cluster, tmp_path)
        assert hashlib.sha256(b"of the application").hexdigest() not in str(found), "a digest of a secret is kept"
        return {step.phase: step.input_hash for step in plan(cluster, None, Observations(), found).steps}

    seen = [hashes()]
    os.utime(secret, ns=(1, 1))
    seen.append(hashes())
    authority.write_text("new")
    seen.append(hashes())
    for before, after in itertools.pairwise(seen):
        assert {phase for phase in before if before[phase] != after[phase]} == {"platform"}
