"""How the services of one cluster are reached: its nodes by SSH and its API server, from here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from installer.cluster.drivers import STORAGE
from installer.cluster.given import ssh_key
from installer.cluster.places import known_hosts, state_directory
from installer.cluster.schema import Cluster, Node
from installer.services.kubernetes_api import KubernetesApi
from installer.services.table import Where
from installer.ssh.nodes import SshNode

API_SERVER_PORT = 6443


class Access:
    """The ways into one cluster: `kubeconfig` is that of a master, without it this machine asks the masters in turn."""

    def __init__(self, cluster: Cluster, kubeconfig: Path | None = None) -> None:
        self.cluster = cluster
        self.kubernetes = (
            KubernetesApi(kubeconfig)
            if kubeconfig
            else KubernetesApi(state_directory(cluster) / "admin.conf", api_servers(cluster))
        )

    def nodes(self, on: Where) -> list[SshNode]:
        """Return how to reach the nodes of a kind; those in maintenance are left out."""
        return [ssh_node(self.cluster, node) for node in self._nodes(on) if not node.left_out]

    def node(self, name: str) -> SshNode:
        """Return how to reach one node. Raises KeyError."""
        return ssh_node(self.cluster, self.cluster.node(name))

    def _nodes(self, on: Where) -> Sequence[Node]:
        driver = STORAGE[self.cluster.storage.driver]
        kinds: dict[Where, Sequence[Node]] = {
            "all": self.cluster.nodes,
            "masters": self.cluster.masters,
            # Without the managed driver the servers are somebody else's, and their units too.
            "storage": self.cluster.storage_nodes if driver.managed else [],
            # Without a shared file system the tree is a folder, and nothing is mounted.
            "mounts": self.cluster.nodes if driver.shared else [],
            "registry": self.cluster.registry_nodes,
        }
        return kinds[on]


def api_servers(cluster: Cluster) -> list[str]:
    """Return the URLs of the API servers, those of masters in maintenance last."""
    masters = sorted(cluster.masters, key=lambda master: master.left_out)
    return [f"https://{master.address}:{API_SERVER_PORT}" for master in masters]


def ssh_node(cluster: Cluster, node: Node) -> SshNode:
    """Return how to reach a node over SSH."""
    ssh = cluster.ssh_of(node)
    return SshNode(
        name=node.name,
        address=str(node.address),
        user=ssh.user,
        key_file=ssh_key(cluster, node),
        known_hosts=known_hosts(cluster),
        port=ssh.port,
        become=ssh.uses_sudo,
        jump=str(ssh.jump) if ssh.jump else None,
    )
