"""The record that a phase was applied, which planning reads.

The last task of a phase writes it, whichever it is. What works on a phase marks the record first: from then on it says
what was here before, no longer what is here, and only the end of the phase takes the mark off.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any, Callable, Dict, Optional

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_node import locked, read_json, sync_directory, write_atomically

NAMESPACE = "atoll-system"
NAME = "records"
MARK = "begun"
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


def begun(work: Work, in_cluster: bool = False) -> Work:
    """Return work on the phase of the task's argument `phase` that marks the phase's record before it does anything.

    Where that work ends badly, or is killed, the phase is planned again, also for whom the record would suit: what it
    was made from before may be asked for again. `in_cluster`: for modules of phases whose record the cluster keeps too.
    """

    def mark_and_work(module: Any) -> Dict[str, Any]:
        if module.params.get("phase") and not module.check_mode:
            begin(module.params["state_directory"], module.params["phase"], in_cluster)
        return work(module)

    return mark_and_work


def begin(state: str, phase: str, in_cluster: bool = False) -> bool:
    """Mark the records that there are of a phase, on the disk before anything else is. Say whether one was not yet."""
    path = _path(state, phase)
    with locked(state):
        changed = False
        seen = read_json(path)
        if seen is not None and not seen.get(MARK):
            _write_local(path, {**seen, MARK: True})
            sync_directory(os.path.dirname(path))
            changed = True
        if in_cluster and os.path.exists(cluster.KUBECONFIG):
            kept = json.loads(_in_cluster().get(phase, "null"))
            if kept is not None and not kept.get(MARK):
                _patch_cluster(phase, {**kept, MARK: True})
                changed = True
    return changed


def made_of(about: Dict[str, Any]) -> Dict[str, Any]:
    """Return what a record says beside its time."""
    return {name: about[name] for name in ("phase", "input_hash", "version")}


def keep(state: str, phase: str, content: Optional[Dict[str, Any]], scope: str, dry: bool) -> Any:
    """Write the record of a phase, or remove it with its book (no content). Return (changed, record)."""
    path = _path(state, phase)
    with locked(state, wanted=not dry):
        seen = read_json(path)
        record: Optional[Dict[str, Any]] = None
        if content is not None:
            same = seen is not None and all(seen.get(name) == value for name, value in content.items())
            at = seen["at"] if seen and same else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            record = {**content, "at": at}
        # That the mark is taken off is the end of what other tasks have told.
        changed = record != _unmarked(seen)
        if record != seen and not dry:
            _write_local(path, record)
            book = os.path.join(state, "managed", phase + ".json")
            if record is None and os.path.exists(book):
                os.unlink(book)
        if scope == "cluster" and os.path.exists(cluster.KUBECONFIG):
            known = json.loads(_in_cluster().get(phase, "null"))
            changed = changed or record != _unmarked(known)
            if record != known and not dry:
                _write_cluster(phase, record)
    return changed, record


def _path(state: str, phase: str) -> str:
    return os.path.join(state, "records", phase + ".json")


def _unmarked(record: Optional[Dict[str, Any]]) -> Optional[Dict[str, Any]]:
    return None if record is None else {name: value for name, value in record.items() if name != MARK}


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
    _patch_cluster(phase, record)


def _patch_cluster(phase: str, record: Optional[Dict[str, Any]]) -> None:
    value = None if record is None else json.dumps(record, sort_keys=True)
    patch = json.dumps({"data": {phase: value}})
    cluster.kubectl("--namespace", NAMESPACE, "patch", "configmap", NAME, "--type", "merge", "--patch", patch)
