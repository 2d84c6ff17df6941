"""Nodes that are not there: what roles hand to a module on a node is written down, and nothing is sent anywhere.

The actions of this project, lookups, templates and certificates run as they are, on this machine.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.plugins.callback import CallbackBase

FACTS = {
    "architecture": "amd64",
    "cgroup_version": 2,
    "can_lower_oom_score": True,
    "can_set_time": True,
    "cpus": 8,
    "has_ipip": True,
    "kernel": {"release": "6.1.0-1-amd64", "modules_loadable": True, "filesystems": ["overlay", "fuse"]},
    "memory_bytes": 64 << 30,
    "name_servers": ["192.0.2.53"],
    "os": {"id": "debian", "version": "12", "directory": "debian-12"},
    "root_disk": {"bytes": 500 << 30, "free_bytes": 400 << 30},
    "swap_bytes": 0,
    "sysctls": {"net.ipv4.ip_forward": "1", "vm.max_map_count": "262144"},
    "systemd_version": 252,
    "time_synchronised": True,
    "writable_sysctls": ["net.ipv4.ip_forward", "vm.max_map_count"],
}
# What a storage server that somebody has taken over says of its volume.
INFO = b"type=2\nvolume-id=`reboot`\nvolume-id=0d6b6bd4-9d0c-4b6b-8f9b-0a0b0c0d0e0f\n"
ANSWERS: dict[str, dict[str, Any]] = {
    "atoll_facts": {"ansible_facts": {"atoll_host": FACTS}},
    "ansible.builtin.slurp": {"content": base64.b64encode(INFO).decode(), "encoding": "base64"},
}
_real = ActionBase._execute_module


def _written_down(
    self: Any,
    module_name: str | None = None,
    module_args: dict[str, Any] | None = None,
    tmp: str | None = None,
    task_vars: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    if self._connection.transport == "local":
        answer: dict[str, Any] = _real(self, module_name, module_args, tmp, task_vars, **more)
        return answer
    variables = task_vars or {}
    name = module_name or self._task.action
    args = self._task.args if module_args is None else module_args
    line = {
        "host": variables["inventory_hostname"],
        "phase": str(self._templar.template(variables.get("phase", ""))),
        "verb": str(self._templar.template(variables.get("verb", ""))),
        "task": self._task.get_name(),
        "module": name.removeprefix("ansible.builtin."),
        "args": args,
    }
    with Path(os.environ["ATOLL_RENDERED"]).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")  # in one piece: a line per call, and O_APPEND
    return {"changed": False, "failed": False, **ANSWERS.get(name, {})}


ActionBase._execute_module = _written_down


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Loaded before any task, and so before the forks that run them."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "written_down"

    def v2_runner_on_start(self, host: Any, task: Any) -> None:
        """Write down each pair of node and task that Ansible starts: what the budget of tasks counts."""
        about = task.play.get_vars()
        line = {"host": host.get_name(), "phase": about.get("phase", "facts"), "task": task.get_name()}
        with Path(os.environ["ATOLL_RENDERED"] + ".started").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")
