#!/usr/bin/python
# Apache-2.0
"""systemd units of a phase on a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_units
short_description: systemd units of a phase
description:
  - Starts or stops, enables or disables units, and waits until started ones are active; a unit that fails is reported
    with the last lines of its journal.
  - A mount that answers nobody any more (its program ended, its server left) is taken away and made again.
  - Remembers with what files a unit was started, so that a restart that a killed run owed is not lost.
options:
  phase:
    description: The phase that these belong to.
    type: str
    required: true
  units:
    description: The units.
    type: list
    elements: dict
    required: true
    suboptions:
      name: {description: Full name of the unit., type: str, required: true}
      state: {description: What it should be., type: str, choices: [started, stopped], default: started}
      enabled: {description: Whether it starts at boot. Default follows C(state)., type: bool}
      restart_when:
        description: >-
          Paths, and truth values. The unit is restarted if a file differs from the one it was started with, or a value
          is true.
        type: list
        elements: raw
        default: []
      reload_when: {description: "As C(restart_when), but reloads.", type: list, elements: raw, default: []}
      check:
        description: >-
          A program with its arguments that ends with 0 as long as what the unit has made is as it made it. Where it
          does not, the unit is restarted; with 2 it says that this would not help, and only M(atoll_probe) tells it.
        type: list
        elements: str
        default: []
      timeout_s: {description: Most seconds until it is active., type: int, default: 90}
extends_documentation_fragment:
  - atoll
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The container runtime runs
  atoll_units:
    phase: container_runtime
    units:
      - name: containerd.service
        restart_when: [/etc/containerd/config.toml, /opt/atoll/bin/containerd]
"""

RETURN = r"""
actions:
  description: What was done, in words.
  returned: always
  type: list
  elements: str
"""

import os
import time
from typing import Any, Dict, List, Optional

from ansible.module_utils.atoll_node import (
    COMMON_ARGUMENTS,
    Book,
    NodeError,
    complaint,
    dead_mount,
    guarded,
    locked,
    run,
    stamp_of,
)
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, begun, recorded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "phase": {"type": "str", "required": True},
    "units": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": {
            "name": {"type": "str", "required": True},
            "state": {"type": "str", "choices": ["started", "stopped"], "default": "started"},
            "enabled": {"type": "bool"},
            "restart_when": {"type": "list", "elements": "raw", "default": []},
            "reload_when": {"type": "list", "elements": "raw", "default": []},
            "check": {"type": "list", "elements": "str", "default": []},
            "timeout_s": {"type": "int", "default": 90},
        },
    },
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}
SHOWN = "LoadState,ActiveState,SubState,UnitFileState,NeedDaemonReload,NRestarts,ActiveEnterTimestampMonotonic,Where"
STEP_S = 0.2
MOST_RESTARTS = 3


def show(name: str) -> Dict[str, str]:
    """Return what systemd knows of a unit."""
    said = run(["systemctl", "show", "--property", SHOWN, name])
    return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def written_after(path: str, start_us: int) -> bool:
    """Say whether a file was written after a moment of the machine's monotonic clock."""
    try:
        written = os.stat(path).st_mtime
    except OSError:
        return False
    return written > time.time() - (time.clock_gettime(time.CLOCK_MONOTONIC) - start_us / 1e6)


class Unit:
    """One unit: wanted, seen, and what it was started with."""

    def __init__(self, wanted: Dict[str, Any], record: Optional[Dict[str, Any]]) -> None:
        self.wanted = wanted
        self.name: str = wanted["name"]
        self.seen = show(self.name)
        self.started_with: Optional[Dict[str, Any]] = (record or {}).get("started_with")
        self.owed = bool((record or {}).get("owed"))

    @property
    def active(self) -> bool:
        """Whether it runs, or has run and remains."""
        return self.seen.get("ActiveState") in ("active", "reloading")

    @property
    def enabled(self) -> Optional[bool]:
        """Whether it should start at boot; None where that is not for us to say (a static or generated unit)."""
        if self.seen.get("UnitFileState") in ("static", "generated", "transient", "alias", "indirect"):
            return None
        wanted = self.wanted["enabled"]
        return bool(self.wanted["state"] == "started" if wanted is None else wanted)

    @property
    def dead(self) -> bool:
        """Whether systemd takes it for running, and what it made answers nobody or is not what it made."""
        if self.seen.get("Where"):
            return dead_mount(self.seen["Where"])
        return bool(self.wanted["check"]) and bool(complaint(self.wanted["check"], accept=(0, 2)))

    def stamps(self) -> Dict[str, Optional[str]]:
        """Return the stamps of the files that it has to be restarted or reloaded for."""
        paths = [path for path in self.wanted["restart_when"] + self.wanted["reload_when"] if isinstance(path, str)]
        return {path: stamp_of(path) for path in paths}

    def differs(self, conditions: List[Any]) -> bool:
        """Say whether one of the conditions holds: a file newer than the start, or a true value."""
        if any(condition is True for condition in conditions):
            return True
        paths = [path for path in conditions if isinstance(path, str)]
        if self.started_with is None:  # somebody else started it (kubeadm, a package): then its age tells
            return any(written_after(path, int(self.seen.get("ActiveEnterTimestampMonotonic") or 0)) for path in paths)
        return any(self.started_with.get(path) != stamp_of(path) for path in paths)

    def verb(self) -> Optional[str]:
        """Return what systemctl must do, None for nothing."""
        if self.wanted["state"] == "stopped":
            return "stop" if self.seen.get("ActiveState") not in ("inactive", "failed") else None
        if not self.active:
            return "start"
        if self.dead:
            return "restart"
        if self.owed or self.differs(self.wanted["restart_when"]):
            return "restart"
        return "reload-or-restart" if self.differs(self.wanted["reload_when"]) else None


def wait(unit: Unit) -> None:
    """Wait until a unit is active and stays so for a moment; else raise with what its journal says."""
    end = time.monotonic() + unit.wanted["timeout_s"]
    steady = 0
    restarts = int(unit.seen.get("NRestarts") or 0)
    while steady < 2:
        unit.seen = show(unit.name)
        state = unit.seen.get("ActiveState")
        # systemd would go on for ever with one that ends each time.
        hopeless = int(unit.seen.get("NRestarts") or 0) - restarts >= MOST_RESTARTS
        if state in ("failed", "inactive") or hopeless or time.monotonic() > end:
            journal = run(
                ["journalctl", "--unit", unit.name, "--lines", "40", "--no-pager", "--output", "cat"], accept=(0, 1)
            )
            raise NodeError(
                "{} is {} ({}) after it was started; its journal says:\n{}".format(
                    unit.name, state, unit.seen.get("SubState"), journal.strip()
                )
            )
        steady = steady + 1 if state == "active" else 0
        time.sleep(STEP_S)


def settle(unit: Unit, dry: bool, book: Book, actions: List[str]) -> None:
    """Bring one unit to where it should be."""
    wanted, section = unit.wanted, book.section("units")
    gone = unit.seen.get("LoadState") in ("not-found", "masked")
    if gone and wanted["state"] == "stopped":
        section.pop(unit.name, None)
        return
    if gone and not dry:
        raise NodeError("{} is {} on this node".format(unit.name, unit.seen["LoadState"]))
    if unit.enabled is not None and unit.enabled != (unit.seen.get("UnitFileState") == "enabled"):
        verb = "enable" if unit.enabled else "disable"
        actions.append("{} {}".format(verb, unit.name))
        if not dry:
            run(["systemctl", "--quiet", verb, unit.name])
    verb_now = unit.verb()
    record: Dict[str, Any] = {"state": wanted["state"], "enabled": unit.enabled, "started_with": unit.stamps()}
    if wanted["check"]:
        record["check"] = wanted["check"]
    if verb_now:
        actions.append("{} {}".format(verb_now, unit.name))
        if dry:
            return
        if verb_now != "stop":
            # Written first: a run killed between here and the start owes the restart to the next one.
            section[unit.name] = {**record, "owed": True}
            book.save()
        if unit.seen.get("Where") and unit.dead:  # as long as somebody holds a file of it, it would be busy
            run(["umount", "--lazy", unit.seen["Where"]])
        started = wanted["state"] == "started"
        # A start that fails is judged by `wait`, which adds what the unit itself said. One that is reloaded in vain
        # stays active, with what it had before.
        told_by_state = started and verb_now != "reload-or-restart"
        run(
            ["systemctl", verb_now, unit.name],
            accept=range(256) if told_by_state else (0,),
            timeout_s=wanted["timeout_s"],
        )
        if started:
            wait(unit)
    section[unit.name] = record


def work(module: Any) -> Dict[str, Any]:
    """Set all units, in order."""
    actions: List[str] = []
    state, dry = module.params["state_directory"], module.check_mode
    if not os.path.isdir("/run/systemd/system"):
        raise NodeError("this node was not booted with systemd; Atoll needs it")
    with locked(state, wanted=not dry):
        book = Book(state, module.params["phase"])
        wanted = module.params["units"]
        # A unit whose file is new is unknown until systemd reads it; one whose file changed says so itself.
        seen = [show(unit["name"]) for unit in wanted]
        if not dry and any(s.get("NeedDaemonReload") == "yes" or s.get("LoadState") == "not-found" for s in seen):
            run(["systemctl", "daemon-reload"])
        for unit in wanted:
            settle(Unit(unit, book.section("units").get(unit["name"])), dry, book, actions)
            if not dry:
                book.save()
    return {"changed": bool(actions), "actions": actions, "diff": {"prepared": "\n".join(actions)} if actions else {}}


def main() -> None:
    """Run as a module."""
    guarded(begun(recorded(work)), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
