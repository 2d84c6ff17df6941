#!/usr/bin/python
# Apache-2.0
"""Objects of a phase in the cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_objects
short_description: Objects of a phase in the cluster
description:
  - Applies objects on the server's side as field manager C(atoll), on a master. Name spaces and definitions of
    resources come first. Says C(changed) only when an object differs afterwards.
  - Removes objects that the same phase and part applied before and that are not in C(manifests) any more, but none
    with the annotation C(atoll.io/made-by), which somebody else has made and on which a phase only notes something.
options:
  part:
    description: >-
      Name of this set within the phase. Two tasks of one phase need two names, or one removes the other's objects.
    type: str
    default: main
  manifests:
    description: Texts of one or more YAML documents, or paths of files on the control host.
    type: list
    elements: raw
    required: true
  secrets:
    description: Like C(manifests), for Secrets (and their name spaces). Nothing of their values is ever told.
    type: list
    elements: raw
  wait:
    description: >-
      What has to be reached afterwards. C(condition) is a condition of the object, or C(rollout) for Deployments,
      DaemonSets and StatefulSets. Fails at once, with its last lines, when a pod of it ends again and again.
    type: list
    elements: dict
    default: []
    suboptions:
      kind: {description: Kind., type: str, required: true}
      name: {description: "Name, or C(all).", type: str, required: true}
      namespace: {description: Name space., type: str}
      condition: {description: Condition., type: str, default: rollout}
      timeout_s: {description: Most seconds to wait., type: int, default: 180}
  names:
    description: What a name server has to answer after that, as a pod would ask it.
    type: list
    elements: dict
    default: []
    suboptions:
      name: {description: The name., type: str, required: true}
      server: {description: Address of the name server., type: str, required: true}
      timeout_s: {description: Most seconds to wait., type: int, default: 120}
  objects:
    description: Set by the action.
    type: list
    elements: dict
extends_documentation_fragment:
  - atoll
  - atoll.phase
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The queue is installed
  atoll_objects:
    phase: queue
    manifests:
      - "{{ atoll_bundle }}/manifests/jobset.yaml"
      - "{{ lookup('ansible.builtin.template', 'queue.yaml.j2') }}"
    wait:
      - {kind: Deployment, name: kueue-controller-manager, namespace: kueue-system, condition: Available}
"""

RETURN = r"""
applied:
  description: Objects that were made or changed.
  returned: always
  type: list
  elements: str
removed:
  description: Objects that were removed.
  returned: always
  type: list
  elements: str
"""

import json
import time
from typing import Any, Dict, Iterable, List, Set, Tuple

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils import atoll_waiting as waiting
from ansible.module_utils.atoll_names import resolved
from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, Book, NodeError, guarded, locked
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, begun, recorded
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "phase": {"type": "str", "required": True},
    "part": {"type": "str", "default": "main"},
    "manifests": {"type": "list", "elements": "raw"},
    "secrets": {"type": "list", "elements": "raw", "no_log": False},  # the action hands it on among `objects`
    "objects": {"type": "list", "elements": "dict", "required": True},
    "wait": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "kind": {"type": "str", "required": True},
            "name": {"type": "str", "required": True},
            "namespace": {"type": "str"},
            "condition": {"type": "str", "default": "rollout"},
            "timeout_s": {"type": "int", "default": 180},
        },
    },
    "names": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "name": {"type": "str", "required": True},
            "server": {"type": "str", "required": True},
            "timeout_s": {"type": "int", "default": 120},
        },
    },
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}
FIRST = ("Namespace", "CustomResourceDefinition")
DEFINITIONS_S = 60
WEBHOOKS_S = 30


def order(objects: List[Dict[str, Any]]) -> Tuple[List[Dict[str, Any]], List[Dict[str, Any]]]:
    """Return what others need to exist, and the rest."""
    first = [item for item in objects if item["kind"] in FIRST]
    return first, [item for item in objects if item["kind"] not in FIRST]


class Application:
    """One task's objects: applied stage by stage, with what changed."""

    def __init__(self, phase: str, dry: bool) -> None:
        self.phase = phase
        self.dry = dry
        self.applied: List[str] = []
        self.diff: List[Dict[str, str]] = []
        self.after: Dict[cluster.Key, Dict[str, Any]] = {}

    def stage(self, objects: List[Dict[str, Any]]) -> None:
        """Apply objects whose kinds the server knows."""
        if not objects:
            return
        before = cluster.get(objects)
        words = ["apply", "--server-side", "--force-conflicts", "--field-manager", cluster.MANAGER]
        words += ["--filename", "-", "--output", "json", "--show-managed-fields"]
        if self.dry:
            words.append("--dry-run=server")
        for item in cluster.items_of(_when_webhooks_answer(words, cluster.as_list(objects))):
            key = cluster.key_of(item)
            self.after[key] = item
            self._compare(item, before.get(key))

    def unknown(self, objects: List[Dict[str, Any]], why: str) -> None:
        """Note objects of which a rehearsal can't say more than that they are not there yet."""
        for item in objects:
            self._note(item, "absent", why)

    def _compare(self, item: Dict[str, Any], before: Any) -> None:
        if before is None:
            self._note(item, "absent", "present")
            return
        old, new = cluster.stripped(before), cluster.stripped(item)
        if old != new:
            hidden = item["kind"] == "Secret"
            self._note(item, "***" if hidden else _text(old), "*** changed" if hidden else _text(new))

    def _note(self, item: Dict[str, Any], before: str, after: str) -> None:
        name = cluster.title(item)
        self.applied.append(name)
        self.diff.append({"before_header": name, "after_header": name, "before": before + "\n", "after": after + "\n"})


def _when_webhooks_answer(words: List[str], objects: str) -> str:
    """Apply; a webhook whose pods are ready may be refused until kube-proxy knows of them: it is asked again."""
    deadline = time.monotonic() + WEBHOOKS_S
    while True:
        try:
            return cluster.kubectl(*words, stdin=objects)
        except NodeError as error:
            text = str(error)
            if not ("failed calling webhook" in text and "connection refused" in text) or time.monotonic() > deadline:
                raise
            time.sleep(1)


def _text(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True)


def apply(application: Application, objects: List[Dict[str, Any]]) -> None:
    """Apply all objects: what others need first."""
    first, rest = order(objects)
    application.stage(first)
    definitions = [item["metadata"]["name"] for item in first if item["kind"] == "CustomResourceDefinition"]
    if application.dry:
        here = {key[1:] for key in cluster.get(first)}
        new = [item for item in first if cluster.key_of(item)[1:] not in here]
        new_kinds = {(i["spec"]["group"], i["spec"]["names"]["kind"]) for i in new if i["kind"] == FIRST[1]}
        new_spaces = {item["metadata"]["name"] for item in new if item["kind"] == FIRST[0]}
        blocked = [
            item
            for item in rest
            if (item["apiVersion"].rpartition("/")[0], item["kind"]) in new_kinds
            or item["metadata"].get("namespace") in new_spaces
        ]
        application.unknown(blocked, "present")
        application.stage([item for item in rest if item not in blocked])
        return
    if definitions:
        names = ["customresourcedefinition/" + name for name in definitions]
        cluster.kubectl("wait", "--for=condition=Established", "--timeout={}s".format(DEFINITIONS_S), *names)
    application.stage(rest)


def prune(known: List[Dict[str, Any]], wanted_keys: Iterable[cluster.Key], dry: bool) -> List[str]:
    """Remove what was applied before and is not wanted any more."""
    wanted = {key[1:] for key in wanted_keys}
    gone = [item for item in known if cluster.key_of(item)[1:] not in wanted]
    if gone and not dry:
        # The last made goes first: a definition or a name space takes all that is in it along.
        for item in reversed(gone):
            cluster.kubectl(
                "delete", "--ignore-not-found", "--wait=false", "--filename", "-", stdin=json.dumps(cluster.bare(item))
            )
    return [cluster.title(item) for item in gone]


def record_of(item: Dict[str, Any]) -> Dict[str, Any]:
    """Return what the book keeps of an applied object: its name, which fields are ours, and what is in them."""
    fields = cluster.owned(item)
    return {**cluster.bare(item), "fields": fields, "digest": cluster.digest(item, fields)}


def _leave_others(parts: Dict[str, Any], mine: str, names: Set[Tuple[str, ...]]) -> None:
    """Drop from the other parts of the phase what this one has taken over, and parts of which nothing is left."""
    for part, items in list(parts.items()):
        parts[part] = items if part == mine else [item for item in items if cluster.key_of(item)[1:] not in names]
        if not parts[part]:
            del parts[part]


def work(module: Any) -> Dict[str, Any]:
    """Apply, prune, wait, and write down what was applied."""
    params, dry = module.params, module.check_mode
    objects = params["objects"]
    for item in objects:
        item["metadata"].setdefault("labels", {})[cluster.PHASE_LABEL] = params["phase"]
    with locked(params["state_directory"], wanted=not dry):
        book = Book(params["state_directory"], params["phase"])
        known = book.section("objects").get(params["part"], [])
        application = Application(params["phase"], dry)
        apply(application, objects)
        # What the server says of an object without a name space counts, as it was written down that way.
        removed = prune(known, {*application.after, *map(cluster.key_of, objects)}, dry)
        if not dry:
            records = [
                record_of(item)
                for item in application.after.values()
                if cluster.MADE_BY not in item["metadata"].get("annotations", {})
            ]
            book.section("objects")[params["part"]] = records
            _leave_others(book.section("objects"), params["part"], {cluster.key_of(item)[1:] for item in records})
            book.save()
    if not dry:
        for wanted in params["wait"]:
            waiting.reach(wanted)
        for asked in params["names"]:
            resolved(asked["name"], asked["server"], asked["timeout_s"])
    return {
        "changed": bool(application.applied or removed),
        "applied": application.applied,
        "removed": removed,
        "diff": application.diff,
    }


def main() -> None:
    """Run as a module."""
    guarded(begun(recorded(work), in_cluster=True), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
