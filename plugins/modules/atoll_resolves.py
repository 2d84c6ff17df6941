#!/usr/bin/python
# Apache-2.0
"""Wait until a name server answers."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_resolves
short_description: Wait until a name server answers
description:
  - Asks a name server for the address of a name, as a pod would, until it answers. Changes nothing.
options:
  name:
    description: The name.
    type: str
    required: true
  server:
    description: Address of the name server.
    type: str
    required: true
  timeout_s:
    description: Most seconds to wait.
    type: int
    default: 120
author:
  - Atoll
"""

EXAMPLES = r"""
- name: Names of services are answered
  atoll_resolves:
    name: kubernetes.default.svc.cluster.local
    server: 10.96.0.10
"""

RETURN = r"""
address:
  description: The address.
  returned: always
  type: str
"""

from typing import Any, Dict

from ansible.module_utils.atoll_names import resolved
from ansible.module_utils.atoll_node import guarded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "name": {"type": "str", "required": True},
    "server": {"type": "str", "required": True},
    "timeout_s": {"type": "int", "default": 120},
}


def work(module: Any) -> Dict[str, Any]:
    """Ask until there is an answer."""
    params = module.params
    return {"changed": False, "address": resolved(params["name"], params["server"], params["timeout_s"])}


def main() -> None:
    """Run as a module."""
    guarded(work, AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
