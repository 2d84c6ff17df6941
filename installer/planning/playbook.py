"""Makes the playbooks of the verbs (and inventory.example) from the phases: `python -m installer.planning.playbook`."""

from __future__ import annotations

from pathlib import Path

from installer.cluster import TREE
from installer.planning import classic
from installer.planning.phases import PHASES, Phase, Scope
from installer.planning.verbs import VERBS, Turn, Verb

FOLDER = TREE / "playbooks"

_HEAD = """\
---
# Made by `python -m installer.planning.playbook` from verbs.py and phases.py there; a test fails when they differ.
# {title}.
# A play's group holds the nodes that have the phase in the plan ($ATOLL_PLAN); without a plan all where it belongs.

- name: What nodes can do
  hosts: planned
  gather_facts: false
  any_errors_fatal: {fatal}
  tasks:
    - name: Facts that roles act on are known
      atoll_facts:
      timeout: 120
"""
_VERDICT = """\
- name: What is broken
  hosts: planned
  gather_facts: false
  tasks:
    - name: Every phase keeps what it promises
      ansible.builtin.assert:
        that: atoll_broken | default([]) | length == 0
        fail_msg: "Broken here: {{ atoll_broken | default([]) | join(', ') }}."
        quiet: true
"""


def file_of(verb: Verb) -> Path:
    """Return where the playbook of a verb lies."""
    return FOLDER / verb.playbook


def text(verb: Verb) -> str:
    """Return the content of the playbook of a verb."""
    head = _HEAD.format(title=verb.title, fatal="false" if verb.tells_all else "true")
    plays = [_play(phase, turn, verb) for turn in verb.turns for phase in turn.phases]
    return "\n".join([head, *plays, *([_VERDICT] if verb.tells_all else [])])


def _play(phase: Phase, turn: Turn, verb: Verb) -> str:
    lines = [
        f"- name: {phase.title}{turn.suffix}",
        f"  hosts: {turn.group(phase)}",
        "  gather_facts: false",
        *(["  any_errors_fatal: true"] if phase.stops_all and not verb.tells_all else []),
        *([f"  serial: {phase.rolling}"] if phase.rolling and not verb.tells_all else []),
        "  vars:",
        f"    verb: {turn.runs}",
        f"    phase: {phase.name}",
        *_on_record(phase, turn),
        *(_patience() if verb.tells_all else []),
        "  tasks:",
        *(_kept_in_mind(phase, turn) if verb.tells_all else _role(phase, turn, "    ")),
        *_off_record(phase, turn),
    ]
    return "\n".join(lines) + "\n"


def _role(phase: Phase, turn: Turn, indent: str) -> list[str]:
    lines = [
        f"- name: {phase.title} - {turn.title}",
        "  ansible.builtin.import_role:",
        f"    name: {phase.role}",
        f"    tasks_from: {tasks_of(phase, turn)}",
    ]
    return [indent + line for line in lines]


def _patience() -> list[str]:
    """A phase that has just been applied may still be on its way; a question has its answer at once."""
    return [
        "  module_defaults:",
        "    atoll_verify:",
        "      timeout_s: \"{{ lookup('ansible.builtin.env', 'ATOLL_PATIENCE_S') | default(10, true) | int }}\"",
        "      left_out: \"{{ groups['maintenance'] | default([]) }}\"",
    ]


def _kept_in_mind(phase: Phase, turn: Turn) -> list[str]:
    """Go on behind a failure: a node has many phases, and a person wants to know of all that are broken."""
    return [
        f"    - name: {phase.title}",
        "      block:",
        *_role(phase, turn, "        "),
        "      rescue:",
        f"        - name: {phase.title} - kept in mind",
        "          ansible.builtin.set_fact:",
        '            atoll_broken: "{{ atoll_broken | default([]) + [phase] }}"',
    ]


def _off_record(phase: Phase, turn: Turn) -> list[str]:
    if turn.record != "absent":
        return []
    return [
        "  post_tasks:",
        f"    - name: {phase.title} - off the record",
        "      atoll_record:",
        f"        phase: {phase.name}",
        f"        scope: {_scope(phase)}",
        "        state: absent",
    ]


def _on_record(phase: Phase, turn: Turn) -> list[str]:
    """What the last task of the phase puts on record; a task of its own for that would be one in four."""
    if turn.record != "present":
        return []
    return [
        "    on_record:",
        f"      phase: {phase.name}",
        f"      scope: {_scope(phase)}",
        f"      input_hash: \"{{{{ atoll_input_hashes.{phase.name} | default('') }}}}\"",
        '      version: "{{ atoll_version }}"',
    ]


def _scope(phase: Phase) -> str:
    return "cluster" if phase.on is Scope.CLUSTER else "node"


def tasks_of(phase: Phase, turn: Turn) -> str:
    """Return the file of the role's tasks: its verb, or the phase where a role has several.

    Not `main`: to include a role, to check its arguments (which come from pydantic) and to include its verb are three
    tasks per phase and node that do nothing.
    """
    several = sum(other.role == phase.role for other in PHASES) > 1
    if not several:
        return turn.runs
    return {"deploy": phase.name, "remove": "remove"}.get(turn.runs, f"{turn.runs}_{phase.name}")


if __name__ == "__main__":
    for one in VERBS:
        file_of(one).write_text(text(one), encoding="utf-8")
    classic.main()
