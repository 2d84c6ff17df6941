"""What may come to be in virtual clusters, asked of a real API server with the policies as they are installed.

What the engine renders passes, in each of its shapes; each step beside them is refused, to `jobs` and to anybody else.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from atoll.engines.kubernetes import manifests, provisioning

from tests.apiserver.server import CLUSTER, CONTROLLER, JOBS, STORAGE, ApiServer, Object, denied_by
from tests.unit.platform.engines.test_kubernetes import submission

PORT = {"name": "web", "number": 8080}
OWN_IMAGE = {
    "image": "registry.atoll.internal:5000/imported/tool:1@sha256:1",
    "runtime": "registry.atoll.internal:5000/atoll/runtime:0.1.0",
    "working_directory": "/app",
}
UNTYPED = {"type": None, "resource": None, "architecture": None}
SHAPES: dict[str, dict[str, Any]] = {
    "one node with devices": {},
    "two nodes": {"nodes": 2},
    "no devices on any machine": {"devices": 0, "of": UNTYPED},
    "an image of one's own": {**OWN_IMAGE},
    "an image of one's own without devices": {**OWN_IMAGE, "devices": 0, "of": {**UNTYPED, "architecture": "arm64"}},
    "variables, plain and secret": {"variables": {"PLAIN": "$(X)"}, "secrets": {"TOKEN": "hunter2"}},
    "data sets and models": {
        "mounts": [
            {"kind": "dataset", "source": "datasets/coco/3", "target": "/data", "read_only": True},
            {"kind": "model", "source": "models/bert/1", "target": "/model", "read_only": True},
        ]
    },
    "a service asked by HTTP": {
        "mode": "service",
        "ports": [PORT],
        "readiness": {"by": "http", "port": "web", "path": "/ready"},
    },
    "a service asked by TCP": {"mode": "service", "ports": [PORT], "readiness": {"by": "tcp", "port": "web"}},
    "a service asked by a command": {"mode": "service", "readiness": {"by": "command", "command": ["true"]}},
}


def job_of(job_set: Object) -> Object:
    """As the controller of JobSets makes it, as far as it is asked about."""
    (replicated,) = job_set["spec"]["replicatedJobs"]
    name = f"{job_set['metadata']['name']}-{replicated['name']}-0"
    found = copy.deepcopy(replicated["template"])
    metadata = {**found["metadata"], "name": name, "namespace": job_set["metadata"]["namespace"]}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": found["spec"]}


def pod_of(job_set: Object) -> Object:
    """As the controller of Jobs makes it."""
    job = job_of(job_set)
    found = job["spec"]["template"]
    index = {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}
    for container in (*found["spec"].get("initContainers", ()), *found["spec"]["containers"]):
        container["env"].append({"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": index}})
    found["spec"] |= {"hostname": f"{job['metadata']['name']}-0", "subdomain": job_set["metadata"]["name"]}
    metadata = {**found["metadata"], "name": f"{job['metadata']['name']}-0-x", "namespace": "vc-default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": found["spec"]}


@pytest.mark.parametrize("user_namespace", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_the_engine_makes_of_a_task_is_admitted(api_server: ApiServer, shape: str, user_namespace: bool) -> None:
    given = submission(**SHAPES[shape])
    made = manifests.job_set(given, user_namespace=user_namespace)
    assert api_server.apply(manifests.network_policy(manifests.job_set(given)), JOBS).is_success
    if (secret := manifests.secret(given, "1f0c1fe0-0000-4000-8000-000000000000")) is not None:
        assert api_server.apply(secret, JOBS).is_success
    for wanted, user in ((made, JOBS), (job_of(made), CONTROLLER), (pod_of(made), CONTROLLER)):
        answer = api_server.create(wanted, user)
        # The controllers have their rights from the controller manager's start on; here the administrator lends his.
        answer = api_server.create(wanted) if answer.status_code == 403 and "RBAC" not in answer.text else answer
        assert answer.is_success, answer.text


def test_what_the_engine_makes_of_a_virtual_cluster_is_admitted_again(api_server: ApiServer) -> None:
    for wanted in provisioning.manifests(CLUSTER, cpu_cores=16, memory_bytes=1 << 34, machines=2, storage_root=STORAGE):
        answer = api_server.apply(wanted, JOBS)
        assert answer.is_success, answer.text


Change = Callable[[Object], None]
HOST = {"name": "root", "hostPath": {"path": "/"}}
TOKEN = {"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}


def of_pod(**fields: Any) -> Change:
    return lambda pod: pod.update(fields)


def of_container(**fields: Any) -> Change:
    return lambda pod: pod["containers"][0].update(fields)


def of_security(**fields: Any) -> Change:
    return lambda pod: pod["securityContext"].update(fields)


def of_container_security(**fields: Any) -> Change:
    return lambda pod: pod["containers"][0]["securityContext"].update(fields)


def volume(added: Object) -> Change:
    return lambda pod: pod["volumes"].append(added)


def another_container(where: str, **fields: Any) -> Change:
    def change(pod: Object) -> None:
        pod[where] = [*pod.get(where, ()), {**copy.deepcopy(pod["containers"][0]), "name": "more", **fields}]

    return change


def whole_homes(pod: Object) -> None:
    for mount in pod["containers"][0]["volumeMounts"]:
        if mount["name"] == "home":
            del mount["subPath"]


def homes_at(sub_path: str) -> Change:
    def change(pod: Object) -> None:
        for mount in pod["containers"][0]["volumeMounts"]:
            if mount["name"] == "home":
                mount["subPath"] = sub_path

    return change


def variable(source: Object) -> Change:
    return lambda pod: pod["containers"][0]["env"].append({"name": "LOOT", "valueFrom": source})


def affinity(kind: str) -> Change:
    term = {"matchExpressions": [{"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"}]}
    near = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"component": "etcd"}}}
    rule = {"nodeSelectorTerms": [term]} if kind == "nodeAffinity" else [near]
    return of_pod(affinity={kind: {"requiredDuringSchedulingIgnoredDuringExecution": rule}})


MASTER = {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}
PROBE = {"httpGet": {"port": 2379, "path": "/", "host": "127.0.0.1"}}
HOSTILE: dict[str, tuple[Change, str]] = {
    "the node's root directory": (volume(HOST), "mount user data"),
    "the user data by hostPath": (volume({"name": "x", "hostPath": {"path": "/mnt/atoll"}}), "mount user data"),
    "a token by a projected volume": (volume(TOKEN), "mount user data"),
    "a secret as a volume": (volume({"name": "s", "secret": {"secretName": "t-other"}}), "mount user data"),
    "another claim": (volume({"name": "c", "persistentVolumeClaim": {"claimName": "data"}}), "mount user data"),
    "another ConfigMap": (volume({"name": "m", "configMap": {"name": "kube-root-ca.crt"}}), "mount user data"),
    "a CSI driver": (volume({"name": "d", "csi": {"driver": "x"}}), "mount user data"),
    "an NFS server": (volume({"name": "n", "nfs": {"server": "10.0.0.1", "path": "/"}}), "mount user data"),
    "a volume from elsewhere": (volume({"name": "i", "image": {"reference": "far/away"}}), "mount user data"),
    "all homes": (whole_homes, "never the whole"),
    "all homes by a dot": (homes_at("."), "never the whole"),
    "all homes by a dot and a slash": (homes_at("./"), "never the whole"),
    "a home behind a dot": (homes_at("./ada"), "never the whole"),
    "a home that ends with a dot": (homes_at("ada/."), "never the whole"),
    "the node's network": (of_pod(hostNetwork=True), "node's network"),
    "the node's processes": (of_pod(hostPID=True), "node's network"),
    "the node's IPC": (of_pod(hostIPC=True), "node's network"),
    "the node's users": (of_pod(hostUsers=True), "users of their node"),
    "the node's whole disk": (of_container(resources={"limits": {"cpu": "1"}}), "own disk has a limit"),
    "a port of the node": (of_container(ports=[{"containerPort": 80, "hostPort": 80}]), "node's network"),
    "a privileged container": (
        of_container_security(privileged=True, allowPrivilegeEscalation=True), "none of root's powers"),
    "escalation": (of_container_security(allowPrivilegeEscalation=True), "none of root's powers"),
    "a capability": (
        of_container_security(capabilities={"drop": ["ALL"], "add": ["SYS_ADMIN"]}), "none of root's powers"),
    "kept capabilities": (of_container_security(capabilities={}), "none of root's powers"),
    "root": (of_security(runAsUser=0, runAsGroup=0), "its own user"),
    "an account of the system": (of_security(runAsUser=2000, runAsGroup=2000), "its own user"),
    "root in the container": (of_container_security(runAsUser=0), "its own user"),
    "another group": (of_security(runAsGroup=0), "own group"),
    "more groups": (of_security(supplementalGroups=[0]), "own group"),
    "a group for volumes": (of_security(fsGroup=30008), "own group"),
    "a setting of the kernel": (of_security(sysctls=[{"name": "kernel.msgmax", "value": "1"}]), "own group"),
    "a token": (of_pod(automountServiceAccountToken=True), "no token"),
    "another service account": (of_pod(serviceAccountName="builder"), "no service account"),
    "a node by name": (of_pod(nodeName="master1"), "decided by the scheduler"),
    "a master by its role": (
        of_pod(nodeSelector={"node-role.kubernetes.io/control-plane": ""}), "decided by the scheduler"),
    "a node by its label": (of_pod(nodeSelector={"kubernetes.io/hostname": "master1"}), "decided by the scheduler"),
    "a node that gives no user namespaces": (
        of_pod(nodeSelector={"atoll.io/user-namespaces": "false"}), "decided by the scheduler"),
    "a master's taint": (of_pod(tolerations=[MASTER]), "decided by the scheduler"),
    "every taint": (of_pod(tolerations=[{"operator": "Exists"}]), "decided by the scheduler"),
    "a master by affinity": (affinity("nodeAffinity"), "decided by the scheduler"),
    "beside etcd by affinity": (affinity("podAffinity"), "decided by the scheduler"),
    "another scheduler": (of_pod(schedulerName="mine"), "decided by the scheduler"),
    "another runtime": (of_pod(runtimeClassName="bare"), "decided by the scheduler"),
    "a priority of the system": (of_pod(priorityClassName="system-node-critical"), "priorities of the system"),
    "an image from elsewhere": (of_container(image="far.example/away:1"), "the registry of the cluster"),
    "a second container from elsewhere": (another_container("containers", image="far/away"), "the registry"),
    "an init container from elsewhere": (another_container("initContainers", image="far/away"), "the registry"),
    "a privileged init container": (
        another_container("initContainers", securityContext={"privileged": True}), "none of root's powers"),
    "another task's secrets": (
        of_container(envFrom=[{"secretRef": {"name": "t-other-1"}}]), "its own secret variables"),
    "a ConfigMap as variables": (
        of_container(envFrom=[{"configMapRef": {"name": "entry"}}]), "its own secret variables"),
    "a key of another secret": (
        variable({"secretKeyRef": {"name": "t-other-1", "key": "TOKEN"}}), "its own secret variables"),
    "a probe of another host": (of_container(readinessProbe=PROBE), "nothing but their own readiness"),
    "a probe that ends containers": (of_container(livenessProbe=PROBE), "nothing but their own readiness"),
    "a hook of another host": (of_container(lifecycle={"preStop": PROBE}), "nothing but their own readiness"),
}  # fmt: skip


@pytest.mark.parametrize("step", HOSTILE)
def test_a_step_beside_the_shape_of_a_task_is_refused_whoever_makes_it(api_server: ApiServer, step: str) -> None:
    change, said = HOSTILE[step]
    made = manifests.job_set(submission())
    change(made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"])
    for wanted, user in ((made, JOBS), (made, None), (job_of(made), None)):
        answer = api_server.create(wanted, user)
        refused = denied_by(answer)
        assert refused.startswith("atoll-tasks: "), f"{wanted['kind']}: {answer.text}"
        assert said in refused
    # A pod is refused for its level as well, or for what is not there, by the server itself.
    pod = api_server.create(pod_of(made))
    assert pod.status_code in (403, 422), pod.text
    assert said in denied_by(pod) or not denied_by(pod), pod.text


def test_a_task_that_leaves_its_groups_to_its_image_is_refused_but_not_one_of_an_earlier_version(
    api_server: ApiServer,
) -> None:
    made = manifests.job_set(submission())
    security = made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["securityContext"]
    assert security["supplementalGroupsPolicy"] == "Strict"
    security["supplementalGroupsPolicy"] = "Merge"
    for wanted in (made, job_of(made), pod_of(made)):
        answer = api_server.create(wanted)
        assert "an image cannot put its user into groups" in denied_by(answer), answer.text
    # It is submitted while its `jobs` is replaced; refused, it would end for good.
    del security["supplementalGroupsPolicy"]
    assert api_server.create(made, JOBS).is_success
    for wanted in (job_of(made), pod_of(made)):
        assert api_server.create(wanted).is_success


def test_a_pod_of_no_attempt_has_no_policy_and_is_refused(api_server: ApiServer) -> None:
    made = pod_of(manifests.job_set(submission()))
    del made["metadata"]["labels"]["atoll.io/attempt"]
    assert "belong to an attempt" in denied_by(api_server.create(made))


def namespace(name: str, **labels: str | None) -> Object:
    """That of a virtual cluster with other labels; None takes one away."""
    found, *_ = provisioning.manifests(
        CLUSTER.model_copy(update={"name": name.removeprefix("vc-")}),
        cpu_cores=1,
        memory_bytes=1,
        machines=1,
        storage_root=STORAGE,
    )
    changed = found["metadata"]["labels"] | {key.replace("__", "/").replace("_", "-"): v for key, v in labels.items()}
    wanted = {key: value for key, value in changed.items() if value is not None}
    return {**found, "metadata": {"name": name, "labels": wanted}}


LEVEL = "pod-security.kubernetes.io__enforce"


@pytest.mark.parametrize(
    "wanted",
    [
        namespace("vc-evil", **{LEVEL: "privileged"}),
        namespace("vc-evil", **{LEVEL: None}),
        namespace("vc-evil", **{"pod-security.kubernetes.io__enforce-version": "v1.20"}),
        namespace("vc-evil", **{"atoll.io__virtual-cluster": None}),
        namespace("vc-evil", **{"atoll.io__virtual-cluster-name": "default"}),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "vc-evil"}},
    ],
    ids=["privileged", "no level", "an old level", "no virtual cluster", "another's name", "bare"],
)
def test_a_name_space_that_only_looks_like_a_virtual_cluster_is_refused(api_server: ApiServer, wanted: Object) -> None:
    for user in (JOBS, None):
        for answer in (api_server.create(wanted, user), api_server.apply(wanted, user)):
            assert denied_by(answer).startswith("atoll-virtual-clusters: "), answer.text


def test_a_virtual_cluster_cannot_be_given_another_level(api_server: ApiServer) -> None:
    for label, value in (("pod-security.kubernetes.io/enforce", "privileged"), ("atoll.io/virtual-cluster", None)):
        patch = {"metadata": {"labels": {label: value}}}
        headers = {"Content-Type": "application/merge-patch+json"}
        for user in (JOBS, None):
            answer = api_server.ask(
                "PATCH", "/api/v1/namespaces/vc-default", user, json=patch, headers=headers, params={"dryRun": "All"}
            )
            assert denied_by(answer).startswith("atoll-virtual-clusters: "), answer.text


def test_no_other_name_space_becomes_a_virtual_cluster(api_server: ApiServer) -> None:
    wanted = namespace("vc-x")
    wanted["metadata"]["name"] = "kube-system"
    assert denied_by(api_server.apply(wanted)).startswith("atoll-virtual-clusters: ")
    assert denied_by(api_server.apply(wanted, JOBS)).startswith("atoll-")


def stray(kind: str, version: str, name: str, **more: Any) -> Object:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **more.pop("at", {})}, **more}


SYSTEM = {"at": {"namespace": "kube-system"}}
VC = {"at": {"namespace": "vc-default"}}
DENY = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


@pytest.mark.parametrize(
    "wanted",
    [
        stray("ConfigMap", "v1", "coredns", **SYSTEM),
        stray("Secret", "v1", "t-x", **SYSTEM),
        stray("Namespace", "v1", "mine"),
        stray("Cohort", "kueue.x-k8s.io/v1beta2", "cluster", spec={}),
        stray("ClusterQueue", "kueue.x-k8s.io/v1beta2", "all", spec={}),
        stray("NetworkPolicy", "networking.k8s.io/v1", "open", spec={"podSelector": {}, "ingress": [{}]}, **VC),
        stray("NetworkPolicy", "networking.k8s.io/v1", "t-1", spec={"podSelector": {}, "egress": [{}]}, **VC),
        stray("NetworkPolicy", "networking.k8s.io/v1", "default-deny", spec={**DENY, "ingress": [{}]}, **VC),
    ],
    ids=lambda item: f"{item['kind']} {item['metadata']['name']}",
)
def test_jobs_writes_nothing_beyond_its_virtual_clusters_and_opens_none(api_server: ApiServer, wanted: Object) -> None:
    answer = api_server.apply(wanted, JOBS)
    assert denied_by(answer).startswith("atoll-jobs-stay-in-virtual-clusters: "), answer.text


SERVED = submission(mode="service", ports=[PORT], readiness={"by": "tcp", "port": "web"})
ANYWHERE = {"ipBlock": {"cidr": "0.0.0.0/0"}}
SERVER = {"protocol": "TCP", "port": 6443}
OPENINGS: dict[str, Change] = {
    "everything out": lambda rules: rules.update(egress=[{}]),
    "everything out beside the rest": lambda rules: rules["egress"].append({}),
    "every address out": lambda rules: rules["egress"][0]["to"].append(ANYWHERE),
    "every address out as names": lambda rules: rules["egress"][1].update(to=[ANYWHERE]),
    "a further port of names": lambda rules: rules["egress"][1]["ports"].append(SERVER),
    "every port of names": lambda rules: rules["egress"][1].pop("ports"),
    "every pod beside names": lambda rules: rules["egress"][1]["to"][0].pop("podSelector"),
    "no word about out": lambda rules: rules.update(policyTypes=["Ingress"]),
    "everything in": lambda rules: rules.update(ingress=[{}]),
    "every pod in": lambda rules: rules["ingress"][0]["from"].append({"podSelector": {}}),
    "everybody to its ports": lambda rules: rules["ingress"][1].pop("from"),
    "every pod of the platform to its ports": lambda rules: rules["ingress"][1]["from"][0].pop("podSelector"),
    "the gateway to every port": lambda rules: rules["ingress"][1].pop("ports"),
    "the gateway to a range of ports": lambda rules: rules["ingress"][1]["ports"][0].update(endPort=65535),
    "another attempt": lambda rules: rules["egress"][0].update(
        to=[{"podSelector": {"matchLabels": {"atoll.io/attempt": "other-1"}}}]),
}  # fmt: skip


@pytest.mark.parametrize("opening", OPENINGS)
def test_an_attempt_is_opened_as_the_engine_does_it_and_no_further(api_server: ApiServer, opening: str) -> None:
    wanted = copy.deepcopy(manifests.network_policy(manifests.job_set(SERVED)))
    OPENINGS[opening](wanted["spec"])
    answer = api_server.apply(wanted, JOBS)
    refused = denied_by(answer)
    assert refused.startswith("atoll-jobs-stay-in-virtual-clusters: pods of an attempt"), answer.text


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("t-1", {"type": "kubernetes.io/service-account-token"}),
        ("t-1", {"type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": "{}"}}),
        ("mine", {"type": "Opaque"}),
    ],
    ids=["a token of a service account", "a key of a registry", "of no attempt"],
)
def test_jobs_makes_no_secret_but_variables_of_attempts(api_server: ApiServer, name: str, more: dict[str, Any]) -> None:
    at = {"namespace": "vc-default", "annotations": {"kubernetes.io/service-account.name": "default"}}
    answer = api_server.apply(stray("Secret", "v1", name, at=at, **more), JOBS)
    refused = denied_by(answer)
    assert refused.startswith("atoll-jobs-stay-in-virtual-clusters: secrets are the variables"), answer.text


def test_jobs_cannot_take_the_wall_of_a_virtual_cluster_away(api_server: ApiServer) -> None:
    path = "/apis/networking.k8s.io/v1/namespaces/vc-default/networkpolicies/default-deny"
    answer = api_server.ask("DELETE", path, JOBS, params={"dryRun": "All"})
    assert denied_by(answer).startswith("atoll-jobs-stay-in-virtual-clusters: "), answer.text
