#!/usr/bin/python
# Apache-2.0
"""Nodes that the cluster shall not know any more."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_fencing
short_description: Nodes that the cluster shall not know any more
description:
  - Removes Node objects and the pods that are bound to them, at once, without asking their kubelets; runs on a master.
    Whoever made such a pod makes another one elsewhere.
options:
  phase:
    description: The phase that this belongs to; its record is marked first.
    type: str
  nodes:
    description: Names of the nodes. One that the cluster does not know is passed over.
    type: list
    elements: str
    required: true
extends_documentation_fragment:
  - atoll
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The cluster knows no node that is shut out
  atoll_fencing:
    phase: fencing
    nodes: [worker3]
"""

RETURN = r"""
removed:
  description: The nodes that were removed, or of which pods were.
  returned: always
  type: list
  elements: str
"""

from typing import Any, Dict, List

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, guarded
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, begun, recorded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "phase": {"type": "str"},
    "nodes": {"type": "list", "elements": "str", "required": True},
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}


def known(node: str) -> bool:
    """Say whether the cluster has a Node object of that name."""
    return bool(cluster.kubectl("get", "node", node, "--output", "name", "--ignore-not-found").strip())


def pods_of(node: str) -> List[str]:
    """Return the pods that are bound to a node."""
    bound = ("--all-namespaces", "--field-selector", "spec.nodeName=" + node)
    return cluster.kubectl("get", "pods", *bound, "--output", "name").split()


def forget(node: str) -> None:
    """Remove a node, then its pods: until then what watches nodes would make some of them again."""
    cluster.kubectl("delete", "node", node, "--ignore-not-found", "--wait=false")
    bound = ("--all-namespaces", "--field-selector", "spec.nodeName=" + node)
    cluster.kubectl("delete", "pods", *bound, "--force", "--grace-period=0", "--wait=false")


def work(module: Any) -> Dict[str, Any]:
    """Remove what is there."""
    removed = [node for node in sorted(set(module.params["nodes"])) if known(node) or pods_of(node)]
    if not module.check_mode:
        for node in removed:
            forget(node)
    return {"changed": bool(removed), "removed": removed}


def main() -> None:
    """Run as a module."""
    guarded(begun(recorded(work), in_cluster=True), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
