#!/usr/bin/python
# Apache-2.0
"""Write down that a phase was applied."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_record
short_description: Write down that a phase was applied
description:
  - The last task of a phase whose own last task has no argument C(record), and what takes a phase off the record.
    Planning reads these records through M(atoll_probe).
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
    description:
      - With C(begun), a record that there is no longer counts until the phase has ended; modules that work on a phase
        do so themselves.
      - With C(absent), the phase was removed from here, and so are its record and its book.
    type: str
    choices: [present, begun, absent]
    default: present
extends_documentation_fragment:
  - atoll
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

from typing import Any, Dict

from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, guarded
from ansible.module_utils.atoll_recording import begin, keep, made_of
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "phase": {"type": "str", "required": True},
    "input_hash": {"type": "str"},
    "version": {"type": "str"},
    "scope": {"type": "str", "choices": ["node", "cluster"], "default": "node"},
    "state": {"type": "str", "choices": ["present", "begun", "absent"], "default": "present"},
    **COMMON_ARGUMENTS,
}


def work(module: Any) -> Dict[str, Any]:
    """Write what differs."""
    params = module.params
    if params["state"] == "begun":
        in_cluster = params["scope"] == "cluster"
        changed = not module.check_mode and begin(params["state_directory"], params["phase"], in_cluster)
        return {"changed": changed, "record": {}}
    content = made_of(params) if params["state"] == "present" else None
    changed, record = keep(params["state_directory"], params["phase"], content, params["scope"], module.check_mode)
    return {"changed": changed, "record": record or {}}


def main() -> None:
    """Run as a module."""
    required = [("state", "present", ("input_hash", "version"))]
    guarded(work, AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True, required_if=required))


if __name__ == "__main__":
    main()
