"""Each part of the installed cluster is broken: `./atoll verify` names it on its node. Mended, it is silent again.

Parts that do not stand on each other are broken together, since each question takes seconds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from harness import CLUSTER_FILE, Atoll, wait_for

from installer.planning.phases import PHASES
from installer.testing.bench import record

DEVICES = "-n atoll-accelerators patch daemonset simulated-nvidia-gpu-amd64-8 --type merge -p"
NOWHERE = '{"spec": {"template": {"spec": {"nodeSelector": {"nowhere": VALUE}}}}}'
GLUSTER = "gluster --mode=script volume"
KUBECTL = "kubectl --kubeconfig /etc/kubernetes/admin.conf"


@dataclass(frozen=True)
class Break:
    """How a phase is broken on a node and mended, in shell there, and what is then said.

    What nobody can put back by hand just as it was is mended by the next `apply` (`mend_it` is empty).
    """

    phase: str
    node: str
    break_it: str
    says: str  # a regular expression
    mend_it: str


def unit(phase: str, node: str, name: str) -> Break:
    return Break(phase, node, f"systemctl stop {name}", rf"unit {name} is inactive", f"systemctl start {name}")


def scaled(phase: str, namespace: str, workload: str, replicas: int = 1) -> Break:
    scale = f"{KUBECTL} -n {namespace} scale {workload} --replicas"
    name = workload.partition("/")[2]
    return Break(phase, "master1", f"{scale}=0", rf"{namespace}/{name} is scaled to 0", f"{scale}={replicas}")


TOGETHER = {
    "files and services of nodes, and what runs in Kubernetes": (
        Break(
            "host",
            "worker1",
            "sysctl -w vm.max_map_count=65530",
            "vm.max_map_count",
            "sysctl -w vm.max_map_count=262144",
        ),
        Break(
            "host",
            "worker2",
            "sed -i 's/atoll/other/' /etc/profile.d/atoll.sh",
            "content of /etc/profile.d/atoll.sh differs",
            "sed -i 's/other/atoll/' /etc/profile.d/atoll.sh",
        ),
        Break(
            "host",
            "storage1",
            "nft delete table inet atoll",
            "the firewall's rules",
            "systemctl reload atoll-firewall.service",
        ),
        Break(
            "certificates",
            "worker1",
            "mv /etc/atoll/pki/node.key /etc/atoll/pki/node.key.away",
            "node.key is gone",
            "mv /etc/atoll/pki/node.key.away /etc/atoll/pki/node.key",
        ),
        unit("registry", "storage1", "atoll-registry.service"),
        unit("load_balancer", "worker1", "haproxy.service"),
        unit("storage_client", "worker2", "mnt-atoll.mount"),
        Break(
            "control_plane",
            "master1",
            "mv /etc/kubernetes/manifests/kube-scheduler.yaml /root/",
            "the scheduler does not listen",
            "mv /root/kube-scheduler.yaml /etc/kubernetes/manifests/",
        ),
        Break(
            "control",
            "master1",
            "mv /etc/kubernetes/manifests/control.yaml /root/",
            "the control service .*does not answer|control.yaml is gone",
            "mv /root/control.yaml /etc/kubernetes/manifests/",
        ),
        unit("container_runtime", "worker2", "containerd.service"),
        Break(
            "volume",
            "storage1",
            f"{GLUSTER} get atoll auth.ssl-allow | awk '/ssl-allow/ {{print $2}}' > /root/let-in && "
            f"{GLUSTER} set atoll auth.ssl-allow '*'",
            "not as it should be.*auth.ssl-allow",
            f'{GLUSTER} set atoll auth.ssl-allow "$(cat /root/let-in)"',
        ),
        scaled("network", "kube-system", "deployment/coredns", 2),
        scaled("queue", "kueue-system", "deployment/kueue-controller-manager"),
        scaled("monitoring", "atoll-monitoring", "deployment/kube-state-metrics"),
        scaled("platform", "atoll-system", "deployment/api"),
        unit("node", "worker1", "kubelet.service"),
    ),
    "what others stand on": (
        Break(
            "images",
            "storage1",
            "cd /srv/atoll/registry/docker/registry/v2/repositories && mv atoll/base /srv/atoll/base-away",
            "lacks images of the bundle.*atoll/base",
            "cd /srv/atoll/registry/docker/registry/v2/repositories && mv /srv/atoll/base-away atoll/base",
        ),
        unit("storage", "storage1", "glusterd.service"),
        Break(
            "accelerators",
            "master1",
            f"{KUBECTL} {DEVICES} '{NOWHERE.replace('VALUE', json.dumps('yes'))}'",
            "simulated-nvidia-gpu-amd64-8 runs nowhere|node worker1 offers 0 of 8",
            f"{KUBECTL} {DEVICES} '{NOWHERE.replace('VALUE', 'null')}'",
        ),
        scaled("database", "atoll-system", "statefulset/database"),
        Break(
            "platform",
            "master1",
            f"{KUBECTL} delete validatingadmissionpolicybinding atoll-virtual-clusters",
            "admits what it must refuse|ValidatingAdmissionPolicyBinding atoll-virtual-clusters is gone",
            "",
        ),
        Break(
            "monitoring",
            "master1",
            f"{KUBECTL} -n atoll-monitoring delete networkpolicy default-deny",
            "NetworkPolicy atoll-monitoring/default-deny is gone",
            "",
        ),
        Break("queue", "master1", f"{KUBECTL} delete cohort.kueue.x-k8s.io cluster", "Cohort cluster is gone", ""),
    ),
}


def broken(atoll: Atoll, phases: set[str], code: tuple[int, ...] = (0, 1)) -> list[dict[str, Any]]:
    asked = [word for phase in sorted(phases) for word in ("--phase", phase)]
    ran = atoll("verify", "-f", str(CLUSTER_FILE), *asked, "-o", "json", ok=code, timeout_s=300)
    found: list[dict[str, Any]] = ran.finished["failures"]
    assert ran.code == (1 if found else 0)
    return found


def mend(atoll: Atoll, breaks: list[Break]) -> None:
    for one in breaks:
        if one.mend_it:
            atoll.node(one.node, "sh", "-c", one.mend_it)
    if not all(one.mend_it for one in breaks):
        atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json")


def test_every_phase_that_can_be_asked_is_broken_once() -> None:
    phases = {one.phase for breaks in TOGETHER.values() for one in breaks}
    assert phases == {phase.name for phase in PHASES} - {"admission"}


def test_nothing_is_broken_and_it_is_said(atoll: Atoll) -> None:
    ran = atoll("verify", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0, 1))
    assert ran.finished["failures"] == []
    record("verify", ran.seconds, "s", "lab, 4 nodes")
    runs = atoll("runs", "list", "-f", str(CLUSTER_FILE), "-o", "json").json["runs"]
    assert (runs[0]["verb"], runs[0]["state"], runs[0]["changed"]) == ("verify", "succeeded", 0)
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json").json["steps"] == []


@pytest.mark.timeout(900)
@pytest.mark.parametrize("group", TOGETHER)
def test_what_is_broken_is_named_until_it_is_mended(atoll: Atoll, group: str) -> None:
    breaks = TOGETHER[group]
    phases = {one.phase for one in breaks}
    done: list[Break] = []
    try:
        for one in breaks:
            done.append(one)
            atoll.node(one.node, "sh", "-c", one.break_it)
        told = broken(atoll, phases, (1,))
    finally:
        mend(atoll, done)
    assert {failure["phase"] for failure in told} == phases
    assert all(failure["remedy"] for failure in told)
    for one in breaks:
        where = one.node if one.phase not in OF_CLUSTER else "master1"
        said = [each["message"] for each in told if (each["phase"], each["node"]) == (one.phase, where)]
        assert any(re.search(one.says, message) for message in said), (one.phase, told)
    # All that the next test breaks, too: it begins with what is sound.
    every = {one.phase for each in TOGETHER.values() for one in each}
    wait_for(f"{group} are sound again", lambda: broken(atoll, every) == [], 240)


OF_CLUSTER = {phase.name for phase in PHASES if phase.on == "cluster"}


def test_a_node_deleted_from_cluster_yaml_is_named_and_not_forgotten(atoll: Atoll) -> None:
    before = CLUSTER_FILE.read_text("utf-8")
    content = yaml.safe_load(before)
    content["nodes"] = [node for node in content["nodes"] if node["name"] != "worker2"]
    CLUSTER_FILE.write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    try:
        made = atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(1,)).json
        assert [node for node, _ in made["leaving"]] == ["worker2"]
        assert "Node `worker2`" in atoll("plan", "-f", str(CLUSTER_FILE), ok=(1,)).out
        refused = atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json", ok=(69,))
        assert "`worker2`" in refused.out
    finally:
        CLUSTER_FILE.write_text(before, "utf-8")
    assert "worker2" in (atoll.state / "cluster.yaml").read_text("utf-8")
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json").json["steps"] == []
