"""What the Kubernetes engine says about the machines that it sees. Needs nothing."""

from typing import Any

import pytest
from atoll.devices.types import DeviceType
from atoll.engines.kubernetes import machines
from atoll.networks import closed
from atoll.tasks.snapshot import node_state, will_take_tasks

from installer.cluster import DEVICE_TYPES


def pod(phase: str, requests: dict[str, str]) -> dict[str, Any]:
    return {
        "spec": {"nodeName": "worker1", "containers": [{"resources": {"requests": requests}}]},
        "status": {"phase": phase},
    }


def machine(name: str, *, taint: str = "", ready: str = "True", **labels: str) -> dict[str, Any]:
    return {
        "metadata": {
            "name": name,
            "creationTimestamp": "2026-11-21T10:00:00Z",
            "labels": {"kubernetes.io/arch": "amd64", **labels},
        },
        "spec": {"taints": [{"key": taint, "effect": "NoSchedule"}] if taint else []},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "10.77.0.21"}],
            "allocatable": {"cpu": "1900m", "memory": "4000000Ki", "pods": "110", "nvidia.com/gpu": "8"},
            "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": "2026-11-21T10:01:00Z"}],
            "nodeInfo": {"kubeletVersion": "v1.36.3"},
        },
    }


DEVICES = [DeviceType(**DEVICE_TYPES[name].row()) for name in ("nvidia_gpu_amd64", "huawei_npu_arm64")]


def test_machines_show_what_is_asked_of_them() -> None:
    holder = pod("Running", {"cpu": "500m", "nvidia.com/gpu": "2"})
    done = pod("Succeeded", {"cpu": "1", "nvidia.com/gpu": "4"})
    nodes = [
        machine("worker1", **{"node-role.kubernetes.io/worker": ""}),
        machine(
            "master1", taint="node-role.kubernetes.io/control-plane", **{"node-role.kubernetes.io/control-plane": ""}
        ),
        machine("silent", ready="Unknown"),
    ]
    seen = {item.name: item for item in machines.observe(nodes, [holder, done], DEVICES)}
    worker = seen["worker1"]
    assert (worker.roles, worker.cpu_requested, worker.takes_tasks) == (("worker",), 0.5, True)
    assert [(item.type, item.total, item.used) for item in worker.devices] == [("nvidia_gpu_amd64", 8, 2)]
    assert (seen["master1"].roles, seen["master1"].takes_tasks) == (("master",), False)
    assert seen["silent"].state == "unknown"
    assert machines.task_capacity(seen.values())[0] == 3


@pytest.mark.parametrize(
    "said",
    [
        {"allocatable": {"memory": "1Ei"}},
        {"allocatable": {"memory": "1e3"}},
        {"allocatable": {"memory": "900000Gi"}},
        {"allocatable": {"cpu": "999999999999"}},
        {"allocatable": {"pods": "999999999999"}},
        {"allocatable": {"cpu": "8", "nvidia.com/gpu": "999999999999"}},
        {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "0000-01-01T00:00:00Z"}]},
    ],
)
def test_what_a_kubelet_says_that_cannot_be_is_its_own_nodes_trouble_alone(said: dict[str, Any]) -> None:
    """Its certificate lets it write what it likes into its node's status."""
    liar = machine("liar")
    liar["status"] |= said
    seen = {item.name: item for item in machines.observe([liar, machine("worker1")], [], DEVICES)}
    assert seen["worker1"].state == "ready"
    assert seen["liar"].state == "not_ready"
    assert seen["liar"].reason is not None
    assert "cannot be" in str(seen["liar"].reason)
    assert (seen["liar"].cpu_cores, seen["liar"].memory_bytes, seen["liar"].devices) == (0, 0, ())
    assert machines.task_capacity(seen.values())[0] == 1


@pytest.mark.parametrize(
    ("told", "address"),
    [
        ([], ""),
        (None, ""),
        ([{"type": "Hostname", "address": "worker1"}], ""),
        ([{"type": "InternalIP", "address": "worker1.example"}], ""),
        ([{"type": "InternalIP", "address": "0.0.0.0/0"}], ""),
        ([{"type": "InternalIP"}], ""),
        (
            [{"type": "InternalIP", "address": "nonsense"}, {"type": "InternalIP", "address": "10.77.0.22"}],
            "10.77.0.22",
        ),
    ],
)
def test_a_node_that_tells_no_address_has_none_and_tasks_are_closed_as_without_it(
    told: list[dict[str, str]] | None, address: str
) -> None:
    odd = machine("odd")
    odd["status"]["addresses"] = told
    (seen,) = machines.observe([odd], [], DEVICES)
    assert (seen.address, seen.state) == (address, "ready")
    assert closed([seen.address]) == closed([address] if address else [])


@pytest.mark.parametrize("said", [{}, {"allocatable": {"cpu": "999999999999"}}])
def test_all_ipv4_addresses_of_a_node_are_seen_also_where_the_rest_cannot_be(said: dict[str, Any]) -> None:
    node = machine("worker1")
    node["status"]["addresses"] += [
        {"type": "ExternalIP", "address": "203.0.113.9"},
        {"type": "InternalIP", "address": "2001:db8::1"},
        {"type": "Hostname", "address": "worker1"},
    ]
    node["status"] |= said
    (seen,) = machines.observe([node], [], DEVICES)
    assert (seen.address, seen.other_addresses) == ("10.77.0.21", ("203.0.113.9",))


def test_texts_of_a_node_are_such_as_the_database_keeps() -> None:
    odd = machine("odd", ready="False")
    odd["status"]["nodeInfo"] = {"osImage": "a\x00b", "kernelVersion": "x" * 5000}
    odd["status"]["conditions"][0]["message"] = "no\x00"
    (seen,) = machines.observe([odd], [], DEVICES)
    assert (seen.os, len(seen.kernel)) == ("a\ufffdb", 400)
    assert "\x00" not in str(seen.reason)


def test_a_node_that_is_being_restarted_counts_but_takes_nothing_now() -> None:
    worker = {"node-role.kubernetes.io/worker": ""}
    master = {"node-role.kubernetes.io/control-plane": ""}
    cordoned, closed = machine("cordoned", **worker), machine("closed", **master)
    cordoned["spec"]["unschedulable"] = closed["spec"]["unschedulable"] = True
    nodes = [
        machine("ready", **worker),
        machine("silent", ready="Unknown", **worker),
        cordoned,
        closed,
        machine("master", taint="node-role.kubernetes.io/control-plane", **master),
    ]
    seen = {item.name: item for item in machines.observe(nodes, [], DEVICES)}
    assert {name for name, item in seen.items() if will_take_tasks(item)} == {"ready", "silent", "cordoned"}
    assert {name for name, item in seen.items() if node_state(item).ready} == {"ready"}
