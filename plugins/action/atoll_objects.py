"""Read manifests on the control host: nodes have no YAML parser (documentation: plugins/modules/atoll_objects.py)."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

# A shorter word may be one of any sentence.
HIDDEN_FROM = 6
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def objects_of(manifests: list[Any]) -> list[dict[str, Any]]:
    """Return the objects of texts, files and plain objects, in order."""
    found: list[dict[str, Any]] = []
    for number, manifest in enumerate(manifests, 1):
        for item in _documents(manifest, number):
            if not isinstance(item, dict) or not item.get("kind") or not (item.get("metadata") or {}).get("name"):
                raise AnsibleActionFail(
                    f"atoll_objects: manifest {number} holds something without kind and name: {item!r:.200}"
                )
            found.append(plain(item))
    names = [(i["apiVersion"], i["kind"], i["metadata"].get("namespace"), i["metadata"]["name"]) for i in found]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise AnsibleActionFail(f"atoll_objects: these objects are there twice: {sorted(map(str, doubled))}")
    return found


def _documents(manifest: Any, number: int) -> Iterator[Any]:
    if isinstance(manifest, dict):
        yield manifest
        return
    text = str(manifest)
    source = f"manifest {number}"
    if "\n" not in text and text.startswith("/"):
        source = text
        try:
            text = Path(text).read_text()
        except FileNotFoundError:
            raise AnsibleActionFail(f"{source} is missing. Build the bundle with `./atoll bundle build`.") from None
    try:
        documents = [document for document in yaml.load_all(text, Loader=LOADER) if document]
    except yaml.YAMLError as error:
        raise AnsibleActionFail(f"atoll_objects: {source} is not YAML: {error}") from error
    for document in documents:
        if isinstance(document, dict) and document.get("kind") == "List":
            yield from document["items"]
        else:
            yield document


def plain(value: Any) -> Any:
    """Return a value as JSON knows it: what YAML took for a date is text again."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    return value


def secrets_of(objects: list[dict[str, Any]]) -> list[str]:
    """Return what must not be shown of objects: the values of Secrets, as they travel and as they are read."""
    found = []
    for item in objects:
        if item["kind"] != "Secret":
            raise AnsibleActionFail(f"atoll_objects: {item['kind']} {item['metadata']['name']} is no Secret")
        found += [str(value) for value in (item.get("stringData") or {}).values()]
        for value in (item.get("data") or {}).values():
            found += [str(value), base64.b64decode(value).decode(errors="replace")]
    return sorted({value.strip() for value in found if len(value.strip()) >= HIDDEN_FROM}, key=len, reverse=True)


def hidden(value: Any, secrets: list[str]) -> Any:
    """Return an answer without what must not be shown."""
    if isinstance(value, dict):
        return {key: hidden(part, secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [hidden(part, secrets) for part in value]
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "***")
    return value


class ActionModule(ActionBase):  # type: ignore[misc]
    """See plugins/modules/atoll_objects.py."""

    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Read the manifests, hand the objects to the module."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        variables = task_vars or {}
        args = dict(self._task.args)
        args.setdefault("phase", variables.get("phase"))
        secret = args.pop("secrets", None) or []
        args["objects"] = objects_of([*secret, *(args.pop("manifests", None) or [])])
        never = secrets_of([item for item in objects_of(secret) if item["kind"] != "Namespace"])
        answer = self._execute_module(module_name="atoll_objects", module_args=args, task_vars=variables)
        # It repeats the arguments, and with them what is secret.
        answer.pop("invocation", None)
        answer.pop("ansible_facts", None)
        shown: dict[str, Any] = hidden(answer, never)
        return result | shown
