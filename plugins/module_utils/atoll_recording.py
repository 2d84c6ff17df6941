"""The record that a phase was applied, which planning reads: written by the last task of a phase, whichever it is.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any, Callable, Dict, Optional

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_node import locked, read_json, write_atomically

NAMESPACE = "atoll-system"
NAME = "records"
RECORD_ARGUMENTS = {
    "record": {
        "type": "dict",
        "options": {
            "phase": {"type": "str", "required": True},
            "scope": {"type": "str", "choices": ["node", "cluster"], "default": "node"},
            "input_hash": {"type": "str", "required": True},
            "version": {"type": "str", "required": True},
        },
    }
}
Work = Callable[[Any], Dict[str, Any]]


def recorded(work: Work) -> Work:
    """Return work that puts the phase on record behind itself, where the task's argument `record` says so.

    It is the last task of a phase that does, so what goes on record is in effect, and a killed run goes on behind it.
    """

    def work_and_record(module: Any) -> Dict[str, Any]:
        result = work(module)
        about = module.params.get("record")
        # What an action asks first (`needed`, `ask`) is done by its second call.
        if about and not result.get("needed") and not result.get("ask"):
            state = module.params["state_directory"]
            changed, _ = keep(state, about["phase"], made_of(about), about["scope"], dry=module.check_mode)
            result["changed"] = result["changed"] or changed
        return result

    return work_and_record


def made_of(about: Dict[str, Any]) -> Dict[str, Any]:
    """Return what a record says beside its time."""
    return {name: about[name] for name in ("phase", "input_hash", "version")}


def keep(state: str, phase: str, content: Optional[Dict[str, Any]], scope: str, dry: bool) -> Any:
    """Write the record of a phase, or remove it with its book (no content). Return (changed, record)."""
    path = os.path.join(state, "records", phase + ".json")
    with locked(state, wanted=not dry):
        seen = read_json(path)
        record: Optional[Dict[str, Any]] = None
        if content is not None:
            same = seen is not None and all(seen.get(name) == value for name, value in content.items())
            record = seen if same else {**content, "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        changed = record != seen
        if changed and not dry:
            _write_local(path, record)
            book = os.path.join(state, "managed", phase + ".json")
            if record is None and os.path.exists(book):
                os.unlink(book)
        if scope == "cluster" and os.path.exists(cluster.KUBECONFIG):
            known = _in_cluster().get(phase)
            if (None if known is None else json.loads(known)) != record:
                changed = True
                if not dry:
                    _write_cluster(phase, record)
    return changed, record


def _write_local(path: str, record: Optional[Dict[str, Any]]) -> None:
    if record is not None:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        write_atomically(path, (json.dumps(record, sort_keys=True) + "\n").encode(), 0o644)
    elif os.path.exists(path):
        os.unlink(path)


def _in_cluster() -> Dict[str, str]:
    """Return the records that the cluster keeps."""
    item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "namespace": NAMESPACE}}
    return next((found.get("data") or {} for found in cluster.get([item]).values()), {})


def _write_cluster(phase: str, record: Optional[Dict[str, Any]]) -> None:
    """Write the record to the cluster: each phase is a key of its own, so two writers do not meet."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    if not cluster.get([space]):
        cluster.kubectl("create", "--filename", "-", stdin=json.dumps(space))
    if not cluster.get([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": NAME, "namespace": NAMESPACE}}]):
        cluster.kubectl("--namespace", NAMESPACE, "create", "configmap", NAME)
    value = None if record is None else json.dumps(record, sort_keys=True)
    patch = json.dumps({"data": {phase: value}})
    cluster.kubectl("--namespace", NAMESPACE, "patch", "configmap", NAME, "--type", "merge", "--patch", patch)
