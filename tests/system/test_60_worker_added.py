"""A worker is added to cluster.yaml while a job runs."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from installer.planning import PHASES, Scope
from installer.testing.bench import record
from tests.system.harness import CLUSTER_FILE, Atoll, Portal, wait_for
from tests.system.jobs import submit

# Where the phases of a node that joins are done, if not on itself: it is let in to the user data.
ELSEWHERE = {"volume": "storage1"}
NODE_PHASES = [phase.name for phase in PHASES if phase.on in (Scope.ALL, Scope.JOINED) or phase.name in ELSEWHERE]


def next_worker() -> int:
    """The number of the first worker that cluster.yaml lacks; a cluster that has been tested has more of them."""
    names = {node["name"] for node in yaml.safe_load(CLUSTER_FILE.read_text("utf-8"))["nodes"]}
    return next(number for number in itertools.count(3) if f"worker{number}" not in names)


def pod_networks(atoll: Atoll, node: str) -> set[str]:
    """The networks to which a node lets packets of pods go as they are; elsewhere they go under the node's address."""
    listed = atoll.node(node, "ipset", "save", "kube-router-pod-subnets").out
    return {words[2] for line in listed.splitlines() if (words := line.split())[0] == "add"}


@pytest.mark.timeout(1500)
@pytest.mark.feature("30a")
def test_a_worker_is_added_and_a_running_job_does_not_notice(
    atoll: Atoll, portal: Portal, edit_cluster: Callable[[Callable[[dict[str, Any]], None]], None]
) -> None:
    job = submit(portal, name="undisturbed", code="examples/devices/hold.py", parameters={"seconds": "1500"})
    portal.wait_state(job, {"running"}, 90)

    number = next_worker()
    worker = f"worker{number}"

    def add(cluster: dict[str, Any]) -> None:
        address = f"10.79.0.{20 + number}"
        cluster["nodes"].append({"name": worker, "address": address, "roles": ["worker"], "arch": "amd64"})

    edit_cluster(add)
    started = time.monotonic()
    atoll("lab", "up", "-f", str(CLUSTER_FILE))
    steps = atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(2,)).json["steps"]
    planned = [(step["phase"], step["node"]) for step in steps]
    assert [step for step in planned if step[0] != "host" or step[1] == worker] == [
        (phase, ELSEWHERE.get(phase, worker)) for phase in NODE_PHASES
    ]
    # The firewalls of the others let it in.
    names = {node["name"] for node in yaml.safe_load(CLUSTER_FILE.read_text("utf-8"))["nodes"]}
    assert {node for phase, node in planned if phase == "host"} == names
    ended = atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json").finished
    record("worker_added", time.monotonic() - started - ended["verify_seconds"], "s", "lab, the fifth node")
    assert ended["ok"]
    assert set(ended["evaluated_tasks"]) == names
    # There is no token, which would be good for any name; and what kubeadm gave the kubelet to begin with is gone.
    tokens = ("get", "secrets", "--field-selector", "type=bootstrap.kubernetes.io/token", "--output", "name")
    assert atoll.kubectl("--namespace", "kube-system", *tokens).out.split() == []
    kept = set(atoll.node(worker, "ls", "/etc/kubernetes").out.split())
    assert ("kubelet.conf" in kept, "bootstrap-kubelet.conf" in kept) == (True, False)
    # A pod of another node comes to its pods under its own address at once, which is what policies know it by.
    networks = set(atoll.kubectl("get", "nodes", "-o", "jsonpath={.items[*].spec.podCIDRs[*]}").out.split())
    assert len(networks) == len(names)
    assert {name: pod_networks(atoll, name) for name in names} == dict.fromkeys(names, networks)
    # What runs on every node has come to the new one a moment later.
    status = ("status", "-f", str(CLUSTER_FILE), "-o", "json")
    wait_for("every service runs, there too", lambda: atoll(*status, ok=(0, 1)).code == 0, 60)
    nodes = {node["name"]: node["ready"] for node in atoll(*status).json["nodes"]}
    assert nodes[worker]
    task = portal.task(job)
    assert task["state"] == "running"
    assert len(task["attempts"]) == 1
    assert portal.client.post(f"/tasks/{job}/stop").is_success
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0,)).json["steps"] == []
