#!/usr/bin/python
# Apache-2.0
"""Let named nodes join."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_admission
short_description: Let named nodes join
description:
  - On a master, makes a token for each of these nodes that is no member, good for joining only and for a limited
    time; M(atoll_node_labels) takes it back from who has joined. Whose join was cut off, or who was made anew, gets one
    again. Run it with C(no_log).
options:
  nodes:
    description: Nodes, each with C(name) and C(token).
    type: list
    elements: dict
    required: true
    suboptions:
      name: {description: Name of the node., type: str, required: true}
      token: {description: Its token., type: str, required: true}
  minutes:
    description: How long they may join.
    type: int
    default: 60
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The nodes to come are expected
  atoll_admission:
    nodes:
      - {name: worker3, token: "{{ lookup('atoll_secret', 'join_token_worker3', kind='bootstrap_token') }}"}
  no_log: true
"""

RETURN = r"""
expected:
  description: Names of the nodes that can join now.
  returned: always
  type: list
  elements: str
"""

import time
from typing import Any, Dict, List

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_joining import JOINED, JOINS, NAMESPACE, is_member
from ansible.module_utils.atoll_node import guarded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "nodes": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "token": {"type": "str", "required": True, "no_log": True},
        },
    },
    "minutes": {"type": "int", "default": 60},
}
FORM = "%Y-%m-%dT%H:%M:%SZ"


def secret(node: Dict[str, str], end: float) -> Dict[str, Any]:
    """Return the token as Kubernetes keeps it."""
    token_id, _, token_secret = node["token"].partition(".")
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "bootstrap.kubernetes.io/token",
        "metadata": {
            "name": "bootstrap-token-" + token_id,
            "namespace": NAMESPACE,
            "labels": {JOINS: node["name"]},
        },
        "stringData": {
            "description": "Atoll: node {} may join".format(node["name"]),
            "token-id": token_id,
            "token-secret": token_secret,
            "expiration": time.strftime(FORM, time.gmtime(end)),
            "usage-bootstrap-authentication": "true",
            # Nodes find the cluster by a file: nothing has to be signed for them.
            "usage-bootstrap-signing": "false",
            "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
        },
    }


def work(module: Any) -> Dict[str, Any]:
    """Make the tokens that are missing."""
    listed = cluster.items_of(cluster.kubectl("get", "nodes", "--output", "json"))
    members = {node["metadata"]["name"] for node in listed if is_member(node)}
    expected: List[Dict[str, str]] = [node for node in module.params["nodes"] if node["name"] not in members]
    if expected and not module.check_mode:
        end = time.time() + 60 * module.params["minutes"]
        secrets = [secret(node, end) for node in expected]
        words = ["apply", "--server-side", "--force-conflicts", "--field-manager", cluster.MANAGER, "--filename", "-"]
        cluster.kubectl(*words, stdin=cluster.as_list(secrets))
        # The mark of a former life would let its second join be taken for one that ended well.
        names = {node["name"] for node in expected}
        marked = {node["metadata"]["name"] for node in listed if JOINED in node["metadata"].get("labels", {})}
        for name in sorted(names & marked):
            cluster.kubectl("label", "node", name, JOINED + "-")
    return {"changed": bool(expected), "expected": [node["name"] for node in expected]}


def main() -> None:
    """Run as a module."""
    guarded(work, AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
