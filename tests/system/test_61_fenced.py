"""A worker that is not to be trusted any more is shut out, whatever it still holds; then it is let in again."""

from __future__ import annotations

import base64
import json
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from installer.cluster import Cluster, load
from installer.running import kubectl
from installer.services.listening import ASKED, understood
from tests.system.harness import CLUSTER_FILE, Atoll, Portal, wait_for
from tests.system.jobs import submit
from tests.system.scanning import allowed, link_local, of_nodes, of_services, scan, scanned

UNIT = "held-connection"
# A connection that was begun before: says what the other side answers once the file is there.
HELD = """
import pathlib, socket, sys, time

with socket.create_connection((sys.argv[1], 22), 5) as held:
    banner = held.recv(100)
    pathlib.Path("/run/held").write_text("begun")
    while not pathlib.Path("/run/speak").exists():
        time.sleep(0.2)
    held.settimeout(5)
    held.sendall(b"anything\\r\\n")
    try:
        pathlib.Path("/run/held").write_text(f"answered {held.recv(100)!r}")
    except OSError as error:
        pathlib.Path("/run/held").write_text(f"silent {error}")
"""
LIST = ("timeout", "--signal=KILL", "25", "ls", "/mnt/atoll/home/")


def a_worker_of_ours() -> str:
    """The one that `test_60_worker_added` added last."""
    names = [node["name"] for node in yaml.safe_load(CLUSTER_FILE.read_text("utf-8"))["nodes"]]
    return max(str(name) for name in names if name.startswith("worker"))


def fenced(name: str, wanted: bool) -> Callable[[dict[str, Any]], None]:
    def change(cluster: dict[str, Any]) -> None:
        (node,) = [node for node in cluster["nodes"] if node["name"] == name]
        node.pop("fenced", None)
        node.update({"fenced": True} if wanted else {})

    return change


def hold(atoll: Atoll, worker: str, master: str) -> None:
    atoll.node(worker, "rm", "-f", "/run/held", "/run/speak")
    atoll.node(
        worker, "systemd-run", "--collect", f"--unit={UNIT}-{uuid.uuid4().hex[:8]}", "python3", "-c", HELD, master
    )
    wait_for("a connection", lambda: atoll.node(worker, "cat", "/run/held", ok=(0, 1)).out == "begun", 10)


def said_by_the_held(atoll: Atoll, worker: str) -> str:
    atoll.node(worker, "touch", "/run/speak")
    told = ("cat", "/run/held")
    wait_for("an answer, or none", lambda: atoll.node(worker, *told).out not in ("", "begun"), 15)
    return atoll.node(worker, *told).out


def stolen(atoll: Atoll, worker: str, folder: Path) -> Path:
    """What the kubelet there shows to the API server, as a configuration of another machine."""
    pem = folder / "kubelet.pem"
    pem.write_text(atoll.node(worker, "cat", "/var/lib/kubelet/pki/kubelet-client-current.pem").out)
    made = yaml.safe_load((atoll.state / "admin.conf").read_text("utf-8"))
    made["users"] = [
        {"name": made["users"][0]["name"], "user": {"client-certificate": str(pem), "client-key": str(pem)}}
    ]
    file = folder / "kubelet.conf"
    file.write_text(yaml.safe_dump(made))
    return file


def as_kubelet(kubeconfig: Path, path: str, body: dict[str, Any]) -> str:
    """Make an object, and return what is said to it."""
    words = ["kubectl", "--kubeconfig", str(kubeconfig), "create", "--raw", path, "-f", "-"]
    done = subprocess.run(
        words,
        executable=kubectl.program(),
        input=json.dumps(body),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return done.stdout + done.stderr


def runs_there(atoll: Atoll, portal: Portal, worker: str) -> str:
    """Submit a task while no other worker takes one, and wait until it runs there."""
    others = [name for name in ("worker1", "worker2") if name != worker]
    atoll.kubectl("cordon", *others)
    try:
        parameters = {"seconds": "600"}
        job = submit(portal, "lasting", "examples/devices/hold.py", parameters=parameters)
        portal.wait_state(job, {"running"}, 120)
    finally:
        atoll.kubectl("uncordon", *others)
    bound = atoll.kubectl(
        "get", "pods", "-n", "vc-default", "--field-selector", f"spec.nodeName={worker}", "-o", "name"
    )
    assert bound.out.split(), "it runs somewhere else"
    return job


def of_a_pod(atoll: Atoll, worker: str) -> str:
    """The token of kube-router's pod there, which reads all pods and policies."""
    (pod,) = atoll.kubectl(
        *("get", "pods", "-n", "kube-system", "-l", "app.kubernetes.io/name=kube-router", "-o", "json"),
        *("--field-selector", f"spec.nodeName={worker}"),
    ).json["items"]
    place = f"/var/lib/kubelet/pods/{pod['metadata']['uid']}/volumes/kubernetes.io~projected"
    return atoll.node(worker, "sh", "-c", f"cat {place}/kube-api-access-*/token").out.strip()


def with_token(atoll: Atoll, folder: Path, token: str) -> str:
    made = yaml.safe_load((atoll.state / "admin.conf").read_text("utf-8"))
    made["users"] = [{"name": made["users"][0]["name"], "user": {"token": token}}]
    file = folder / "token.conf"
    file.write_text(yaml.safe_dump(made))
    words = ["kubectl", "--kubeconfig", str(file), "get", "pods", "-n", "kube-system", "-o", "name"]
    done = subprocess.run(words, executable=kubectl.program(), capture_output=True, text=True, timeout=30, check=False)
    return done.stdout + done.stderr


def asking(worker: str) -> dict[str, Any]:
    """What a kubelet asks for when its certificate ends soon, and gets without being asked anything."""
    names = [(NameOID.ORGANIZATION_NAME, "system:nodes"), (NameOID.COMMON_NAME, f"system:node:{worker}")]
    subject = x509.Name([x509.NameAttribute(kind, value) for kind, value in names])
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"generateName": "csr-"},
        "spec": {
            "request": base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode(),
            "signerName": "kubernetes.io/kube-apiserver-client-kubelet",
            "usages": ["digital signature", "client auth"],
        },
    }


@pytest.mark.timeout(900)
def test_a_fenced_worker_comes_to_nothing_that_it_had_and_is_let_in_again(
    atoll: Atoll,
    portal: Portal,
    edit_cluster: Callable[[Callable[[dict[str, Any]], None]], None],
    tmp_path: Path,
) -> None:
    worker = a_worker_of_ours()
    cluster = load(CLUSTER_FILE)
    master = cluster.first_master
    others = [node.name for node in cluster.nodes if node.name != worker]
    file = ("-f", str(CLUSTER_FILE))
    if cluster.fenced:  # a run of this that was cut off left it so
        edit_cluster(fenced(worker, wanted=False))
        assert atoll("apply", *file, "-o", "json").finished["ok"]
    assert "admin" in atoll.node(worker, *LIST).out.split()
    hold(atoll, worker, master.address)
    assert said_by_the_held(atoll, worker).startswith("answered")
    hold(atoll, worker, master.address)
    job = runs_there(atoll, portal, worker)
    token = of_a_pod(atoll, worker)
    assert "Unauthorized" not in with_token(atoll, tmp_path, token)

    edit_cluster(fenced(worker, wanted=True))
    steps = atoll("plan", *file, "-o", "json", ok=(2,)).json["steps"]
    assert [(step["phase"], step["node"], step["action"]) for step in steps] == [
        *(("host", name, "apply") for name in others),
        ("volume", "storage1", "apply"),
        ("fencing", master.name, "apply"),
    ]
    assert atoll("apply", *file, "-o", "json").finished["ok"]
    assert atoll("plan", *file, "-o", "json", ok=(0,)).json["steps"] == []
    status = atoll("status", *file, "-o", "json", ok=(0, 1)).json
    assert worker in {node["name"] for node in status["nodes"]}

    # Its mount, what it had begun, and every port of nodes and Services.
    assert atoll.node(worker, *LIST, ok=(0, 1, 2, 124, 137)).code != 0
    assert said_by_the_held(atoll, worker).startswith("silent")
    clients = atoll.node("storage1", "gluster", "--mode=script", "volume", "get", "atoll", "auth.ssl-allow").out
    assert ("worker1" in clients, worker in clients) == (True, False)
    listening = {name: list(understood(atoll.node(name, *ASKED).out)) for name in others}
    services = atoll.kubectl("get", "services", "-A", "-o", "json").json["items"]
    six = {name: link_local(atoll, name) for name in others}
    targets = [
        *(
            each
            for each in of_nodes(load(CLUSTER_FILE), listening | {worker: []}, addresses(cluster))
            if each[0].split()[0] != worker
        ),
        *of_services(services),
    ]
    assert len(targets) > 20
    assert scanned(atoll.node(worker, "python3", "-c", scan(targets)).out)["reached"] == []
    # Its address over IPv6 nobody knows: there it is a stranger.
    theirs = [each for each in of_nodes(load(CLUSTER_FILE), listening | {worker: []}, six | {worker: ""}) if each[1]]
    came = set(scanned(atoll.node(worker, "python3", "-c", scan(theirs)).out)["reached"])
    assert came == {label for label in allowed(cluster, ipv6=True) if label.split()[0] != worker}

    # Kubernetes: nothing is bound to it, and its certificate, at a place from where everybody may ask, makes nothing.
    assert atoll.kubectl("get", "node", worker, "--ignore-not-found", "-o", "name").out == ""
    bound = ("get", "pods", "-A", "--field-selector", f"spec.nodeName={worker}", "-o", "name")
    wait_for("no pod is bound to it", lambda: atoll.kubectl(*bound).out == "", 60)
    assert "Unauthorized" in with_token(atoll, tmp_path, token), "the token of a pod that ran there is still good"
    task = portal.wait_state(job, {"failed", "error", "killed", "finished"}, 120)
    assert task["state"] in ("failed", "error"), task
    kubelet = stolen(atoll, worker, tmp_path)
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": worker}}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": worker}}
    for path, body in (
        ("/api/v1/nodes", node),
        ("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", lease),
        ("/apis/certificates.k8s.io/v1/certificatesigningrequests", asking(worker)),
    ):
        assert "this node is shut out of the cluster" in as_kubelet(kubelet, path, body), path
    assert atoll.kubectl("get", "node", worker, "--ignore-not-found", "-o", "name").out == ""

    edit_cluster(fenced(worker, wanted=False))
    steps = atoll("plan", *file, "-o", "json", ok=(2,)).json["steps"]
    back = {(step["phase"], step["node"], step["action"]) for step in steps}
    assert back >= {("fencing", master.name, "remove"), ("node", worker, "apply"), ("storage_client", worker, "apply")}
    assert atoll("apply", *file, "-o", "json").finished["ok"]
    assert atoll("plan", *file, "-o", "json", ok=(0,)).json["steps"] == []
    assert "admin" in atoll.node(worker, *LIST).out.split()
    wait_for("every service runs, there too", lambda: atoll("status", *file, "-o", "json", ok=(0, 1)).code == 0, 90)
    # Its pods have other addresses now, and are reached: a task starts once its network policy is seen to hold.
    again = runs_there(atoll, portal, worker)
    assert portal.client.post(f"/tasks/{again}/stop").is_success
    labels = atoll.kubectl("get", "node", worker, "-o", "json").json["metadata"]["labels"]
    assert "node-role.kubernetes.io/worker" in labels


def addresses(cluster: Cluster) -> dict[str, str]:
    return {node.name: node.address for node in cluster.nodes}
