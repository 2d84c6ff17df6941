"""Who is a member of the cluster, and the tokens with which nodes become one.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List

from ansible.module_utils import atoll_cluster as cluster

# Put on a node behind its join. By its name it is one that no kubelet may change, its own node's neither.
JOINED = "atoll.io.node-restriction.kubernetes.io/joined"
# On the Secret of a token: the node for which it was made.
JOINS = "atoll.io/joins"
NAMESPACE = "kube-system"


def is_member(node: Dict[str, Any]) -> bool:
    """Whether a node needs no token.

    One whose join was cut off has a Node too, without the label; one that was made anew has an old Node, not ready.
    """
    conditions = node.get("status", {}).get("conditions", [])
    is_ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return is_ready and JOINED in node["metadata"].get("labels", {})


def take_back(nodes: Iterable[str], dry: bool) -> List[str]:
    """Remove the tokens that were made for nodes; return the names of their Secrets.

    A token is good for any name: who is root where it lies could become another node with it, a master too.
    """
    chosen = "{} in ({})".format(JOINS, ",".join(sorted(nodes)))
    words = ["--namespace", NAMESPACE, "get", "secrets", "--selector", chosen, "--output", "name"]
    found = cluster.kubectl(*words).split()
    if found and not dry:
        cluster.kubectl("--namespace", NAMESPACE, "delete", "--ignore-not-found", *found)
    return [name.partition("/")[2] for name in found]
