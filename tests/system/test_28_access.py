"""Who gets at what on the installed cluster: with the rights of `jobs`, with none, and from a pod."""

from __future__ import annotations

import hashlib
import json
import secrets
import ssl
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from installer.cluster import load
from tests.system.harness import CLUSTER_FILE, Atoll, wait_for

JOBS = "--as=system:serviceaccount:atoll-system:jobs"
DATABASE_ACCOUNT = "--as=system:serviceaccount:atoll-system:database"
PLATFORM = "registry.atoll.internal:5000/atoll/platform"
# Everybody may ask for names, and browsers come from anywhere.
OPEN = {("kube-dns", 53), ("gateway", 8080), ("gateway", 8443)}
# A policy is enforced some moments after its pod has begun: tasks wait for that, and so does this.
CONNECT = """
import socket, sys, time
if sys.argv[1] == "later":
    time.sleep(10)
from concurrent.futures import ThreadPoolExecutor
def reach(target):
    host, port = target.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 2).close()
        return target
    except OSError:
        return ""
with ThreadPoolExecutor(64) as pool:
    print("reached", *filter(None, pool.map(reach, sys.argv[2:])))
"""


# As a service of the platform, with all that its pod holds: in clear, and to remove what was done.
DATABASE = """
import asyncio, asyncpg
from atoll.configuration import load
from atoll.database.connection import tls, url
told = load()
where = url(told)
async def ask(encrypted, statement):
    try:
        made = await asyncpg.connect(host=where.host, port=where.port, user=where.username, password=where.password,
                                     database=where.database, ssl=encrypted, timeout=10)
        try:
            print(await made.fetchval(statement))
        finally:
            await made.close()
    except asyncpg.PostgresError as error:
        print(error)
async def main():
    await ask(False, "SELECT 1")
    await ask(tls(told), "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    await ask(tls(told), "DELETE FROM audit")
    await ask(tls(told), "SELECT password_hash FROM users LIMIT 1")
asyncio.run(main())
"""


# What the kubelet's certificate is worth is not asked here: who has none to show gets no answer.
KUBELETS_OWN = "/var/lib/kubelet/pki/kubelet-client-current.pem"
WITHOUT_CREDENTIALS = """
import ssl, sys, urllib.error, urllib.request
context = ssl._create_unverified_context()
if own := globals().get("AS"):
    context.load_cert_chain(own)
for url in sys.argv[1:]:
    try:
        with urllib.request.urlopen(url, timeout=10, context=context) as answer:
            print(url, answer.status)
    except urllib.error.HTTPError as error:
        print(url, error.code)
"""


def asked(atoll: Atoll, wanted: dict[str, Any], *words: str) -> str:
    """What is said when it is made; nothing is kept."""
    file = atoll.file.with_name("asked.json")
    file.write_text(json.dumps(wanted))
    ran = atoll.kubectl("create", "--dry-run=server", "-f", str(file), *words, ok=(0, 1))
    return "" if ran.code == 0 else ran.err + ran.out


def test_jobs_cannot_become_root_of_the_cluster(atoll: Atoll) -> None:
    """A name space that only looks like a virtual cluster's, in it a pod with the root directory of a master."""
    for labels in ({"pod-security.kubernetes.io/enforce": "privileged"}, {}):
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vc-evil", "labels": labels}}
        assert "atoll-virtual-clusters" in asked(atoll, namespace, JOBS)
    label = ("label", "--overwrite", "--dry-run=server", "namespace", "vc-default")
    for who, why in (([], "atoll-virtual-clusters"), ([JOBS], "forbidden")):
        ran = atoll.kubectl(*label, "pod-security.kubernetes.io/enforce=privileged", *who, ok=(1,))
        assert why in ran.err
    container = {"name": "task", "image": f"{PLATFORM}:1", "securityContext": {"privileged": True}}
    pod = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "securityContext": {"runAsUser": 30001, "runAsGroup": 30001},
        "containers": [container],
        "volumes": [{"name": "root", "hostPath": {"path": "/"}}],
        "tolerations": [{"operator": "Exists"}],
        "nodeSelector": {"node-role.kubernetes.io/control-plane": ""},
    }
    job = {"completions": 1, "parallelism": 1, "template": {"spec": pod}}
    job_set = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "evil", "namespace": "vc-default", "labels": {"kueue.x-k8s.io/queue-name": "admin"}},
        "spec": {"suspend": True, "replicatedJobs": [{"name": "task", "replicas": 1, "template": {"spec": job}}]},
    }
    assert "atoll-tasks" in asked(atoll, job_set, JOBS)
    # A wall with a hole, and a secret that Kubernetes would fill with a token.
    own = {"podSelector": {"matchLabels": {"atoll.io/attempt": "evil"}}}
    at: dict[str, Any] = {"name": "t-evil", "namespace": "vc-default"}
    names = {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
        "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
    }
    ports = [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 53}]
    rules: list[dict[str, Any]] = [{"to": [own]}, {"to": [names], "ports": ports}]
    wall = {**own, "policyTypes": ["Ingress", "Egress"], "ingress": [{"from": [own]}], "egress": rules}
    policy = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": at, "spec": wall}
    assert asked(atoll, policy, JOBS) == ""
    rules.append({})
    assert "atoll-jobs-stay-in-virtual-clusters" in asked(atoll, policy, JOBS)
    of_account = {**at, "annotations": {"kubernetes.io/service-account.name": "default"}}
    token = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": of_account,
        "type": "kubernetes.io/service-account-token",
    }
    assert "atoll-jobs-stay-in-virtual-clusters" in asked(atoll, token, JOBS)
    bare = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "evil", "namespace": "vc-default"}, "spec": pod}
    assert "forbidden" in asked(atoll, bare, JOBS)
    assert "vc-evil" not in atoll.kubectl("get", "namespaces", "-o", "name").out


def test_who_goes_into_a_pod_or_reads_a_secret_is_in_the_audit_log(atoll: Atoll) -> None:
    mark = f"seen-{secrets.token_hex(6)}"
    atoll.kubectl("-n", "atoll-system", "exec", "database-0", "-c", "upkeep", "--", "echo", mark)
    atoll.kubectl("-n", "atoll-system", "get", "secret", mark, ok=(1,))

    def entries() -> set[tuple[str, str]]:
        lines = atoll.node("master1", "grep", mark, "/var/log/kubernetes/audit.log", ok=(0, 1)).out.splitlines()
        about = [json.loads(line)["objectRef"] for line in lines]
        return {(one["resource"], one.get("subresource", "")) for one in about}

    wait_for("both entries", lambda: entries() >= {("pods", "exec"), ("secrets", "")}, 20)


def test_who_is_nobody_is_told_by_the_api_server_that_it_is_well_and_nothing_else(atoll: Atoll) -> None:
    nodes = atoll.kubectl("get", "node", "master1", "-o", "json").json
    address = next(one["address"] for one in nodes["status"]["addresses"] if one["type"] == "InternalIP")
    trusted = ssl.create_default_context(cafile=str(atoll.state / "pki/kubernetes/ca.crt"))
    with httpx.Client(base_url=f"https://{address}:6443", verify=trusted, timeout=10) as client:
        told = {
            path: client.get(path).status_code
            for path in ("/readyz", "/version", "/api/v1/namespaces/kube-public/configmaps/cluster-info", "/metrics")
        }
    assert list(told.values()) == [200, 401, 401, 401], told


def test_the_database_hears_services_by_tls_alone_and_lets_none_remove_what_was_done(atoll: Atoll) -> None:
    told = {
        service: atoll.kubectl(
            "-n", "atoll-system", "exec", f"deployment/{service}", "--", "python3", "-c", DATABASE
        ).out.splitlines()
        for service in ("api", "jobs")
    }
    for service, (in_clear, encrypted, removed, _) in told.items():
        assert "pg_hba.conf rejects connection" in in_clear, service
        assert "no encryption" in in_clear, service
        assert encrypted == "TLSv1.3", service
        assert removed == "permission denied for table audit", f"{service} may remove what was done: {removed}"
    assert told["jobs"][3] == "permission denied for table users"
    assert told["api"][3].startswith("$argon2")


def test_the_database_makes_what_patroni_keeps_and_nothing_else(atoll: Atoll) -> None:
    def made(name: str) -> str:
        metadata = {"name": name, "namespace": "atoll-system"}
        return asked(atoll, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}, DATABASE_ACCOUNT)

    assert "atoll-database-makes-its-own" in made("evil")
    told = {name: made(f"atoll-{name}") for name in ("config", "leader", "failover", "sync")}
    assert {name for name, said in told.items() if said and "already exists" not in said} == set(), told
    assert "already exists" in told["leader"], "Patroni has elected none"


def test_a_kubelet_answers_nobody_who_shows_no_credentials(atoll: Atoll) -> None:
    """Asked from a worker, whom the firewall lets come."""
    nodes = atoll.kubectl("get", "nodes", "-o", "json").json["items"]
    addresses = [one["address"] for node in nodes for one in node["status"]["addresses"] if one["type"] == "InternalIP"]
    assert len(addresses) == len(nodes) >= 4
    urls = [f"https://{address}:10250/{path}" for address in addresses for path in ("pods", "metrics")]
    told = atoll.node("worker1", "python3", "-c", WITHOUT_CREDENTIALS, *urls).out.splitlines()
    assert told == [f"{url} 401" for url in urls]
    # Whom it knows, another node's kubelet, it answers no more than that.
    as_worker1 = f"AS = '{KUBELETS_OWN}'\n{WITHOUT_CREDENTIALS}"
    told = atoll.node("worker1", "python3", "-c", as_worker1, *urls).out.splitlines()
    assert told == [f"{url} 403" for url in urls]


def test_every_node_can_keep_tasks_out_of_the_groups_of_their_images(atoll: Atoll) -> None:
    nodes = atoll.kubectl("get", "nodes", "-o", "json").json["items"]
    can = {node["metadata"]["name"]: node["status"].get("features", {}) for node in nodes}
    assert {name for name, features in can.items() if not features.get("supplementalGroupsPolicy")} == set(), can


def test_every_node_says_whether_tasks_have_user_namespaces_there_or_why_not(atoll: Atoll) -> None:
    """Each has tried by itself: the label is the answer, and a no has its reason."""
    told = {
        node["metadata"]["name"]: (
            node["metadata"]["labels"].get("atoll.io/user-namespaces"),
            node["metadata"].get("annotations", {}).get("atoll.io/no-user-namespaces"),
        )
        for node in atoll.kubectl("get", "nodes", "-o", "json").json["items"]
    }
    assert len(told) >= 4
    assert {name for name, (label, why) in told.items() if label != ("false" if why else "true")} == set(), told
    # Who had tried before user data were mounted would not name them: of GlusterFS there are no idmapped mounts.
    assert all("has no idmapped mounts (/mnt/atoll/home)" in (why or "") for _, why in told.values()), told


def test_the_roots_key_is_on_no_node(atoll: Atoll) -> None:
    key = (atoll.state / "pki/ca.key").read_bytes()
    mirrored = f"/var/lib/atoll/clusters/{atoll.name}/pki"
    assert "ca.crt" in atoll.node("master1", "ls", mirrored).out.split()
    places = ("/etc", "/opt", "/root", "/var/lib/atoll", "/var/lib/kubelet", "/var/log", "/var/tmp", "/tmp")
    find = ("find", *places, "-xdev", "-type", "f", "-size", "-64k")
    for node in (each.name for each in load(CLUSTER_FILE).nodes):
        # By what is in it, whatever it is called; one that is gone before it is read (1) was runc's.
        sums = atoll.node(node, *find, "-exec", "sha256sum", "{}", "+", ok=(0, 1)).out.splitlines()
        assert len(sums) > 50, node
        found = {line.split(maxsplit=1)[1] for line in sums if line.startswith(hashlib.sha256(key).hexdigest())}
        assert not found, f"{node}: {found}"


def test_what_the_system_keeps_is_for_its_own_account(atoll: Atoll) -> None:
    assert atoll.node("master1", "stat", "--format", "%a", "/var/lib/etcd").out.strip() == "700"
    found = atoll.kubectl("get", "persistentvolumes", "-o", "json").json["items"]
    paths = [item["spec"]["hostPath"]["path"] for item in found if item["spec"].get("storageClassName") == "local-path"]
    assert len(paths) >= 3
    told = atoll.node("master1", "stat", "--format", "%a %u", *paths).out.split("\n")
    assert {line for line in told if line} == {"700 65534"}


def listening(atoll: Atoll, protocol: str = "TCP") -> dict[str, tuple[str, int]]:
    """Every port that the system's pods not on their node's network declare or are probed at, by its address."""
    found = {}
    for pod in atoll.kubectl("get", "pods", "-A", "-o", "json").json["items"]:
        spec, status, metadata = pod["spec"], pod["status"], pod["metadata"]
        if spec.get("hostNetwork") or status["phase"] != "Running" or metadata["namespace"].startswith("vc-"):
            continue
        labels = metadata.get("labels", {})
        name = labels.get("app.kubernetes.io/name") or labels.get("k8s-app") or metadata["name"]
        for container in spec["containers"]:
            told = container.get("ports", ())
            ports = {each["containerPort"] for each in told if each.get("protocol", "TCP") == protocol}
            probes = [container.get(f"{kind}Probe", {}) for kind in ("startup", "liveness", "readiness")]
            asked = {probe[way]["port"] for probe in probes for way in ("httpGet", "tcpSocket") if way in probe}
            asked = asked if protocol == "TCP" else set()
            for port in ports | {each for each in asked if isinstance(each, int)}:
                found[f"{status['podIP']}:{port}"] = (name, port)
    return found


def from_a_pod(atoll: Atoll, namespace: str, targets: list[str]) -> set[str]:
    """Which of them a pod like a task's reaches."""
    pods = atoll.kubectl("-n", "atoll-system", "get", "pods", "-o", "json").json["items"]
    images = [container["image"] for pod in pods for container in pod["spec"]["containers"]]
    container = {
        "name": "task",
        "image": next(image for image in images if image.startswith(PLATFORM)),
        "command": ["python3", "-c", CONNECT, "later", *targets],
        "resources": {"limits": {"ephemeral-storage": "1Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    spec = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 30001,
            "runAsGroup": 30001,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
    }
    name = f"reaching-{namespace}"
    metadata = {"name": name, "namespace": namespace, "labels": {"atoll.io/attempt": "reaching"}}
    file = atoll.file.with_name(f"{name}.json")
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}))
    atoll.kubectl("apply", "-f", str(file))
    try:
        done = ("-n", namespace, "get", "pod", name, "-o", "jsonpath={.status.phase}")
        wait_for("the pod's end", lambda: atoll.kubectl(*done).out in ("Succeeded", "Failed"), 60)
        lines = atoll.kubectl("-n", namespace, "logs", name).out.split()
    finally:
        atoll.kubectl("-n", namespace, "delete", "pod", name, "--grace-period=1", "--wait=false")
    assert lines[0] == "reached", lines
    return set(lines[1:])


@pytest.mark.timeout(180)
def test_pods_reach_no_port_of_the_system_but_names_and_the_portal(atoll: Atoll) -> None:
    ports = listening(atoll)
    assert {name for name, _ in ports.values()} >= {"api", "database", "prometheus", "kube-state-metrics", "kube-dns"}
    # A pod without any policy of its own: what holds it off is at the other end.
    with ThreadPoolExecutor(2) as pool:  # each pod waits for its policy first
        default, tasks = pool.map(lambda each: from_a_pod(atoll, each, list(ports)), ("default", "vc-default"))
    reached = {ports[target] for target in default}
    assert reached <= OPEN, reached - OPEN
    assert ("kube-dns", 53) in reached
    assert tasks == set()
    # They do listen: their own node is let in, for the kubelet's probes.
    own = atoll.node("master1", "python3", "-c", CONNECT, "now", *ports).out.split()
    assert {ports[target][0] for target in own[1:]} >= {"api", "database", "prometheus", "kube-state-metrics"}


@pytest.mark.timeout(120)
def test_each_service_reaches_whom_it_asks_and_nobody_else(atoll: Atoll) -> None:
    nodes = atoll.kubectl("get", "nodes", "-o", "json").json["items"]
    addresses = {
        node["metadata"]["name"]: one["address"]
        for node in nodes
        for one in node["status"]["addresses"]
        if one["type"] == "InternalIP"
    }
    of_nodes = {
        f"{address}:{port}": (name, port)
        for name, address in addresses.items()
        for port in (22, 443, 2379, 5443, 6443, 7444, 9100, 10250)
    }
    targets = {**listening(atoll), **of_nodes}
    asked = ("get", "services", "-A", "-o", "json")
    services = {
        (item["metadata"]["name"], port["port"]): f"{item['spec']['clusterIP']}:{port['port']}"
        for item in atoll.kubectl(*asked).json["items"]
        for port in item["spec"]["ports"]
        if port.get("protocol", "TCP") == "TCP" and item["spec"].get("clusterIP", "None") != "None"
    }
    targets |= {target: name for name, target in services.items()}

    def reached(service: str) -> set[tuple[str, int]]:
        inside = ("-n", "atoll-system", "exec", f"deployment/{service}", "--")
        told = atoll.kubectl(*inside, "python3", "-c", CONNECT, "now", *targets).out.split()
        assert told[0] == "reached", told
        return {targets[target] for target in told[1:]}

    # Also itself, by its own pod's address.
    names, database = ("kube-dns", 53), {("database", 5432)}
    master = {("master1", 6443), ("kubernetes", 443)}
    assert reached("files") == {("files", 8002)}
    assert reached("jobs") == {("jobs", 8001), names, ("files", 8002), *database, *master}
    measured = ("prometheus", 9090)
    assert reached("api") == {
        ("api", 8000),
        names,
        ("files", 8002),
        ("jobs", 8001),
        measured,
        ("master1", 7444),
        *database,
    }
