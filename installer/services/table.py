"""The services of a cluster, as data: what each is made of, who renders its configuration, what may be done to it.

`service_ctl`, the control service, `status` and the portal all show this table; there is no second list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from installer.cluster.drivers import REGISTRY, STORAGE, RegistryDriver, StorageDriver

Action = Literal["start", "stop", "restart"]
Where = Literal["all", "masters", "storage", "mounts", "registry"]

ALL_ACTIONS: tuple[Action, ...] = ("start", "stop", "restart")
# Stopping these would cut the branch on which the administrator sits.
RESTART_ONLY: tuple[Action, ...] = ("restart",)


@dataclass(frozen=True)
class Workload:
    """A Deployment, StatefulSet or DaemonSet."""

    kind: Literal["Deployment", "StatefulSet", "DaemonSet"]
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True)
class Workloads:
    """Every workload of a namespace: for phases whose parts depend on the devices of the cluster."""

    namespace: str

    def __str__(self) -> str:
        return f"workloads of {self.namespace}"


@dataclass(frozen=True)
class Unit:
    """A systemd unit on nodes. `version` is the command that says which version of its program is installed there."""

    name: str
    on: Where
    version: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"unit {self.name}"


@dataclass(frozen=True)
class StaticPod:
    """A static pod of the kubelets: `kube-system/<name>-<node>`, from a manifest file on each master."""

    name: str
    on: Where = "masters"
    namespace: str = "kube-system"

    def __str__(self) -> str:
        return f"static pod {self.namespace}/{self.name}"


@dataclass(frozen=True)
class ConfigMap:
    """Configuration in a ConfigMap."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"ConfigMap {self.namespace}/{self.name}"


@dataclass(frozen=True)
class NodeFile:
    """Configuration in a file on nodes."""

    path: str
    on: Where

    def __str__(self) -> str:
        return self.path


Part = Workload | Workloads | Unit | StaticPod
Configuration = ConfigMap | NodeFile


@dataclass(frozen=True)
class Service:
    """A service: the unit of `service_ctl`."""

    name: str
    title: str
    parts: tuple[Part, ...]
    phases: tuple[str, ...]
    configuration: tuple[Configuration, ...] = ()
    actions: tuple[Action, ...] = ALL_ACTIONS


Drivers = Mapping[str, StorageDriver] | Mapping[str, RegistryDriver]


def _units(drivers: Drivers, on: Where) -> tuple[Unit, ...]:
    return tuple(Unit(program.unit, on, program.version) for row in drivers.values() for program in row.programs)


def _files(drivers: Drivers, on: Where) -> tuple[NodeFile, ...]:
    return tuple(NodeFile(file, on) for row in drivers.values() for file in row.configuration)


def _platform(name: str, title: str, kind: Literal["Deployment", "DaemonSet"] = "Deployment") -> Service:
    return Service(
        name,
        title,
        parts=(Workload(kind, "atoll-system", name),),
        phases=("platform",),
        configuration=(ConfigMap("atoll-system", f"{name}-config"),),
    )


SERVICES: tuple[Service, ...] = (
    _platform("api", "API of the platform"),
    _platform("jobs", "Life cycle of tasks"),
    _platform("files", "Files of the users"),
    _platform("gateway", "TLS entry of the portal and the API", "DaemonSet"),
    Service(
        "portal",
        "Web portal (served by the gateway)",
        parts=(Workload("DaemonSet", "atoll-system", "gateway"),),
        phases=("platform",),
        configuration=(ConfigMap("atoll-system", "gateway-config"),),
    ),
    Service(
        "database",
        "PostgreSQL",
        parts=(Workload("StatefulSet", "atoll-system", "database"),),
        phases=("database",),
        configuration=(ConfigMap("atoll-system", "database-config"),),
    ),
    Service(
        "registry",
        "Container registry",
        parts=_units(REGISTRY, "registry"),
        phases=("registry",),
        configuration=_files(REGISTRY, "registry"),
    ),
    Service(
        "queue",
        "Queueing and quotas (Kueue, JobSet)",
        parts=(
            Workload("Deployment", "kueue-system", "kueue-controller-manager"),
            Workload("Deployment", "jobset-system", "jobset-controller-manager"),
        ),
        phases=("queue",),
        configuration=(ConfigMap("kueue-system", "kueue-manager-config"),),
    ),
    Service(
        "monitoring",
        "Metrics (Prometheus and exporters)",
        parts=(
            Workload("StatefulSet", "atoll-monitoring", "prometheus"),
            Workload("Deployment", "atoll-monitoring", "kube-state-metrics"),
            Workload("DaemonSet", "atoll-monitoring", "node-exporter"),
        ),
        phases=("monitoring",),
        configuration=(ConfigMap("atoll-monitoring", "prometheus-config"),),
    ),
    Service("accelerators", "Device plugins", parts=(Workloads("atoll-accelerators"),), phases=("accelerators",)),
    Service(
        "storage",
        "Storage: user data, system volumes",
        parts=(
            *_units(STORAGE, "storage"),
            Unit("atoll-user-data.service", "mounts"),
            Workload("Deployment", "local-path-storage", "local-path-provisioner"),
        ),
        phases=("storage", "volume", "storage_client"),
        configuration=_files(STORAGE, "storage"),
        actions=RESTART_ONLY,
    ),
    Service(
        "load_balancer",
        "Local entry to the API server and the registry (haproxy)",
        parts=(Unit("haproxy.service", "all", ("haproxy", "-v")),),
        phases=("load_balancer",),
        configuration=(NodeFile("/etc/haproxy/haproxy.cfg", "all"),),
        actions=RESTART_ONLY,
    ),
    Service(
        "container_runtime",
        "containerd",
        parts=(Unit("containerd.service", "all", ("containerd", "--version")),),
        phases=("container_runtime",),
        configuration=(NodeFile("/etc/containerd/config.toml", "all"),),
        actions=RESTART_ONLY,
    ),
    Service(
        "kubernetes",
        "Kubernetes: control plane, kubelets, DNS",
        parts=(
            Unit("kubelet.service", "all"),
            StaticPod("kube-apiserver"),
            StaticPod("etcd"),
            StaticPod("kube-controller-manager"),
            StaticPod("kube-scheduler"),
            Workload("Deployment", "kube-system", "coredns"),
            Workload("DaemonSet", "kube-system", "kube-proxy"),
        ),
        phases=("control_plane", "node"),
        configuration=(
            NodeFile("/var/lib/kubelet/config.yaml", "all"),
            ConfigMap("kube-system", "coredns"),
        ),
        actions=RESTART_ONLY,
    ),
    Service(
        "network",
        "Pod network and network policies (kube-router)",
        parts=(Workload("DaemonSet", "kube-system", "kube-router"),),
        phases=("network",),
        configuration=(ConfigMap("kube-system", "kube-router"),),
        actions=RESTART_ONLY,
    ),
    Service(
        "control",
        "Control service (this one)",
        parts=(StaticPod("control"),),
        phases=("control",),
        configuration=(NodeFile("/etc/kubernetes/manifests/control.yaml", "masters"),),
        actions=RESTART_ONLY,
    ),
)

BY_NAME = {service.name: service for service in SERVICES}
