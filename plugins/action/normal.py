"""Run a module that has no action of its own: as Ansible's `normal` does, but what a node says becomes facts only where
it is asked for facts.

Any module's answer may bring `ansible_facts`, and Ansible keeps them to the end of a run: with each task a node that
somebody has taken over would lay its eight MiB on the control host, for good. Actions of our own drop them likewise.
"""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase

ASKS_FOR_FACTS = "atoll_facts"


class ActionModule(ActionBase):  # type: ignore[misc]
    """All modules but those of the other files here. No `async`, which nothing of ours uses."""

    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the module of the task on the node."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        answer = self._execute_module(task_vars=task_vars)
        if self._task.action.rpartition(".")[2] != ASKS_FOR_FACTS:
            answer.pop("ansible_facts", None)
        self._remove_tmp_path(self._connection._shell.tmpdir)
        return result | answer
