"""What the system's own accounts may make, asked of a real API server: who steals their token gets no further."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from atoll.engines.kubernetes import manifests

from tests.apiserver.server import ApiServer, Object, denied_by
from tests.apiserver.test_admission import job_of
from tests.unit.platform.engines.test_kubernetes import submission

JOB_SET = "system:serviceaccount:jobset-system:jobset-controller-manager"
KUEUE = "system:serviceaccount:kueue-system:kueue-controller-manager"
PROVISIONER = "system:serviceaccount:local-path-storage:local-path-provisioner"
VOLUMES = "/opt/local-path-provisioner"
Change = Callable[[Object], Any]


def stands(server: ApiServer, *wanted: Object) -> None:
    for item in wanted:
        answer = server.apply(item, keep=True)
        assert answer.is_success, answer.text


def helper_pod(installed: list[Object], action: str = "setup") -> Object:
    """As createHelperPod() of local-path-provisioner 0.0.30 makes it of its configuration."""
    (settings,) = (item for item in installed if item["metadata"]["name"] == "local-path-config")
    made: Object = yaml.safe_load(settings["data"]["helperPod.yaml"])
    pod = made["spec"]
    made["metadata"] = {"name": "helper-pod-create-pvc-1", "namespace": "local-path-storage"}
    pod |= {"nodeName": "master1", "serviceAccountName": "local-path-provisioner", "restartPolicy": "Never"}
    pod["tolerations"].append({"operator": "Exists"})
    keys = [{"key": name, "path": name} for name in ("setup", "teardown")]
    pod["volumes"] = [
        {"name": "data", "hostPath": {"path": f"{VOLUMES}/", "type": "DirectoryOrCreate"}},
        {"name": "script", "configMap": {"name": "local-path-config", "items": keys}},
    ]
    values = {"VOL_DIR": f"{VOLUMES}/pvc-1_atoll-system_data-database-0", "VOL_MODE": "Filesystem"}
    pod["containers"][0] |= {
        "command": ["/bin/sh", f"/script/{action}"],
        "args": ["-p", values["VOL_DIR"], "-s", "1", "-m", "Filesystem", "-a", "create"],
        "env": [{"name": name, "value": value} for name, value in {**values, "VOL_SIZE_BYTES": "1"}.items()],
        "volumeMounts": [
            {"name": "script", "mountPath": "/script"},
            {"name": "data", "mountPath": f"{VOLUMES}/"},
        ],
    }
    return made


def test_a_helper_that_makes_a_directory_is_admitted(api_server: ApiServer, installed: list[Object]) -> None:
    answer = api_server.create(helper_pod(installed), PROVISIONER)
    assert answer.is_success, answer.text


def of_pod(**fields: Any) -> Change:
    return lambda pod: pod.update(fields)


def of_container(**fields: Any) -> Change:
    return lambda pod: pod["containers"][0].update(fields)


def directory(value: str) -> Change:
    return lambda pod: pod["containers"][0]["env"][0].update(value=value)


HELPERS: dict[str, tuple[Change, str]] = {
    "another program": (of_container(command=["/bin/sh", "-c", "id"]), "runs nothing else"),
    "what takes volumes away": (of_container(command=["/bin/sh", "/script/teardown"]), "runs nothing else"),
    "another image": (of_container(image="registry.atoll.internal:5000/atoll/platform:1"), "runs nothing else"),
    "a second container": (lambda pod: pod["containers"].append({**pod["containers"][0], "name": "more"}), "nothing"),
    "a container before it": (
        lambda pod: pod.update(initContainers=[{**pod["containers"][0], "name": "more"}]), "runs nothing else"),
    "a variable of the loader": (
        lambda pod: pod["containers"][0]["env"].append({"name": "LD_PRELOAD", "value": "/x"}), "runs nothing else"),
    "the directory of all volumes": (directory(f"{VOLUMES}/."), "runs nothing else"),
    "a directory elsewhere": (directory(f"{VOLUMES}/../../etc"), "runs nothing else"),
    "the node's root directory": (
        lambda pod: pod["volumes"][0].update(hostPath={"path": "/", "type": "Directory"}), "nothing else of its node"),
    "a directory beside the volumes": (
        lambda pod: pod["volumes"][0].update(hostPath={"path": f"{VOLUMES}/../x"}), "nothing else of its node"),
    "a secret": (
        lambda pod: pod["volumes"].append({"name": "s", "secret": {"secretName": "x"}}), "nothing else of its node"),
    "a volume in the place of the script": (
        lambda pod: pod["containers"][0]["volumeMounts"][1].update(mountPath="/script/x"), "nothing else of its node"),
    "what lies in a volume": (
        lambda pod: pod["containers"][0]["volumeMounts"][1].update(subPath="pvc-1_a_b"), "nothing else of its node"),
    "another script": (
        lambda pod: pod["volumes"][1].update(configMap={"name": "mine"}), "nothing else of its node"),
    "privileges": (of_container(securityContext={"privileged": True}), "no more rights"),
    "the node's network": (of_pod(hostNetwork=True), "no more rights"),
    "the node's processes": (of_pod(hostPID=True), "no more rights"),
    # The server itself mounts it.
    "a token": (of_pod(automountServiceAccountToken=True), "nothing else of its node"),
}  # fmt: skip


@pytest.mark.parametrize("step", HELPERS)
def test_a_helper_does_nothing_else_on_its_node(api_server: ApiServer, installed: list[Object], step: str) -> None:
    change, said = HELPERS[step]
    wanted = helper_pod(installed)
    change(wanted["spec"])
    answer = api_server.create(wanted, PROVISIONER)
    refused = denied_by(answer)
    if "/.." in str(wanted["spec"]["volumes"]):  # the server itself refuses such a path
        assert answer.status_code == 422, answer.text
    else:
        assert refused.startswith("atoll-local-volumes: "), answer.text
        assert said in refused


def volume(path: str = f"{VOLUMES}/pvc-1_a_b", **more: Any) -> Object:
    source = {"hostPath": {"path": path, "type": "DirectoryOrCreate"}}
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local-path"}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pvc-1"}, "spec": spec | source | more}


def test_volumes_of_the_system_are_below_their_directory(api_server: ApiServer) -> None:
    answer = api_server.create(volume(), PROVISIONER)
    assert answer.is_success, answer.text
    for wanted in (volume("/"), volume("/etc/kubernetes"), volume(f"{VOLUMES}-x/y"), volume(storageClassName="mine")):
        answer = api_server.create(wanted, PROVISIONER)
        assert denied_by(answer).startswith("atoll-local-volumes: a volume of the system"), answer.text
    stands(api_server, {**volume("/mnt/atoll/home", storageClassName=""), "metadata": {"name": "not-its"}})
    path = "/api/v1/persistentvolumes/not-its"
    answer = api_server.ask("DELETE", path, PROVISIONER, params={"dryRun": "All"})
    assert denied_by(answer).startswith("atoll-local-volumes: a volume of the system"), answer.text


def service(namespace: str = "vc-default", **spec: Any) -> Object:
    """As the controller of JobSets makes it."""
    metadata = {"name": "t-01abc-1", "namespace": namespace}
    selector = {"selector": {"jobset.sigs.k8s.io/jobset-name": "t-01abc-1"}, "publishNotReadyAddresses": True}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": {"clusterIP": "None"} | selector | spec,
    }


def test_the_controller_of_job_sets_works_in_virtual_clusters(api_server: ApiServer) -> None:
    for wanted in (job_of(manifests.job_set(submission())), service()):
        answer = api_server.create(wanted, JOB_SET)
        assert answer.is_success, answer.text


def test_the_controller_of_job_sets_makes_nothing_for_the_system_and_takes_no_address(api_server: ApiServer) -> None:
    job = copy.deepcopy(job_of(manifests.job_set(submission())))
    job["metadata"]["namespace"] = "kube-system"
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    at = {"name": "more", "namespace": "atoll-system"}
    data = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": at, "spec": claim}
    for wanted in (job, data, service("atoll-system")):
        answer = api_server.create(wanted, JOB_SET)
        assert "write in namespaces of virtual clusters" in denied_by(answer), answer.text
    port: dict[str, Any] = {"ports": [{"port": 6443}]}
    for spec in ({"clusterIP": ""}, {"clusterIP": "", "type": "LoadBalancer"}, {"clusterIP": "10.96.0.77"}):
        answer = api_server.create(service(**{**spec, **port}), JOB_SET)
        assert "without an address of their own" in denied_by(answer), answer.text


@pytest.mark.parametrize("user", [JOB_SET, KUEUE])
def test_neither_of_the_queue_changes_or_ends_a_pod_of_the_system(api_server: ApiServer, user: str) -> None:
    pod = {"containers": [{"name": "one", "image": "one"}], "automountServiceAccountToken": False}
    at = {"namespace": "kube-system"}
    stands(
        api_server,
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", **at}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one", **at}, "spec": pod},
    )
    path, image = "/api/v1/namespaces/kube-system/pods/one", {"containers": [{"name": "one", "image": "two"}]}
    dry: dict[str, Any] = {"params": {"dryRun": "All"}}
    changed = {"headers": {"Content-Type": "application/strategic-merge-patch+json"}, "json": {"spec": image}}
    for method, more in (("PATCH", changed), ("DELETE", {})):
        answer = api_server.ask(method, path, user, **dry, **more)
        assert denied_by(answer).startswith("atoll-queue-stays-in-virtual-clusters: "), answer.text


def test_the_queue_tells_what_it_does_wherever_it_is(api_server: ApiServer) -> None:
    told = {"reason": "x", "type": "Normal", "action": "x", "eventTime": "2026-01-01T00:00:00.000000Z"}
    said = {"reportingController": "x", "reportingInstance": "x", "metadata": {"name": "x", "namespace": "default"}}
    about = {"regarding": {"kind": "ClusterQueue", "name": "x", "namespace": "default"}}
    event = {"apiVersion": "events.k8s.io/v1", "kind": "Event", **told, **said, **about}
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": {}}
    for user in (JOB_SET, KUEUE):
        own = {"metadata": {"name": "x", "namespace": user.split(":")[2]}}
        for wanted in (event, lease | own):
            answer = api_server.create(wanted, user)
            assert answer.is_success, answer.text
