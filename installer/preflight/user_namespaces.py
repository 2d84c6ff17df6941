"""Whether tasks will run in user namespaces, as far as it can be told before an installation. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from installer.cluster import Cluster
from installer.cluster.drivers import STORAGE
from installer.preflight.checks import Finding
from installer.preflight.node_checks import NodeFacts

KERNEL = (6, 3)  # since then a tmpfs has idmapped mounts
WHERE = "cluster.yaml"
ID, TITLE = "cluster.user_namespaces", "user namespaces"


def check_user_namespaces(cluster: Cluster, facts: Sequence[NodeFacts]) -> list[Finding]:
    """Return what is to be expected, good to know in either case."""
    if cluster.platform.user_namespaces == "never":
        return []
    refused = STORAGE[cluster.storage.driver].not_idmapped
    old = [f"`{one.node.name}` has {one.seen['kernel']}" for one in facts if one.kernel < KERNEL]
    if refused:
        said = f"tasks do not run in user namespaces of their own: {refused} has no idmapped mounts"
        remedy = "Nothing is to be done: they run as their users, without rights, as ever."
    elif old:
        wanted = ".".join(map(str, KERNEL))
        said = f"tasks do not run in user namespaces of their own, for which a kernel is too old: {', '.join(old)}"
        remedy = f"Nothing has to be done. With Linux {wanted} or later on every node they would."
    else:
        said = "tasks run in user namespaces of their own where every node can start them so"
        remedy = "Nothing is to be done: each node tries it when it is installed, and says it in its labels."
    return [Finding(ID, TITLE, "note", WHERE, said, remedy)]
