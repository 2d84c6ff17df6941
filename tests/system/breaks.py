"""How each part of the installed cluster is broken and mended: what `test_26_verify.py` does.

Parts that do not stand on each other are broken together, since each question takes seconds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

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
        unit("storage_client", "worker2", "atoll-user-data.service"),
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
        unit("storage", "storage1", "atoll-home-quotas.service"),
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
        # Its pods go on, or nothing behind it could be asked and mended: without them nodes forget each other's routes.
        Break(
            "network",
            "master1",
            f"{KUBECTL} -n kube-system delete daemonset kube-router --cascade=orphan",
            "DaemonSet kube-system/kube-router is gone",
            "",
        ),
        Break("queue", "master1", f"{KUBECTL} delete cohort.kueue.x-k8s.io cluster", "Cohort cluster is gone", ""),
    ),
}
