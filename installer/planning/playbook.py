"""Makes playbooks/apply.yml (and inventory.example) from the phases: `python -m installer.planning.playbook`."""

from __future__ import annotations

from installer.cluster import TREE
from installer.planning import classic
from installer.planning.phases import PHASES, Phase, Scope

FILE = TREE / "playbooks" / "apply.yml"

_HEAD = """\
---
# Made by `python -m installer.planning.playbook` from installer/planning/phases.py; a test fails when they differ.
# A play's group holds the nodes that have the phase in the plan ($ATOLL_PLAN); without a plan all where it belongs.

- name: What nodes can do
  hosts: planned
  gather_facts: false
  any_errors_fatal: true
  tasks:
    - name: Facts that roles act on are known
      atoll_facts:
"""


def text() -> str:
    """Return the content of the playbook."""
    removals = [_play(phase, "remove") for phase in reversed(PHASES) if phase.removable]
    return "\n".join([_HEAD, *removals, *(_play(phase, "deploy") for phase in PHASES)])


def _play(phase: Phase, verb: str) -> str:
    removes = verb == "remove"
    scope = "cluster" if phase.on is Scope.CLUSTER else "node"
    lines = [
        f"- name: {phase.title}{' - removal' if removes else ''}",
        f"  hosts: {phase.removal_group if removes else phase.group}",
        "  gather_facts: false",
        *(["  any_errors_fatal: true"] if phase.stops_all else []),
        *([f"  serial: {phase.rolling}"] if phase.rolling else []),
        "  vars:",
        f"    verb: {verb}",
        f"    phase: {phase.name}",
        "  tasks:",
        f"    - name: {phase.title} - {'removed' if removes else 'as wanted'}",
        "      ansible.builtin.import_role:",
        f"        name: {phase.role}",
        f"        tasks_from: {_tasks(phase, verb)}",
    ]
    if phase.on is not Scope.FIRST_MASTER:
        # After the handlers, which run at the end of `tasks`: only what is in effect goes on record.
        lines += [
            "  post_tasks:",
            f"    - name: {phase.title} - {'off the record' if removes else 'on record'}",
            "      atoll_record:",
            f"        phase: {phase.name}",
            f"        scope: {scope}",
            *(
                ["        state: absent"]
                if removes
                else [
                    f"        input_hash: \"{{{{ atoll_input_hashes.{phase.name} | default('') }}}}\"",
                    '        version: "{{ atoll_version }}"',
                ]
            ),
        ]
    return "\n".join(lines) + "\n"


def _tasks(phase: Phase, verb: str) -> str:
    """Return the file of the role's tasks: its verb, or the phase where a role has several.

    Not `main`: to include a role, to check its arguments (which come from pydantic) and to include its verb are three
    tasks per phase and node that do nothing.
    """
    several = sum(other.role == phase.role for other in PHASES) > 1
    return phase.name if verb == "deploy" and several else verb


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    classic.main()
