"""What was installed: the reference topology, its devices, its metrics, and no way out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from installer.lab.topology import lab_cgroup
from installer.testing.bench import record
from tests.system.harness import CLUSTER_FILE, NAME, Atoll, wait_for

NODES = ("master1", "worker1", "worker2", "storage1")


def wanted_nodes() -> set[str]:
    """The nodes of cluster.yaml: the reference topology, and the worker that a later test adds."""
    return {node["name"] for node in yaml.safe_load(CLUSTER_FILE.read_text("utf-8"))["nodes"]}


def test_status_keeps_its_contract(atoll: Atoll) -> None:
    status = atoll("status", "-f", str(CLUSTER_FILE), "-o", "json").json
    assert set(status) == {"cluster", "version", "nodes", "services", "portal", "credentials_file"}
    assert status["cluster"] == NAME
    assert all(set(node) == {"name", "roles", "arch", "ready", "accelerators"} for node in status["nodes"])
    assert all({"name", "state", "replicas"} <= set(service) for service in status["services"])
    assert set(status["portal"]) == {"url", "ca_file"}


def test_all_nodes_are_ready_with_their_devices(atoll: Atoll) -> None:
    nodes = {node["name"]: node for node in atoll("status", "-f", str(CLUSTER_FILE), "-o", "json").json["nodes"]}
    assert set(nodes) == wanted_nodes() >= set(NODES)
    assert all(node["ready"] for node in nodes.values())
    assert nodes["worker1"]["accelerators"] == {"nvidia_gpu_amd64": 8}
    assert nodes["worker2"]["accelerators"] == {"huawei_npu_amd64": 8}
    allocatable = {
        item["metadata"]["name"]: item["status"]["allocatable"]
        for item in atoll("kubectl", "get", "nodes", "-o", "json").json["items"]
    }
    assert allocatable["worker1"]["nvidia.com/gpu"] == "8"
    assert allocatable["worker2"]["huawei.com/Ascend910"] == "8"


def test_every_service_runs(atoll: Atoll) -> None:
    services = atoll("status", "-f", str(CLUSTER_FILE), "-o", "json").json["services"]
    assert {service["name"]: service["state"] for service in services if service["state"] != "running"} == {}


def test_pods_of_kubernetes_itself_say_which_content_of_their_image_they_run(atoll: Atoll) -> None:
    pods = atoll.kubectl("-n", "kube-system", "get", "pods", "-o", "json").json["items"]
    names = {pod["metadata"]["name"] for pod in pods}
    assert {f"kube-{part}-master1" for part in ("apiserver", "controller-manager", "scheduler")} <= names
    silent = [
        pod["metadata"]["name"]
        for pod in pods
        if "atoll.io/image" not in pod["metadata"]["annotations"]
        and not all("@sha256:" in container["image"] for container in pod["spec"]["containers"])
    ]
    assert silent == ["etcd-master1"], "etcd's is written once"


def working_set(cgroup: str) -> int:
    """Bytes that processes and page cache in use hold, as Kubernetes counts it: usage less `inactive_file`."""
    v1 = Path("/sys/fs/cgroup/memory") / cgroup
    folder = v1 if v1.is_dir() else Path("/sys/fs/cgroup") / cgroup
    usage = next(folder / name for name in ("memory.usage_in_bytes", "memory.current") if (folder / name).exists())
    stat = dict(line.split() for line in (folder / "memory.stat").read_text("utf-8").splitlines())
    return int(usage.read_text("utf-8")) - int(stat.get("total_inactive_file", stat["inactive_file"]))


def test_the_memory_of_the_idle_cluster_is_known(atoll: Atoll) -> None:
    assert atoll("status", "-f", str(CLUSTER_FILE), "-o", "json").json["cluster"] == NAME
    by_node = {name: working_set(f"{lab_cgroup(NAME)}/{name}") for name in sorted(wanted_nodes())}
    assert min(by_node.values()) > 50 << 20, f"a node that runs a kubelet holds more: {by_node}"
    record("idle_memory", sum(by_node.values()), "bytes", f"lab, {len(by_node)} nodes, no task")


def prometheus(atoll: Atoll, query: str) -> list[dict[str, object]]:
    path = "/api/v1/namespaces/atoll-monitoring/services/https:prometheus:9090/proxy/api/v1/query?query=" + query
    found: list[dict[str, object]] = json.loads(atoll.kubectl("get", "--raw", path).out)["data"]["result"]
    return found


def test_prometheus_has_metrics_of_each_node_and_of_each_kind_of_device(atoll: Atoll) -> None:
    count = len(wanted_nodes())
    wait_for("metrics of each node", lambda: len(prometheus(atoll, "node_load1")) == count, 90, 3)
    wait_for("metrics of 8 GPUs", lambda: len(prometheus(atoll, "DCGM_FI_DEV_GPU_UTIL")) == 8, 60, 3)
    wait_for("metrics of 8 NPUs", lambda: len(prometheus(atoll, "npu_chip_info_utilization")) == 8, 60, 3)


@pytest.mark.parametrize("node", NODES)
def test_no_route_leads_beyond_the_bridge(atoll: Atoll, node: str) -> None:
    """test_05_lab.py shows with a played internet that nothing gets through; here: the install ran like that."""
    assert atoll.node(node, "ip", "route", "show", "default").out.strip() == ""
    ran = atoll.node(node, "ip", "route", "get", "203.0.113.10", ok=(2,))
    assert "unreachable" in ran.err
