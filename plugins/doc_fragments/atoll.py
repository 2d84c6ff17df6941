# Apache-2.0
"""What the documentation of several modules has in common."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of all modules that keep state on the node; `atoll.phase` and `atoll.record` of those that have them."""

    DOCUMENTATION = r"""
options:
  state_directory:
    description: Atoll's state on the node.
    type: path
    default: /var/lib/atoll
"""

    PHASE = r"""
options:
  phase:
    description: The phase that these belong to. Default is the variable C(phase).
    type: str
"""

    RECORD = r"""
options:
  record:
    description: >-
      For the last task of a phase: put the phase on record behind it. The variable C(on_record) of the play says what.
    type: dict
    suboptions:
      phase: {description: The phase., type: str, required: true}
      scope: {description: Whether the cluster keeps it too., type: str, choices: [node, cluster], default: node}
      input_hash: {description: Hash of all that the phase was made from., type: str, required: true}
      version: {description: Version of Atoll., type: str, required: true}
"""
