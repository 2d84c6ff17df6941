"""Makes inventory.example, a cluster as a classic inventory; `python -m installer.planning.playbook` runs it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from installer.cluster import TREE, Cluster, reference
from installer.planning.inventory import STAND_INS, Inventory, inventory
from installer.planning.phases import PHASES, Scope
from installer.planning.projection import Digests

FILE = TREE / "inventory.example"

_HEAD = """\
# The cluster of cluster.example.yaml as a classic Ansible inventory, for those who keep one:
#   ansible-playbook -i inventory playbooks/apply.yml
# Made by `python -m installer.planning.playbook`; a test fails when the two differ.
#
# A node more is a line here and one in the group of its role. `./atoll plan` and `apply` read cluster.yaml only: phases
# that are run with this file are planned again by them, since their inputs were not recorded.
"""
# Lists of nodes by which phases are chosen; a master that is a worker too belongs to [masters] only.
_CHILDREN = {
    Scope.ALL: ("masters", "workers", "storage"),
    Scope.MASTERS: ("masters",),
    Scope.JOINED: ("workers", "storage"),
    Scope.STORAGE: ("storage",),
    Scope.REGISTRY: ("registry",),
    Scope.CLUSTER: ("first_master",),
}
_STATE, _CACHE = "/the-state", "/the-cache"
_PLACES = {
    _STATE: "{{ lookup('ansible.builtin.env', 'ATOLL_STATE') | default('/var/lib/atoll/clusters', true) }}",
    str(STAND_INS): "{{ ansible_config_file | dirname }}/installer/ssh/programs",
    f"{_CACHE}/bundle": "{{ lookup('ansible.builtin.env', 'ATOLL_BUNDLE') | default(atoll_cache + '/bundle', true) }}",
}
_CACHE_PLACE = (
    "{{ lookup('ansible.builtin.env', 'ATOLL_CACHE')"
    " | default(lookup('ansible.builtin.env', 'HOME') + '/.cache/atoll', true) }}"
)


def text(cluster: Cluster) -> str:
    """Return the inventory of a cluster as an INI file. `$ATOLL_STATE` must be `_STATE` meanwhile; see `main`."""
    made = inventory(cluster, Digests(version=_version()), Path(f"{_CACHE}/bundle"))
    sections = [_HEAD, _hosts(made), _groups(made), _phases(made), _variables(made)]
    return "\n".join(sections)


def _version() -> str:
    return (TREE / "VERSION").read_text(encoding="utf-8").strip()


def _hosts(made: Inventory) -> str:
    lines = []
    for name, variables in made.hosts.items():
        own = {key: value for key, value in variables.items() if key not in _shared(made)}
        own.pop("atoll_input_hashes")
        lines.append(" ".join([name, *(f"{key}={_quoted(value)}" for key, value in own.items())]))
    return "\n".join(lines) + "\n"


def _shared(made: Inventory) -> dict[str, Any]:
    """Return the variables that all hosts have alike."""
    first, *others = made.hosts.values()
    return {
        key: value
        for key, value in first.items()
        if key != "atoll_input_hashes" and all(other[key] == value for other in others)
    }


def _groups(made: Inventory) -> str:
    own = [group for group in made.groups if not group.startswith(("phase_", "remove_", "planned"))]
    return "\n".join(f"[{group}]\n" + "".join(f"{name}\n" for name in made.groups[group]) for group in own)


def _phases(made: Inventory) -> str:
    blocks = [f"[{phase.removal_group}]\n" for phase in PHASES if phase.removable]
    blocks += [f"[{phase.group}]\n" for phase in PHASES if not made.groups[phase.group]]
    named = [(phase.group, _CHILDREN[phase.on]) for phase in PHASES if made.groups[phase.group]]
    for group, children in [*named, ("planned", _CHILDREN[Scope.ALL])]:
        blocks.append(f"[{group}:children]\n" + "".join(f"{child}\n" for child in children))
    return "\n".join(blocks)


def _variables(made: Inventory) -> str:
    variables = {"atoll_cache": _CACHE_PLACE, **_shared(made), **made.variables}
    lines = [f"{key}={value if key == 'atoll_cache' else _placed(repr(value))}\n" for key, value in variables.items()]
    return "[all:vars]\n" + "".join(lines)


def _quoted(value: Any) -> str:
    """Write a value of a host's line, which is split at blanks before it is read."""
    literal = _placed(repr(value))
    return f'"{literal}"' if " " in literal or "'" in literal else literal


def _placed(literal: str) -> str:
    """Put in for the places of this machine what finds them on any; such a value is text for Ansible, not a literal."""
    for place, template in _PLACES.items():
        if place in literal:
            return literal.strip("'").replace(place, template)
    return literal


def main() -> None:
    """Write the file."""
    os.environ["ATOLL_STATE"] = _STATE
    FILE.write_text(text(reference()), encoding="utf-8")
