"""The table of ports: everything of ours that listens, where, and who may come. Pure.

The firewall of the nodes is made of it (`roles/host/templates/firewall.nft.j2`); `./atoll status --ports` shows it, and
what listens on nodes without a row.
"""

from __future__ import annotations

from typing import Any

from installer.cluster.drivers import REGISTRY, STORAGE
from installer.cluster.listeners import LAST_PORT, Binds, Listener, Place, Who
from installer.cluster.schema import Cluster, Node

_LOCAL = Binds.LOOPBACK
_SERVICE = Binds.PODS
_MESH = (Who.NODES,)
_SYSTEM = (Who.NODES, Who.PODS)
_API_SERVERS = (Who.MASTERS,)


def _of_pods(what: str, program: str, port: int, *callers: str) -> Listener:
    return Listener(what, program, port, binds=_SERVICE, who=(Who.PODS,), callers=callers)


_NODES = (
    Listener("way to the API servers", "haproxy", 7443, binds=_LOCAL),
    Listener("way to the registry", "haproxy", 5000, binds=_LOCAL),
    Listener("streams of containers", "containerd", 1024, LAST_PORT, binds=_LOCAL),
    Listener("kubelet", "kubelet", 10250, who=_SYSTEM),
    Listener("health of the kubelet", "kubelet", 10248, binds=_LOCAL),
    Listener("health of kube-proxy", "kube-proxy", 10256),
    Listener("metrics of kube-proxy", "kube-proxy", 10249, binds=_LOCAL),
    Listener("routes between nodes (BGP)", "kube-router", 179, who=_MESH),
    Listener("health of kube-router", "kube-router", 20244, binds=_LOCAL),
    Listener("metrics of kube-router", "kube-router", 20245, binds=_LOCAL),
    Listener("metrics of nodes", "node_exporter", 9100, who=_SYSTEM),
    Listener("commands of the clock", "chronyd", 323, protocol="udp", binds=_LOCAL),
    Listener("API server", "kube-apiserver", 6443, on="masters", who=(*_SYSTEM, Who.ADMINISTRATORS)),
    Listener("controller manager", "kube-controller", 10257, binds=_LOCAL, on="masters"),
    Listener("scheduler", "kube-scheduler", 10259, binds=_LOCAL, on="masters"),
    Listener("etcd", "etcd", 2379, on="masters", who=(Who.MASTERS,)),
    Listener("etcd among masters", "etcd", 2380, on="masters", who=(Who.MASTERS,)),
    Listener("metrics of etcd", "etcd", 2381, binds=_LOCAL, on="masters"),
    Listener("portal", "gateway", 443, binds=Binds.FORWARDED, on="masters", who=(Who.EVERYBODY,)),
    Listener("portal, sends to https", "gateway", 80, binds=Binds.FORWARDED, on="masters", who=(Who.EVERYBODY,)),
)
# As the network policies have it (`tests/unit/workloads/test_port_rows.py` holds one against the other).
_SERVICES = (
    Listener("API server", "default/kubernetes", 443, binds=_SERVICE, who=_SYSTEM),
    Listener("names of services", "kube-system/kube-dns", 53, binds=_SERVICE, who=(*_SYSTEM, Who.TASKS)),
    Listener(
        "names of services", "kube-system/kube-dns", 53, binds=_SERVICE, protocol="udp", who=(*_SYSTEM, Who.TASKS)
    ),
    Listener("metrics of the name service", "kube-system/kube-dns", 9153, binds=_SERVICE),
    _of_pods("API", "atoll-system/api", 8000, "gateway", "prometheus"),
    _of_pods("jobs", "atoll-system/jobs", 8001, "api", "prometheus"),
    _of_pods("files", "atoll-system/files", 8002, "api", "jobs", "prometheus"),
    _of_pods("database", "atoll-system/database", 5432, "api", "database", "jobs", "migration"),
    _of_pods("measurements", "atoll-monitoring/prometheus", 9090, "api"),
    Listener("webhooks of Kueue", "kueue-system/kueue-webhook-service", 443, binds=_SERVICE, who=_API_SERVERS),
    Listener("metrics of Kueue", "kueue-system/kueue-controller-manager-metrics-service", 8443, binds=_SERVICE),
    Listener("visibility of Kueue", "kueue-system/kueue-visibility-server", 443, binds=_SERVICE, who=_API_SERVERS),
    Listener("webhooks of JobSet", "jobset-system/jobset-webhook-service", 443, binds=_SERVICE, who=_API_SERVERS),
    Listener("metrics of JobSet", "jobset-system/jobset-controller-manager-metrics-service", 8443, binds=_SERVICE),
)


def listeners(cluster: Cluster) -> list[Listener]:
    """Return the table for a cluster: what its settings and its drivers make of it."""
    ssh = sorted({cluster.ssh_of(node).port for node in cluster.nodes})
    registry = (
        [Listener("registry", "registry", 5443, on="registry", who=_MESH)]
        if REGISTRY[cluster.registry.driver].managed
        else []
    )
    own = [
        *(
            Listener("open by `firewall.open_tcp`", "", port, who=(Who.EVERYBODY,))
            for port in cluster.firewall.open_tcp
        ),
        *(
            Listener("open by `firewall.open_udp`", "", port, protocol="udp", who=(Who.EVERYBODY,))
            for port in cluster.firewall.open_udp
        ),
    ]
    return [
        *(Listener("SSH", "sshd", port, who=(Who.NODES, Who.ADMINISTRATORS)) for port in ssh),
        *_NODES,
        Listener("control service", "python3", cluster.control.port, on="masters", who=_SYSTEM),
        *registry,
        *STORAGE[cluster.storage.driver].listeners,
        *own,
        *_SERVICES,
    ]


def of_node(cluster: Cluster, node: Node) -> list[Listener]:
    """Return what listens on a node."""
    places: dict[Place, bool] = {
        "all": True,
        "masters": node.is_master,
        "storage": "storage" in node.roles,
        "registry": node in cluster.registry_nodes,
    }
    return [row for row in listeners(cluster) if row.binds is not Binds.PODS and places[row.on]]


def who(cluster: Cluster, row: Listener) -> tuple[Who, ...]:
    """Return who may come over IPv4, where administrators may come from everywhere as everybody."""
    if Who.EVERYBODY in row.who or (Who.ADMINISTRATORS in row.who and not cluster.firewall.administrators):
        return (Who.EVERYBODY,)
    return row.who


def who_ipv6(cluster: Cluster, row: Listener) -> tuple[Who, ...]:
    """Return who may come over IPv6, link-local addresses included."""
    return tuple(one for one in who(cluster, row) if one is Who.EVERYBODY and row.binds is Binds.NODE)


def firewall(cluster: Cluster, node: Node) -> dict[str, Any]:
    """Return what the node's rules are made of."""
    return {
        "nodes": [each.address for each in cluster.members],
        "masters": [each.address for each in cluster.masters],
        "storage": [each.address for each in cluster.storage_nodes],
        "fenced": [each.address for each in cluster.fenced],
        "forwarded": [row.ports for row in of_node(cluster, node) if row.binds is Binds.FORWARDED],
        # Where a stranger may come to a pod by a port of the node: the portal's, and what the administrator opened.
        "led": [
            {"protocol": row.protocol, "ports": row.ports}
            for row in of_node(cluster, node)
            if Who.EVERYBODY in who(cluster, row) and (row.binds is Binds.FORWARDED or not row.program)
        ],
        "accept": [
            {"what": row.what, "protocol": row.protocol, "ports": row.ports, "from": [str(one) for one in allowed]}
            for row in of_node(cluster, node)
            if row.binds is Binds.NODE and (allowed := who(cluster, row))
        ],
    }
