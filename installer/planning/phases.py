"""The phases of an installation: the one table. Planning, playbook, inventory and progress are made from it.

`inputs` are keys of `projection.project`: a change of one plans the phase again. A name with a dot is one key of a
section of cluster.yaml or of the node, a name without one is a whole section or a fact about the cluster. `artifacts`
are patterns of files of the bundle, `{arch}` being the node's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Where a phase belongs."""

    ALL = "all"
    MASTERS = "masters"
    JOINED = "joined"  # workers and storage nodes; a master that is also a worker is made by `control_plane`
    STORAGE = "storage"
    REGISTRY = "registry"
    CLUSTER = "cluster"  # once for the whole cluster, on the first master


@dataclass(frozen=True)
class Phase:
    """One role applied to one group of nodes."""

    name: str
    title: str
    role: str
    on: Scope
    needs: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    rolling: int = 0  # so many nodes at a time; 0: all
    stops_all: bool = True  # a failure ends the run; otherwise only the failed node goes no further
    removable: bool = False  # its role has the verb `remove`
    holds_certificates: bool = False  # has certificates of the cluster's authorities, which are renewed in time
    only_if: str = ""  # a condition of projection.CONDITIONS; without it the phase is always wanted

    @property
    def group(self) -> str:
        """The inventory group of the nodes that have it in the plan."""
        return f"phase_{self.name}"

    @property
    def removal_group(self) -> str:
        """The inventory group of the nodes from which it is removed."""
        return f"remove_{self.name}"


_KUBELET = (
    "cluster_name",
    "node.name",
    "node.address",
    "node.roles",
    "node.labels",
    "node.accelerators",
    "card_labels",
    "network",
    "kubernetes",
    "container_runtime.parallel_downloads",
    "container_runtime.log_size",
    "container_runtime.log_files",
)
_OS = "os/*/{arch}/Packages"

PHASES = (
    Phase(
        "host",
        "Operating system",
        role="host",
        on=Scope.ALL,
        inputs=(
            "cluster_name",
            "node.name",
            "node.address",
            "node.data_disks",
            "masters",
            "ntp",
            "firewall",
            "node.firewall",
            "network.pod_network",
            "network.service_network",
        ),
        artifacts=(_OS,),
    ),
    Phase(
        "certificates",
        "Certificates",
        role="certificates",
        on=Scope.ALL,
        needs=("host",),
        inputs=(
            "cluster_name",
            "node.name",
            "node.address",
            "node.roles",
            "masters",
            "registry_hosts",
            "kubernetes.virtual_address",
            "kubernetes.extra_names",
            "network.service_network",
            "network.cluster_domain",
            "platform.origin",
            "platform.apps_domain",
            "platform.certificate_file",
            "platform.key_file",
            "registry.harbor",
        ),
        holds_certificates=True,
    ),
    Phase(
        "registry",
        "Image registry",
        role="registry",
        on=Scope.REGISTRY,
        needs=("certificates",),
        inputs=("registry", "node.address"),
        artifacts=("bin/{arch}/registry",),
        rolling=1,
        removable=True,
        only_if="own_registry",
        holds_certificates=True,
    ),
    Phase(
        "container_runtime",
        "Container runtime",
        role="container_runtime",
        on=Scope.ALL,
        needs=("certificates",),
        inputs=("container_runtime", "registry.driver", "registry.harbor"),
        artifacts=("bin/{arch}/containerd*", "bin/{arch}/ctr", "bin/{arch}/runc", "bin/{arch}/cni/*", "image/base/*"),
    ),
    Phase(
        "load_balancer",
        "Ways to API and registry",
        role="load_balancer",
        on=Scope.ALL,
        needs=("certificates",),
        inputs=("masters", "registry_hosts", "kubernetes.virtual_address", "node.roles"),
        artifacts=(_OS,),
    ),
    Phase(
        "control_plane",
        "Control plane",
        role="kubernetes",
        on=Scope.MASTERS,
        needs=("container_runtime", "load_balancer"),
        inputs=(*_KUBELET, "masters"),
        artifacts=(
            "bin/{arch}/kubernetes",
            "bin/{arch}/kube-bench",
            "bin/{arch}/etcdctl",
            "image/base/registry.k8s.io/*",
        ),
        rolling=1,
        holds_certificates=True,
    ),
    # Before nodes join, or come back: a kubelet starts when its node has mounted the user data.
    Phase(
        "storage",
        "Servers of user data",
        role="storage",
        on=Scope.STORAGE,
        needs=("certificates",),
        inputs=("cluster_name", "storage", "storage_hosts", "node.name", "node.address"),
        artifacts=(_OS,),
        only_if="own_storage",
        holds_certificates=True,
    ),
    # Apart from its servers, since it lists who may mount it: a node that joins or leaves changes nothing else of them.
    Phase(
        "volume",
        "Volume of user data",
        role="storage",
        on=Scope.STORAGE,
        needs=("storage",),
        inputs=("cluster_name", "storage", "storage_hosts", "members"),
        only_if="own_storage",
    ),
    Phase(
        "node",
        "Kubernetes nodes",
        role="kubernetes",
        on=Scope.JOINED,
        needs=("container_runtime", "load_balancer", "control_plane"),
        inputs=_KUBELET,
        artifacts=("bin/{arch}/kubernetes", "bin/{arch}/kube-bench"),
        stops_all=False,
        holds_certificates=True,
    ),
    # Before the network, which waits for all nodes that the cluster knows.
    Phase(
        "fencing",
        "Nodes that are shut out",
        role="fencing",
        on=Scope.CLUSTER,
        needs=("control_plane",),
        inputs=("fenced",),
        removable=True,
        only_if="has_fenced",
    ),
    Phase(
        "network",
        "Pod network",
        role="network",
        on=Scope.CLUSTER,
        needs=("control_plane",),
        inputs=("network", "kubernetes.virtual_address"),
        artifacts=(
            *("image/base/*kube-router*", "image/base/*coredns*", "image/base/*kube-proxy*"),
            "manifests/kube-router*",
        ),
    ),
    Phase(
        "images",
        "Images in the registry",
        role="images",
        on=Scope.CLUSTER,
        needs=("registry", "load_balancer"),
        inputs=("registry",),
        artifacts=("image/*",),
    ),
    Phase(
        "storage_client",
        "Mounts of user data",
        role="storage",
        on=Scope.ALL,
        # The provisioner of local volumes is pulled from the registry.
        needs=("volume", "control_plane", "node", "images"),
        # Not all of `storage`: what users may take is the servers' concern.
        inputs=(
            "cluster_name",
            "storage.driver",
            "storage.directory",
            "storage.system_directory",
            "storage.nfs",
            "storage.cephfs",
            "storage_hosts",
            "node.name",
            "node.is_first_master",
        ),
        artifacts=(
            _OS,
            "manifests/local-path-provisioner*",
            "image/platform/*local-path*",
            "image/platform/*atoll/base*",
        ),
        stops_all=False,
        holds_certificates=True,
    ),
    Phase(
        "accelerators",
        "Accelerators",
        role="accelerators",
        on=Scope.CLUSTER,
        needs=("network", "images"),
        inputs=("accelerators", "accelerated_nodes", "device_types", "card_labels", "card_plugins"),
        artifacts=("image/platform/*atoll/platform*",),
        removable=True,
        only_if="has_accelerators",
    ),
    Phase(
        "queue",
        "Queue",
        role="queue",
        on=Scope.CLUSTER,
        needs=("network", "images"),
        inputs=("queue", "device_types", "network.cluster_domain", "masters"),
        artifacts=("manifests/kueue*", "manifests/jobset*", "image/platform/*kueue*", "image/platform/*jobset*"),
        holds_certificates=True,
    ),
    Phase(
        "database",
        "Database",
        role="database",
        on=Scope.CLUSTER,
        needs=("network", "images", "storage_client"),
        inputs=("database", "masters"),
        artifacts=("image/platform/*atoll/database*",),
        holds_certificates=True,
    ),
    Phase(
        "monitoring",
        "Monitoring",
        role="monitoring",
        on=Scope.CLUSTER,
        needs=("network", "images", "storage_client"),
        inputs=("monitoring", "masters"),
        artifacts=(
            "image/platform/*prometheus*",
            "image/platform/*kube-state-metrics*",
            "image/platform/*node-exporter*",
        ),
    ),
    Phase(
        "platform",
        "Services and portal",
        role="platform",
        on=Scope.CLUSTER,
        needs=("database", "queue", "storage_client"),
        inputs=("cluster_name", "platform", "resource_limit", "smtp", "sign_in", "device_types", "shared_devices",
                "portal_address", "masters", "registry_hosts", "storage_hosts", "control", "storage.driver",
                "network.cluster_domain", "network.pod_network", "network.service_network",
                "monitoring.scrape_seconds", "queue.fair_sharing"),
        artifacts=("image/platform/*atoll/*", "image/framework/*", "platform/*"),
        holds_certificates=True,
    ),
    Phase(
        "control",
        "Control service",
        role="control",
        on=Scope.MASTERS,
        needs=("platform",),
        inputs=("cluster_name", "control", "masters", "node.name", "node.address"),
        artifacts=("*",),
        rolling=1,
        holds_certificates=True,
    ),
)  # fmt: skip
BY_NAME = {phase.name: phase for phase in PHASES}
