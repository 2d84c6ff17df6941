"""Stands in for the real action: writes down what a role wants instead of applying it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import yaml
from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):  # type: ignore[misc]
    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result: dict[str, Any] = super().run(tmp, task_vars)
        args = self._task.args
        phase = self._templar.template((task_vars or {})["phase"])
        objects: list[Any] = []
        for manifest in args["manifests"]:
            text = str(manifest)
            if "\n" not in text:
                text = Path(text).read_text()
            objects += [document for document in yaml.load_all(text, Loader=yaml.CSafeLoader) if document]
        target = Path(os.environ["ATOLL_RENDERED"]) / f"{phase}.{args.get('part', 'main')}.json"
        target.write_text(json.dumps({"objects": objects, "wait": [dict(w) for w in args.get("wait") or []]}))
        return result | {"changed": False}
