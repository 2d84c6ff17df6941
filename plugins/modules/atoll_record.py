#!/usr/bin/python
# Apache-2.0
"""Write down that a phase was applied."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_record
short_description: Write down that a phase was applied
description:
  - The last task of each phase. Planning reads these records through M(atoll_probe).
options:
  phase:
    description: The phase.
    type: str
    required: true
  input_hash:
    description: Hash of everything that the phase was made from. Needed for C(present).
    type: str
  version:
    description: Version of Atoll. Needed for C(present).
    type: str
  scope:
    description: With C(cluster) the record is also kept in the ConfigMap C(atoll-system/records).
    type: str
    choices: [node, cluster]
    default: node
  state:
    description: With C(absent), the phase was removed from here, and so are its record and its book.
    type: str
    choices: [present, absent]
    default: present
  state_directory:
    description: Atoll's state on the node.
    type: path
    default: /var/lib/atoll
author:
  - Atoll
"""

EXAMPLES = r"""
- name: Phase queue is done
  atoll_record:
    phase: queue
    input_hash: "{{ atoll_input_hashes.queue }}"
    version: "{{ atoll_version }}"
    scope: cluster
"""

RETURN = r"""
record:
  description: The record.
  returned: always
  type: dict
"""

import json
import os
import time
from typing import Any, Dict, Optional

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, guarded, locked, read_json, write_atomically
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "phase": {"type": "str", "required": True},
    "input_hash": {"type": "str"},
    "version": {"type": "str"},
    "scope": {"type": "str", "choices": ["node", "cluster"], "default": "node"},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    **COMMON_ARGUMENTS,
}
NAMESPACE = "atoll-system"
NAME = "records"


def write_local(path: str, record: Optional[Dict[str, Any]]) -> None:
    """Write the record on the node, or remove it."""
    if record is not None:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        write_atomically(path, (json.dumps(record, sort_keys=True) + "\n").encode(), 0o644)
    elif os.path.exists(path):
        os.unlink(path)


def in_cluster() -> Dict[str, str]:
    """Return the records that the cluster keeps."""
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "namespace": NAMESPACE}}
    return next((found.get("data") or {} for found in cluster.get([item]).values()), {})


def write_cluster(phase: str, record: Optional[Dict[str, Any]]) -> None:
    """Write the record to the cluster: each phase is a key of its own, so two writers do not meet."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    if not cluster.get([space]):
        cluster.kubectl("create", "--filename", "-", stdin=json.dumps(space))
    if not cluster.get([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "namespace": NAMESPACE}}]):
        cluster.kubectl("--namespace", NAMESPACE, "create", "configmap", NAME)
    value = None if record is None else json.dumps(record, sort_keys=True)
    patch = json.dumps({"data": {phase: value}})
    cluster.kubectl("--namespace", NAMESPACE, "patch", "configmap", NAME, "--type", "merge", "--patch", patch)


def work(module: Any) -> Dict[str, Any]:
    """Write what differs."""
    params, dry = module.params, module.check_mode
    state, phase = params["state_directory"], params["phase"]
    path = os.path.join(state, "records", phase + ".json")
    present = params["state"] == "present"
    with locked(state, wanted=not dry):
        seen = read_json(path)
        names = {"phase": phase, "input_hash": params["input_hash"], "version": params["version"]}
        record: Optional[Dict[str, Any]] = None
        if present:
            same = seen is not None and all(seen.get(name) == value for name, value in names.items())
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            record = seen if same else {**names, "at": now}
        changed = record != seen
        if changed and not dry:
            write_local(path, record)
            book = os.path.join(state, "managed", phase + ".json")
            if not present and os.path.exists(book):
                os.unlink(book)
        if params["scope"] == "cluster" and os.path.exists(cluster.KUBECONFIG):
            known = in_cluster().get(phase)
            if (None if known is None else json.loads(known)) != record:
                changed = True
                if not dry:
                    write_cluster(phase, record)
    return {"changed": changed, "record": record or {}}


def main() -> None:
    """Run as a module."""
    required = [("state", "present", ("input_hash", "version"))]
    guarded(work, AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True, required_if=required))


if __name__ == "__main__":
    main()
