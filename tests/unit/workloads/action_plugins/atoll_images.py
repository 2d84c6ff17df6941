"""Stands in for the action, which needs the real images: writes down which set a node is to have."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):  # type: ignore[misc]
    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        executed: dict[str, Any] = self._execute_module(task_vars=task_vars)
        return result | executed
