"""How a node joins: as itself, by the certificate of its kubelet. The bundle's kubeadm asks, with the role's files."""

from __future__ import annotations

import base64
import json
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import jinja2
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.apiserver.server import ADMINISTRATOR, ANSWER_S, ApiServer, rendered
from tests.system.harness import ROOT
from tests.unit.plugins.conftest import load

NODE, OTHER = "worker1", "master1"
TOKEN = "abcdef.0123456789abcdef"
OF_SYSTEM = "/api/v1/namespaces/kube-system"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
CLUSTER_INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info"


@dataclass(frozen=True)
class Joining:
    """A node whose certificate the role has made, and who asks with it."""

    client: httpx.Client
    folder: Path
    discovery: dict[str, Any]
    server: ApiServer
    bundle: Path

    def kubeadm(self, *words: str, **environment: str) -> str:
        """What kubeadm says, on standard output and beside."""
        done = subprocess.run(
            ["kubeadm", *words],
            executable=self.bundle / "bin/amd64/kubernetes",
            env={"PATH": "/usr/bin:/bin", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=ANSWER_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def joining(api_server: ApiServer, bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Joining]:
    """What `kubeadm init` leaves in a cluster for who joins it, and what the role `certificates` gives a node."""
    folder = tmp_path_factory.mktemp("joining")
    certificate = made_certificate(api_server, folder)
    discovery = yaml.safe_load(
        rendered("discovery.conf.j2", kubernetes_api=f"127.0.0.1:{api_server.port}").replace(
            "/etc/atoll/pki", str(folder)
        )
    )
    shutil.copyfile(certificate.with_suffix(".crt"), folder / "kubelet.crt")
    shutil.copyfile(certificate.with_suffix(".key"), folder / "kubelet.key")
    shutil.copyfile(api_server.authority, folder / "kubernetes-ca.crt")
    (folder / "discovery.conf").write_text(yaml.safe_dump(discovery), "utf-8")
    administrator = json.loads(json.dumps(discovery))
    administrator["users"][0]["user"] = {"token": ADMINISTRATOR}
    (folder / "admin.conf").write_text(yaml.safe_dump(administrator), "utf-8")
    with asking(api_server, folder / "kubelet.crt", folder / "kubelet.key") as client:
        found = Joining(client, folder, discovery, api_server, bundle)
        given = ("--config", str(api_server.folder / "init.yaml"), "--kubeconfig", str(folder / "admin.conf"))
        for phase in (("upload-config", "all"), ("bootstrap-token",)):
            found.kubeadm("init", "phase", *phase, *given)
        yield found


def made_certificate(api_server: ApiServer, folder: Path) -> Path:
    """The one of the node's kubelet, as the role asks for it, signed by the authority of this API server."""
    authority = folder / "pki/kubernetes"
    authority.mkdir(parents=True)
    shutil.copyfile(api_server.authority, authority / "issuer.crt")
    shutil.copyfile(api_server.authority.with_name("ca.key"), authority / "ca.key")
    variables = yaml.safe_load((ROOT / "roles/certificates/vars/main.yml").read_text("utf-8"))
    (wanted,) = [one for one in variables["certificates_of_every_node"] if one["name"].startswith("kubernetes/")]
    text = jinja2.Template(json.dumps(wanted)).render(atoll_node={"name": NODE, "address": "192.0.2.7"})
    load("module_utils", "atoll_authority").Pki(folder / "pki", "test").certificate(**json.loads(text))
    return folder / f"pki/kubernetes/kubelets/{NODE}"


def asking(api_server: ApiServer, certificate: Path, key: Path) -> httpx.Client:
    context = ssl.create_default_context(cafile=str(api_server.authority))
    context.load_cert_chain(certificate, key)
    return httpx.Client(base_url=f"https://127.0.0.1:{api_server.port}", verify=context, timeout=ANSWER_S)


def who(client: httpx.Client) -> tuple[str, set[str]]:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = client.post("/apis/authentication.k8s.io/v1/selfsubjectreviews", json=review)
    assert answer.status_code == 201, answer.text
    found = answer.json()["status"]["userInfo"]
    return found["username"], set(found["groups"])


def test_the_certificate_of_a_node_says_who_it_is(joining: Joining) -> None:
    assert who(joining.client) == (f"system:node:{NODE}", {"system:nodes", "system:authenticated"})


def test_kubeadm_joins_with_the_certificate_and_no_token(joining: Joining) -> None:
    """All that a node asks of the API server with it; that the kubelet then gets its own is asked below."""
    configuration = rendered(
        "join.yaml.j2",
        atoll_node={"name": NODE, "address": "192.0.2.7"},
        kubernetes_taints=[],
        kubernetes_is_master=False,
    )
    assert "oken" not in configuration
    given = joining.folder / "join.yaml"
    given.write_text(configuration.replace("/etc/atoll/kubeadm", str(joining.folder)), "utf-8")
    left = joining.folder / "left"
    left.mkdir()
    words = ("join", "phase", "kubelet-start", "--dry-run", "--config", str(given), "-v", "1")
    said = joining.kubeadm(*words, KUBEADM_JOIN_DRYRUN_DIR=str(left))
    assert "Using authentication credentials from the discovery file" in said
    # 403 is an answer to kubeadm: it goes on with what the file says. After 401 it would ask on.
    assert "Could not access the cluster-info ConfigMap" in said
    # In a dry run it makes up what it is not told: its own Node, of which there is none, and kube-proxy's settings,
    # which it does without in a real one, too.
    made_up = re.findall(r'Resource name "([^"]+)".*\n\[dryrun\] Real object does not exist', said)
    assert sorted(set(made_up)) == ["kube-proxy", NODE], said
    # This the kubelet begins with. It names no file, for kubeadm removes what the kubelet needs no more.
    begins = yaml.safe_load((left / "bootstrap-kubelet.conf").read_text("utf-8"))
    ((user),) = [one["user"] for one in begins["users"]]
    assert set(user) == {"client-certificate-data", "client-key-data"}
    assert (left / "bootstrap-kubelet.conf").stat().st_mode & 0o077 == 0
    for kind in ("certificate", "key"):
        (left / kind).write_bytes(base64.b64decode(user[f"client-{kind}-data"]))
    with asking(joining.server, left / "certificate", left / "key") as client:
        assert who(client)[0] == f"system:node:{NODE}"


def test_a_node_reads_what_kubeadm_needs_and_nothing_of_others(joining: Joining) -> None:
    def status(path: str) -> int:
        return joining.client.get(path).status_code

    assert status(f"{OF_SYSTEM}/configmaps/kubeadm-config") == 200
    assert status(f"{OF_SYSTEM}/configmaps/kubelet-config") == 200
    assert status(f"/api/v1/nodes/{NODE}") == 404
    assert status(CLUSTER_INFO) == 403
    foreign = (f"/api/v1/nodes/{OTHER}", "/api/v1/nodes", f"{OF_SYSTEM}/secrets", f"{OF_SYSTEM}/configmaps")
    assert {path: status(path) for path in (*foreign, "/api/v1/pods")} == dict.fromkeys((*foreign, "/api/v1/pods"), 403)
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": OTHER}}
    answer = joining.client.post("/api/v1/nodes?dryRun=All", json=node)
    assert (answer.status_code, "is not allowed to modify node" in answer.text) == (403, True), answer.text


def request_of(node: str, signer: str = "kubernetes.io/kube-apiserver-client-kubelet") -> dict[str, Any]:
    """What a kubelet asks for: a certificate of a node's name."""
    of = [(NameOID.ORGANIZATION_NAME, "system:nodes"), (NameOID.COMMON_NAME, f"system:node:{node}")]
    subject = x509.Name([x509.NameAttribute(kind, value) for kind, value in of])
    key = ec.generate_private_key(ec.SECP256R1())
    asked = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"generateName": "csr-"},
        "spec": {
            "request": base64.b64encode(asked.public_bytes(serialization.Encoding.PEM)).decode(),
            "signerName": signer,
            "usages": ["digital signature", "client auth"],
        },
    }


def approved(server: ApiServer, spec: dict[str, Any], kind: str) -> bool:
    """Whether the controller that approves would: it asks whether who made the request may, for itself or for any."""
    about = {
        "group": "certificates.k8s.io",
        "resource": "certificatesigningrequests",
        "verb": "create",
        "subresource": kind,
    }
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": spec["username"], "groups": spec["groups"], "resourceAttributes": {**about, "version": "*"}},
    }
    answer = server.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", json=review)
    assert answer.status_code == 201, answer.text
    return bool(answer.json()["status"]["allowed"])


def test_a_node_gets_a_certificate_of_its_own_name_and_of_no_other(joining: Joining) -> None:
    made = joining.client.post(REQUESTS, json=request_of(NODE))
    assert made.status_code == 201, made.text
    spec = made.json()["spec"]
    assert spec["username"] == f"system:node:{NODE}"
    assert approved(joining.server, spec, "selfnodeclient")
    assert not approved(joining.server, spec, "nodeclient")
    refused = joining.client.post(REQUESTS, json=request_of(OTHER))
    assert (refused.status_code, f"CN=system:node:{NODE}" in refused.text) == (403, True), refused.text
    # By any other signer nothing is signed that no administrator has approved, and that it may not itself.
    other = joining.client.post(REQUESTS, json=request_of(OTHER, "kubernetes.io/kube-apiserver-client"))
    assert other.status_code == 201, other.text
    for request in (made.json(), other.json()):
        path = f"{REQUESTS}/{request['metadata']['name']}/approval"
        assert joining.client.put(path, json=request).status_code == 403


def token(name: str, **more: str) -> dict[str, Any]:
    token_id, _, secret = name.partition(".")
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "bootstrap.kubernetes.io/token",
        "metadata": {"name": f"bootstrap-token-{token_id}", "namespace": "kube-system"},
        "stringData": {
            "token-id": token_id,
            "token-secret": secret,
            "usage-bootstrap-authentication": "true",
            "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
            **more,
        },
    }


def test_nobody_is_known_by_a_bootstrap_token(joining: Joining) -> None:
    """Who shows one would get a certificate of any node's name, a master's too."""
    assert joining.server.apply(token(TOKEN), keep=True).is_success
    headers = {"Authorization": f"Bearer {TOKEN}"}
    # A server that takes them has read a new one within a moment.
    until = time.monotonic() + 4
    while time.monotonic() < until:
        assert joining.server.client.get("/version", headers=headers).status_code == 401
        time.sleep(0.5)


def test_the_token_that_kubeadm_makes_ends_when_it_is_made(joining: Joining) -> None:
    secrets = joining.server.ask("GET", f"{OF_SYSTEM}/secrets").json()["items"]
    tokens = [secret for secret in secrets if secret["type"] == "bootstrap.kubernetes.io/token"]
    (own,) = [secret for secret in tokens if secret["metadata"]["name"] != token(TOKEN)["metadata"]["name"]]
    made = datetime.fromisoformat(own["metadata"]["creationTimestamp"])
    ends = datetime.fromisoformat(base64.b64decode(own["data"]["expiration"]).decode())
    assert ends - made <= timedelta(seconds=2)
