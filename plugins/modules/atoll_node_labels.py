#!/usr/bin/python
# Apache-2.0
"""Labels of nodes in the cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_node_labels
short_description: Labels of nodes in the cluster
description:
  - Sets labels on nodes and removes those of the owned prefixes that are not wanted any more; runs on a master.
    Labels of others stay. A node that has not joined yet is passed over, for it is labelled when it joins.
options:
  phase:
    description: The phase that these labels belong to, if its record is kept on this node or in the cluster.
    type: str
  nodes:
    description: Wanted labels by name of the node.
    type: dict
    required: true
  owned:
    description: A label whose name begins with one of these belongs to Atoll.
    type: list
    elements: str
    default: []
extends_documentation_fragment:
  - atoll
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: Nodes carry the labels of their accelerators
  atoll_node_labels:
    nodes:
      worker1: {atoll.io/accelerator: nvidia_gpu_amd64, accelerators.atoll.io/nvidia_gpu_amd64: "8"}
    owned: [accelerators.atoll.io/, atoll.io/accelerator]
"""

RETURN = r"""
nodes:
  description: Names of the nodes whose labels were changed.
  returned: always
  type: list
  elements: str
"""

import json
from typing import Any, Dict, List, Optional

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, guarded
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, begun, recorded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "phase": {"type": "str"},
    "nodes": {"type": "dict", "required": True},
    "owned": {"type": "list", "elements": "str", "default": []},
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}


def changes(seen: Dict[str, str], wanted: Dict[str, str], owned: List[str]) -> Dict[str, Optional[str]]:
    """Return the labels to set, and with None those to remove."""
    different: Dict[str, Optional[str]] = {name: value for name, value in wanted.items() if seen.get(name) != value}
    for name in seen:
        if name not in wanted and any(name.startswith(prefix) for prefix in owned):
            different[name] = None
    return different


def work(module: Any) -> Dict[str, Any]:
    """Compare and patch."""
    params = module.params
    listed = cluster.items_of(cluster.kubectl("get", "nodes", "--output", "json"))
    seen = {node["metadata"]["name"]: node["metadata"].get("labels", {}) for node in listed}
    changed, diff = [], []
    for name, labels in sorted(params["nodes"].items()):
        if name not in seen:
            continue
        wanted = {key: str(value) for key, value in labels.items()}
        different = changes(seen[name], wanted, params["owned"])
        if not different:
            continue
        changed.append(name)
        before = {key: seen[name][key] for key in different if key in seen[name]}
        after = {key: value for key, value in different.items() if value is not None}
        diff.append({"before_header": name, "after_header": name, "before": before, "after": after})
        if not module.check_mode:
            patch = json.dumps({"metadata": {"labels": different}})
            cluster.kubectl("patch", "node", name, "--type=merge", "--patch", patch)
    return {"changed": bool(changed), "nodes": changed, "diff": diff}


def main() -> None:
    """Run as a module."""
    guarded(begun(recorded(work), in_cluster=True), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
