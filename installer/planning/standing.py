"""What stands: the revision of cluster.yaml that was accepted last, and who of it is no longer wanted. Pure.

Whoever stands and is no longer wanted is never forgotten: plan names it until it was removed.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from installer.cluster import Cluster, ClusterError, Node, loads
from installer.planning.observations import Observations

# What is needed to reach a node, and to know what is on it.
_OF_CLUSTER = ("name", "nodes", "ssh", "lab", "registry", "storage")
NOT_YET = "`./atoll` cannot take a node out of a cluster yet"


def read_standing(text: str) -> Cluster | None:
    """Return the cluster of an accepted text; None if nothing can be read of it.

    An earlier version may have accepted it, with keys that are others now: nodes are what counts.
    """
    try:
        return loads(text, installed=True)
    except ClusterError:
        pass
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or not isinstance(content.get("nodes"), list):
        return None
    known = {name: content[name] for name in _OF_CLUSTER if name in content}
    known["nodes"] = [
        {key: value for key, value in node.items() if key in Node.model_fields}
        for node in content["nodes"]
        if isinstance(node, dict)
    ]
    for keys in (_OF_CLUSTER, ("name", "nodes", "ssh"), ("name", "nodes")):
        try:
            return loads(yaml.safe_dump({key: known[key] for key in keys if key in known}), installed=True)
        except ClusterError:
            continue
    return None


def leaving(wanted: Cluster, standing: Cluster | None) -> list[Node]:
    """Return the nodes that stand and are no longer wanted."""
    names = {node.name for node in wanted.nodes}
    return [node for node in standing.nodes if node.name not in names] if standing else []


def stands(node: Node, seen: Observations) -> bool:
    """Say whether anything is on a node, or may be: only one that was looked at can be free of us."""
    found = seen.nodes.get(node.name)
    return found is None or not found.known or bool(found.records or found.managed)


def leavers(wanted: Cluster, standing: Cluster | None, seen: Observations) -> Iterator[tuple[str, str]]:
    """Yield each node that stands and is no longer wanted, with what to do about it."""
    for node in leaving(wanted, standing):
        if not stands(node, seen):
            continue
        found = seen.nodes.get(node.name)
        silent = found is not None and not found.reachable and not node.left_out
        state = " and does not answer" if silent else ""
        yield (
            node.name,
            f"Node `{node.name}` ({node.address}) stands{state}, and is no longer in cluster.yaml. {NOT_YET}: put it "
            "back, as it was. To leave it out, also for good because it is dead, say `maintenance: true` there.",
        )


def forgotten(wanted: Cluster, standing: Cluster | None, seen: Observations) -> Iterator[str]:
    """Say which nodes are dropped in peace: they were named once, and nothing came to be on them."""
    for node in leaving(wanted, standing):
        if not stands(node, seen):
            yield f"Node `{node.name}` is no longer in cluster.yaml. Nothing of Atoll is on it, so it is forgotten."
