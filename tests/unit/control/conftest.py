"""A control service on a real port with real certificates, in front of a small API server of our own."""

import datetime as dt
import ipaddress
import json
import os
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from installer.cluster import TREE
from installer.control.server import configuration
from installer.control.settings import Settings
from installer.running import accepted
from tests.unit.control.fake_kubernetes import FakeKubernetes

FAKE_SSH = """#!/bin/sh
for last; do :; done
PATH="$(dirname "$0"):/usr/bin:/bin" exec sh -c "$last"
"""
FAKE_SYSTEMCTL = """#!/bin/sh
here="$(dirname "$0")"
echo "$*" >> "$here/calls"
case "$1" in
show) shift 2; first=1
  for unit; do [ $first ] || echo; first=
    state="$(cat "$here/$unit" 2>/dev/null || echo active)"
    printf 'Id=%s\\nActiveState=%s\\nLoadState=loaded\\nResult=success\\n' "$unit" "$state"
  done ;;
is-active) [ "$(cat "$here/$3" 2>/dev/null || echo active)" = active ] ;;
stop) echo inactive > "$here/$2" ;;
start|restart) echo active > "$here/$2" ;;
esac
"""
# Of the database it has the names for whom it would answer; it keeps what it was asked.
FAKE_KUBECTL = """#!/bin/sh
here="$(dirname "$0")"
for word; do case "$word" in
--set=name=*) name="${word#--set=name=}" ;;
--set=grants=*) grants="${word#--set=grants=}" ;;
esac; done
echo "$name $grants" >> "$here/asked-of-database"
[ -e "$here/database-is-away" ] && { echo "error: no pod of the database runs" >&2; exit 1; }
[ -e "$here/database-has-no-end" ] && exec yes
if [ -e "$here/administrators/$name" ]; then echo may; exit; fi
case ",$grants," in *,platform,*) if [ -e "$here/users/$name" ]; then echo may; fi ;; esac
"""


class Authority:
    """A certificate authority for an hour."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.file = folder / f"{name}.crt"
        self._write(self.file, self._build(self._name, self._key, ca=True))

    def issue(self, name: str) -> tuple[Path, Path]:
        """Issue a certificate for 127.0.0.1 with this common name; return it and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate, key_file = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._write(certificate, self._build(subject, key, ca=False))
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return certificate, key_file

    def _build(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, ca: bool) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(minutes=1))
            .not_valid_after(now + dt.timedelta(hours=1))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )

    @staticmethod
    def _write(path: Path, certificate: x509.Certificate) -> None:
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


class Running(NamedTuple):
    """A control service that answers, and everything around it."""

    url: str
    settings: Settings
    kubernetes: FakeKubernetes
    authority: Authority
    client_file: Path
    nodes: Path  # the folder of the programs that stand for all nodes


@pytest.fixture
def kubernetes() -> Iterator[FakeKubernetes]:
    fake = FakeKubernetes()
    for name in ("api", "jobs", "files"):
        fake.add("Deployment", "deployments", "atoll-system", name)
    fake.add("DaemonSet", "daemonsets", "atoll-system", "gateway")
    fake.config_maps["atoll-system", "api-config"] = {"config.yaml": "service: api\npassword: Correct-Horse-77\n"}
    yield fake
    fake.close()


@pytest.fixture
def control(tmp_path: Path, kubernetes: FakeKubernetes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    # "Nodes" here are this machine: nothing may be rendered for real, also where the cache has a bundle.
    monkeypatch.setenv("ATOLL_BUNDLE", str(tmp_path / "no-bundle"))
    state = tmp_path / "state" / "demo"
    state.mkdir(parents=True)
    accepted.accept(state, (TREE / "cluster.example.yaml").read_text())
    (state / "secrets.yaml").write_text("database_password: Correct-Horse-77\n")
    programs = tmp_path / "nodes"
    programs.mkdir()
    for who in ("administrators/ada", "users/bob"):
        (programs / who).parent.mkdir()
        (programs / who).touch()
    for name, text in (("ssh", FAKE_SSH), ("systemctl", FAKE_SYSTEMCTL), ("kubectl", FAKE_KUBECTL)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("ATOLL_STATE", str(state.parent))
    authority = Authority(tmp_path, "control-ca")
    certificate, key = authority.issue("master1")
    settings = Settings(
        "demo", "master1", state, kubernetes.kubeconfig(tmp_path / "admin.conf"), certificate, key, authority.file, 0
    )
    server = uvicorn.Server(configuration(settings))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    client_certificate, client_key = authority.issue("administrator")
    url = f"https://127.0.0.1:{port}"
    client_file = tmp_path / "service_ctl.json"
    client_file.write_text(
        json.dumps(
            {
                "cluster": "demo",
                "urls": ["https://127.0.0.1:1", url],  # the first master is off: the second one is asked
                "certificate": str(client_certificate),
                "key": str(client_key),
                "ca": str(authority.file),
            }
        )
    )
    yield Running(url, settings, kubernetes, authority, client_file, programs)
    kubernetes.down = True
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


def as_caller(control: Running, name: str, user: str = "") -> httpx.Client:
    """A client with a certificate of the control CA for that common name, which acts for a user."""
    context = ssl.create_default_context(cafile=str(control.authority.file))
    certificate, key = control.authority.issue(name)
    context.load_cert_chain(certificate, key)
    many = httpx.Limits(max_connections=None)
    headers = {"Atoll-User": user} if user else {}
    return httpx.Client(base_url=control.url, verify=context, headers=headers, timeout=30, limits=many, trust_env=False)


@pytest.fixture
def client(control: Running) -> Iterator[httpx.Client]:
    with as_caller(control, "administrator") as client:
        yield client
