"""The parts of the appliance on the installed cluster: storage, devices, queueing, database, admission."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.system.harness import Atoll, wait_for

BASE = "registry.atoll.internal:5000/atoll/base"


def base_image(atoll: Atoll) -> str:
    found = atoll.kubectl("-n", "local-path-storage", "get", "configmap", "local-path-config", "-o", "json").json
    (line,) = [line for line in found["data"]["helperPod.yaml"].splitlines() if BASE in line]
    return str(line).partition("image:")[2].strip()


def run_pod(atoll: Atoll, name: str, *command: str, namespace: str = "default", **spec: Any) -> str:
    """Start a pod of the base image; `spec` goes beside its container."""
    limits = spec.pop("limits", {})
    container = {
        "name": "c",
        "image": base_image(atoll),
        "command": list(command),
        "resources": {"limits": limits},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"restartPolicy": "Never", "containers": [container], **spec},
    }
    file = atoll.file.with_name(f"{name}.json")
    file.write_text(json.dumps(pod))
    done = atoll.kubectl("apply", "-f", str(file), ok=(0, 1))
    return done.err if done.code else ""


def phase(atoll: Atoll, name: str) -> str:
    found: str = atoll.kubectl("get", "pod", name, "-o", "jsonpath={.status.phase}").out
    return found


ASKS_PATRONI = """
import http.client, sys
for method, path in (("GET", "/readiness"), ("PATCH", "/config"), ("POST", "/restart")):
    connection = http.client.HTTPConnection(sys.argv[1], 8008, timeout=20)
    connection.request(method, path, body="{}")
    print(connection.getresponse().status)
"""


def test_a_file_that_one_node_writes_is_there_on_all_others(atoll: Atoll) -> None:
    atoll.node("worker1", "sh", "-c", "echo seen > /mnt/atoll/logs/across-nodes")
    for node in ("master1", "worker2", "storage1"):
        assert atoll.node(node, "cat", "/mnt/atoll/logs/across-nodes").out.strip() == "seen"
    atoll.node("worker1", "rm", "/mnt/atoll/logs/across-nodes")
    for place in ("home", "vc", "datasets", "models", "logs"):
        told = ("findmnt", "--noheadings", "--output", "FSTYPE,OPTIONS", f"/mnt/atoll/{place}")
        kind, options = atoll.node("worker2", *told).out.split()
        assert kind == "fuse.glusterfs"
        assert {"nosuid", "nodev"} <= {*options.split(",")}
    modes = atoll.node("master1", "stat", "--format", "%a %n", "/mnt/atoll/home", "/mnt/atoll/datasets").out
    assert modes.split() == ["711", "/mnt/atoll/home", "755", "/mnt/atoll/datasets"]


@pytest.fixture(scope="module")
def npus(atoll: Atoll) -> Iterator[set[int]]:
    """The cards of a pod with four NPUs."""
    run_pod(atoll, "npus", "sh", "-c", "env; sleep 600", limits={"huawei.com/Ascend910": 4})
    try:
        wait_for("the pod with four NPUs", lambda: phase(atoll, "npus") == "Running", 60)
        lines = atoll.kubectl("logs", "npus").out.splitlines()
        (visible,) = [line for line in lines if line.startswith("ASCEND_VISIBLE_DEVICES=")]
        yield {int(card) for card in visible.partition("=")[2].split(",")}
    finally:
        atoll.kubectl("delete", "pod", "npus", "--grace-period=1")


def test_a_pod_gets_npus_of_one_group(npus: set[int]) -> None:
    assert npus in ({0, 1, 2, 3}, {4, 5, 6, 7})


def test_devices_are_back_after_the_kubelet_was_restarted(atoll: Atoll) -> None:
    atoll.node("worker1", "systemctl", "restart", "kubelet.service")
    words = ("get", "node", "worker1", "-o", "jsonpath={.status.allocatable['nvidia\\.com/gpu']}")
    wait_for("eight GPUs again", lambda: atoll.kubectl(*words).out == "8", 90, 2)


def test_pods_of_the_system_start_while_the_queue_is_down(atoll: Atoll) -> None:
    queue = ("-n", "kueue-system", "deployment/kueue-controller-manager")
    atoll.kubectl("scale", "--replicas=0", *queue)
    try:
        run_pod(atoll, "without-queue", "true")
        wait_for("a pod without the queue", lambda: phase(atoll, "without-queue") == "Succeeded", 60)
    finally:
        atoll.kubectl("scale", "--replicas=1", *queue)
        atoll.kubectl("delete", "pod", "without-queue", "--ignore-not-found")
    atoll.kubectl("rollout", "status", "--timeout=60s", *queue)
    # Scaled down and up again it is as it was, whoever did it.
    assert atoll("plan", "-f", str(atoll.file), "-o", "json").json["steps"] == []


def test_the_database_has_a_backup_and_takes_no_stranger(atoll: Atoll) -> None:
    inside = ("-n", "atoll-system", "exec", "database-0", "-c", "upkeep", "--")
    info = wait_for(
        "a backup",
        lambda: json.loads(atoll.kubectl(*inside, "pgbackrest", "--stanza=atoll", "--output=json", "info").out),
        60,
        3,
    )
    assert info[0]["status"]["code"] == 0
    assert info[0]["backup"]
    # From the node's own network, which no policy keeps from its pods: Patroni tells how it is, and changes nothing.
    where = atoll.kubectl("-n", "atoll-system", "get", "pod", "database-0", "-o", "json").json
    told = atoll.node(where["spec"]["nodeName"], "python3", "-c", ASKS_PATRONI, where["status"]["podIP"]).out.split()
    assert told == ["200", "403", "403"]
    refused = atoll.kubectl(*inside, "psql", "--no-password", "-h", "127.0.0.1", "-U", "atoll_api", "atoll", ok=(1, 2))
    assert "no password supplied" in refused.err + refused.out


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"securityContext": {"runAsUser": 1000, "runAsNonRoot": True}}, "uid from 30001"),
        ({"automountServiceAccountToken": True}, "no token"),
        ({"volumes": [{"name": "root", "hostPath": {"path": "/"}}]}, "violates PodSecurity"),
        ({"priorityClassName": "system-node-critical"}, "priorities of the system"),
    ],
)
def test_a_virtual_cluster_takes_nothing_that_reaches_beyond_it(atoll: Atoll, spec: dict[str, Any], said: str) -> None:
    account = {"runAsUser": 30001, "runAsGroup": 30001, "runAsNonRoot": True}
    own = {"automountServiceAccountToken": False, "securityContext": account}
    assert said in run_pod(atoll, "beyond", "true", namespace="vc-default", **{**own, **spec})
    assert "beyond" not in atoll.kubectl("-n", "vc-default", "get", "pods", "-o", "name").out


def test_metrics_name_the_pod_of_npus(atoll: Atoll, npus: set[int]) -> None:
    """The last of this file: Prometheus hears of a pod within a minute, and others need not wait for it."""
    path = "/api/v1/namespaces/atoll-monitoring/services/https:prometheus:9090/proxy/api/v1/query?query="
    query = path + "atoll_device_utilisation_percent%7Bpod%3D%22npus%22%7D"
    found = wait_for(
        "its devices in Prometheus",
        lambda: json.loads(atoll.kubectl("get", "--raw", query).out)["data"]["result"],
        90,
        3,
    )
    assert {int(line["metric"]["device"]) for line in found} == npus
