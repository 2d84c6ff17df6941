"""The bundle's etcd and API server as plain processes of this machine, and how they are spoken to."""

from __future__ import annotations

import base64
import json
import re
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import jinja2
import yaml
from atoll.engines.base import ClusterProvision, Member, Share, UserShare
from atoll.engines.kubernetes import provisioning
from atoll.engines.kubernetes.client import KINDS

from tests.ports import free_ports
from tests.system.harness import ROOT, wait_for

ADMINISTRATOR, JOBS_TOKEN, KUEUE_TOKEN = "the-administrator", "jobs", "kueue"
JOBS = "system:serviceaccount:atoll-system:jobs"
# Tokens of who is known by them: what is written down is judged by who asked, not by whom they impersonate.
KNOWN = {
    ADMINISTRATOR: ("administrator", ("system:masters",)),
    "a-node": ("system:node:worker1", ("system:nodes",)),
    "a-controller": (
        "system:serviceaccount:kube-system:node-controller",
        ("system:serviceaccounts", "system:serviceaccounts:kube-system"),
    ),
    JOBS_TOKEN: (JOBS, ("system:serviceaccounts", "system:serviceaccounts:atoll-system")),
    KUEUE_TOKEN: (
        "system:serviceaccount:kueue-system:kueue-controller-manager",
        ("system:serviceaccounts", "system:serviceaccounts:kueue-system"),
    ),
}
CONTROLLER = "system:serviceaccount:kube-system:job-controller"
CLUSTER = ClusterProvision(
    name="default",
    shares=(Share(device_type="nvidia_gpu_amd64", resource="nvidia.com/gpu", count=8, max_per_user=4),),
    members=(Member(name="ada", uid=30007),),
    user_share=UserShare(percent=50, usual_cpu="2", usual_memory="8Gi"),
)
STORAGE = Path("/mnt/atoll")
ROLE = ROOT / "roles/kubernetes"
WHO_MAY_WHAT = (
    *("Namespace", "ServiceAccount", "ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding"),
    *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"),
)
Object = dict[str, Any]
# The suite has what others leave of the cores; that an answer is slow says nothing about what is answered.
ANSWER_S = 150


def documents(text: str) -> list[Object]:
    return [document for document in yaml.safe_load_all(text) if document is not None]


@contextmanager
def process(argv: list[str], executable: Path, log: Path) -> Iterator[None]:
    with log.open("wb") as out:
        running = subprocess.Popen(argv, executable=executable, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    try:
        yield
    except BaseException:
        print(f"{log.name} ends with:\n{log.read_text('utf-8', 'replace')[-6000:]}")
        raise
    finally:
        running.kill()
        running.wait()


@dataclass(frozen=True)
class ApiServer:
    """The running server, spoken to as anybody."""

    client: httpx.Client
    audit_log: Path
    port: int
    authority: Path
    folder: Path
    trusted: ssl.SSLContext

    def ask(self, method: str, path: str, user: str | None = None, **more: Any) -> httpx.Response:
        """As the administrator, or as `user` by impersonation: the server judges by their rights."""
        headers = {"Authorization": f"Bearer {ADMINISTRATOR}", **more.pop("headers", {})}
        if user is not None:
            namespace = user.split(":")[2]
            headers["Impersonate-User"] = user
            groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
            pairs = [*headers.items(), *(("Impersonate-Group", group) for group in groups)]
            return self.client.request(method, path, headers=pairs, **more)
        return self.client.request(method, path, headers=headers, **more)

    def apply(self, wanted: Object, user: str | None = None, *, keep: bool = False) -> httpx.Response:
        """By server-side apply, as the engine and the installer do it."""
        metadata = wanted["metadata"]
        path = f"{self.collection(wanted)}/{metadata['name']}"
        query = {"fieldManager": "test", "force": "true", **({} if keep else {"dryRun": "All"})}
        headers = {"Content-Type": "application/apply-patch+yaml"}
        return self.ask("PATCH", path, user, params=query, json=wanted, headers=headers)

    def create(self, wanted: Object, user: str | None = None) -> httpx.Response:
        """By POST, and nothing is kept."""
        return self.ask("POST", self.collection(wanted), user, params={"dryRun": "All"}, json=wanted)

    @staticmethod
    def collection(wanted: Object) -> str:
        known = {(kind.api_version, kind.kind): kind for kind in KINDS.values()}
        key = (wanted["apiVersion"], wanted["kind"])
        if key in known:
            return known[key].path(wanted["metadata"].get("namespace"))
        version, kind = key
        base = f"/api/{version}" if "/" not in version else f"/apis/{version}"
        namespace = wanted["metadata"].get("namespace")
        plural = f"{kind.lower()[:-1]}ies" if kind.endswith("y") else f"{kind.lower()}s"
        return f"{base}/{f'namespaces/{namespace}/' if namespace else ''}{plural}"


@contextmanager
def running(bundle: Path, folder: Path, installed: list[Object]) -> Iterator[ApiServer]:
    """As phase `control_plane` starts it, then with who may do what of all that is `installed`."""
    client_port, peer_port, port = free_ports(3)
    etcd, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
    etcd_words = ["etcd", "--data-dir", str(folder / "etcd"), "--unsafe-no-fsync", "--listen-client-urls", etcd]
    etcd_words += ["--advertise-client-urls", etcd, "--listen-peer-urls", peer, "--initial-cluster", f"default={peer}"]
    etcd_words += ["--initial-advertise-peer-urls", peer]
    known = [f'{token},{name},{name},"{",".join(groups)}"\n' for token, (name, groups) in KNOWN.items()]
    (folder / "tokens.csv").write_text("".join(known), "utf-8")
    own = {
        "etcd-servers": etcd,
        "bind-address": "127.0.0.1",
        "secure-port": str(port),
        "token-auth-file": str(folder / "tokens.csv"),
    }
    flags = masters_flags(bundle, folder) | own
    audit = Path(flags["audit-log-path"])
    server_words = ["kube-apiserver", *(f"--{name}={value}" for name, value in flags.items())]
    programs = bundle / "bin/amd64"
    with ExitStack() as stack:
        stack.enter_context(process(etcd_words, programs / "etcd", folder / "etcd.log"))
        stack.enter_context(process(server_words, programs / "kubernetes", folder / "api-server.log"))
        trusted = ssl.create_default_context(cafile=flags["client-ca-file"])
        client = stack.enter_context(
            httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusted, timeout=ANSWER_S)
        )
        server = ApiServer(client, audit, port, Path(flags["client-ca-file"]), folder, trusted)
        wait_for("the API server", lambda: ready(client), ANSWER_S)
        furnish(server, installed)
        yield server


def rendered(name: str, **values: Any) -> str:
    """A template of the role `kubernetes`, as for a master at 192.0.2.1; every secret is the same."""
    names = jinja2.Environment(  # noqa: S701 - configuration is no web page
        loader=jinja2.FileSystemLoader(ROLE / "templates"), trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    names.filters["to_json"] = json.dumps
    return names.get_template(name).render(lookup=secret, **values)


def secret(_: str, name: str, kind: str) -> str:
    return {"key": base64.b64encode(name[:16].encode() * 2).decode()}[kind]


def masters_flags(bundle: Path, folder: Path) -> dict[str, str]:
    """What kubeadm gives a master's API server from the role's configuration; the files it names lie in `folder`."""
    variables = yaml.safe_load((ROLE / "vars/main.yml").read_text("utf-8"))
    (folder / "patches").mkdir()
    for patch in variables["kubernetes_patches"]:
        name = Path(patch["dest"]).name
        note = {"metadata": {"annotations": {"atoll.io/image": f"noted in {name}"}}}
        content = variables["kubernetes_weight"] if name.endswith("+json.json") else json.dumps(note)
        (folder / "patches" / name).write_text(content, "utf-8")
    configuration = rendered(
        "init.yaml.j2",
        ansible_facts={"atoll_host": {"cgroup_version": 2, "swap_bytes": 0}},
        atoll_cluster_name="test",
        atoll_node={"name": "master1", "address": "192.0.2.1"},
        kubernetes_api=variables["kubernetes_api"],
        kubernetes_audit_days=30,
        kubernetes_ciphers=variables["kubernetes_ciphers"],
        kubernetes_coredns_tag="v1",
        kubernetes_etcd_quota_bytes=variables["kubernetes_etcd_quota_bytes"],
        kubernetes_etcd_tag="v1",
        kubernetes_names=["127.0.0.1"],
        kubernetes_patches_directory=str(folder / "patches"),
        kubernetes_taints=[],
        kubernetes_version=kubernetes_version(bundle),
        network_cluster_domain="cluster.local",
        network_node_prefix=24,
        network_pod_network="10.244.0.0/16",
        network_service_network="10.96.0.0/16",
    )
    parts = documents(configuration)
    cluster = next(part for part in parts if part["kind"] == "ClusterConfiguration")
    cluster |= {"certificatesDir": str(folder / "pki"), "encryptionAlgorithm": "ECDSA-P256"}
    (folder / "init.yaml").write_text(yaml.safe_dump_all(parts), "utf-8")
    for phase, more in (("certs", ()), ("control-plane", ("--dry-run",))):
        argv = ["kubeadm", "init", "phase", phase, "all", "--config", str(folder / "init.yaml"), *more]
        environment = {"PATH": "/usr/bin:/bin", "KUBEADM_INIT_DRYRUN_DIR": str(folder)}
        program = bundle / "bin/amd64/kubernetes"
        subprocess.run(argv, executable=program, env=environment, check=True, capture_output=True, timeout=60)
    pod = yaml.safe_load((folder / "kube-apiserver.yaml").read_text("utf-8"))
    words = [word.removeprefix("--").partition("=") for word in pod["spec"]["containers"][0]["command"][1:]]
    flags = {
        name: value.replace("/etc/atoll/kubernetes", str(folder)).replace("/etc/kubernetes", str(folder))
        for name, _, value in words
    }
    for name in ("admission", "audit", "authentication", "encryption"):
        (folder / f"{name}.yaml").write_text(rendered(f"{name}.yaml.j2"), "utf-8")
    # This etcd speaks no TLS, and the address is no one's here.
    for name in ("etcd-cafile", "etcd-certfile", "etcd-keyfile", "advertise-address"):
        del flags[name]
    return flags | {"audit-log-path": str(folder / "audit.log")}


def kubernetes_version(bundle: Path) -> str:
    argv = ["kubeadm", "version", "-o", "short"]
    program = bundle / "bin/amd64/kubernetes"
    return subprocess.run(argv, executable=program, check=True, capture_output=True, text=True).stdout.strip()


def ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


def furnish(server: ApiServer, installed: list[Object]) -> None:
    """What a cluster has when `jobs` begins; then its first virtual cluster, made by `jobs` itself."""

    def made(wanted: Object, user: str | None = None, *, keep: bool = True) -> None:
        answer = server.apply(wanted, user, keep=keep)
        assert answer.is_success, f"{wanted['kind']} {wanted['metadata']['name']}: {answer.text}"

    definitions = [
        {**item, "spec": {name: value for name, value in item["spec"].items() if name != "conversion"}}
        for item in installed
        if item["kind"] == "CustomResourceDefinition"
    ]
    for definition in definitions:
        definition.pop("status", None)
        made(definition)
    for kind in WHO_MAY_WHAT:
        for item in installed:
            if item["kind"] == kind:
                made(item)
    for definition in definitions:
        path = f"{server.collection(definition)}/{definition['metadata']['name']}"
        wait_for(path, partial(established, server, path), ANSWER_S)
    # A policy is not in force the moment it is there.
    lure: Object = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vc-lure"}}
    wait_for("the policy of namespaces", lambda: "denied request" in server.create(lure).text, ANSWER_S)
    wait_for("the rights of jobs", lambda: server.ask("GET", "/api/v1/pods", JOBS).is_success, ANSWER_S)
    for wanted in provisioning.manifests(CLUSTER, cpu_cores=8, memory_bytes=1 << 34, machines=2, storage_root=STORAGE):
        # Volumes are tried in other shapes; once there, theirs could not change.
        made(wanted, JOBS, keep="PersistentVolume" not in wanted["kind"])
    # Elsewhere a controller does it; pods have to have one.
    foreign = {"spec": {"hostPath": {"path": "/"}, "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"]}}
    volume: Object = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "vc-lure"}, **foreign}
    wait_for("the policy of volumes", lambda: denied_by(server.create(volume)), ANSWER_S)
    made({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "vc-default"}})


def established(server: ApiServer, path: str) -> bool:
    conditions = server.ask("GET", path).json().get("status", {}).get("conditions")
    return "Established" in {each["type"] for each in conditions or () if each["status"] == "True"}


def denied_by(answer: httpx.Response) -> str:
    """Which of our policies refused it; nothing where none did."""
    found = re.search(r"ValidatingAdmissionPolicy '([\w-]+)' with binding '[\w-]+' denied request: (.*)", answer.text)
    return f"{found[1]}: {found[2]}" if found else ""
