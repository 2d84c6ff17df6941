"""Manifests of third parties as they leave the bundle, made fit for this cluster."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleFilterError

DOCUMENTATION = r"""
name: atoll_manifest
short_description: A manifest of the bundle with changes
description:
  - Reads a file of Kubernetes objects and returns it as text, one object per document.
positional: _input
options:
  _input:
    description: Path of the manifest on the control host.
    type: path
    required: true
  webhook_ca:
    description: PEM of the authority of the webhooks. Goes into each webhook, conversion and aggregated API.
    type: str
  namespaces:
    description: Label selector of namespaces, put on each webhook for objects in namespaces.
    type: dict
  patches:
    description:
      - Dicts of C(kind), C(name) and C(merge). Dicts merge, lists of named things merge by name, all else is replaced;
        a value of null removes the key. A patch that fits no object is an error.
    type: list
    elements: dict
  drop:
    description: Kinds that are left out.
    type: list
    elements: str
  webhooks:
    description: Names of the webhooks that are kept; without it all are.
    type: list
    elements: str
"""

EXAMPLES = r"""
text: "{{ (atoll_bundle ~ '/manifests/kueue.yaml') | atoll_manifest(webhook_ca=ca) }}"
"""

RETURN = r"""
_value:
  description: The objects, as YAML documents.
  type: str
"""

# Webhooks for these kinds act on what users run; those for the queueing kinds themselves are not limited.
_NAMESPACED_GROUPS_KEPT = frozenset({"kueue.x-k8s.io"})


def merge(base: Any, change: Any) -> Any:
    """Return `base` with `change` merged in (rules: see `patches` above)."""
    if isinstance(base, dict) and isinstance(change, dict):
        merged = dict(base)
        for key, value in change.items():
            if value is None:
                merged.pop(key, None)
            else:
                merged[key] = merge(base.get(key), value)
        return merged
    if _named(base) and _named(change):
        changes = {item["name"]: item for item in change}
        merged_list = [merge(item, changes.pop(item["name"], {})) for item in base]
        return merged_list + list(changes.values())
    return change


def _named(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and "name" in item for item in value)


def _client_configs(document: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the places of an object that name an authority."""
    kind, spec = document["kind"], document.get("spec") or {}
    if kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        for webhook in document["webhooks"]:
            yield webhook["clientConfig"]
    elif kind == "CustomResourceDefinition" and (spec.get("conversion") or {}).get("strategy") == "Webhook":
        yield spec["conversion"]["webhook"]["clientConfig"]
    elif kind == "APIService" and spec.get("service"):
        yield spec


def _trust(document: dict[str, Any], authority: str) -> None:
    for place in _client_configs(document):
        place["caBundle"] = base64.b64encode(authority.encode()).decode()
        place.pop("insecureSkipTLSVerify", None)


def _limit(document: dict[str, Any], selector: dict[str, Any]) -> None:
    for webhook in document.get("webhooks") or ():
        groups = {group for rule in webhook["rules"] for group in rule["apiGroups"]}
        if not groups & _NAMESPACED_GROUPS_KEPT:
            webhook["namespaceSelector"] = selector


def atoll_manifest(
    path: str,
    webhook_ca: str | None = None,
    namespaces: dict[str, Any] | None = None,
    patches: Iterable[dict[str, Any]] = (),
    drop: Iterable[str] = (),
    webhooks: Iterable[str] | None = None,
) -> str:
    """Return the objects of a manifest file with the changes above."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = Path(path).read_text()
    except FileNotFoundError:
        raise AnsibleFilterError(f"{path} is missing. Build the bundle with `./atoll bundle build`.") from None
    dropped = set(drop)
    found = yaml.load_all(content, Loader=loader)
    documents = [document for document in found if document and document["kind"] not in dropped]
    for patch in patches:
        fitting = [
            number
            for number, document in enumerate(documents)
            if document["kind"] == patch["kind"] and document["metadata"]["name"] == patch["name"]
        ]
        if not fitting:
            raise AnsibleFilterError(f"{path}: there is no {patch['kind']} {patch['name']} to change")
        for number in fitting:
            documents[number] = merge(documents[number], patch["merge"])
    kept = None if webhooks is None else set(webhooks)
    for document in documents:
        if kept is not None and "webhooks" in document:
            document["webhooks"] = [webhook for webhook in document["webhooks"] if webhook["name"] in kept]
        if webhook_ca:
            _trust(document, webhook_ca)
        if namespaces:
            _limit(document, namespaces)
    return "\n---\n".join(json.dumps(document) for document in documents) + "\n"


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Any]:
        """Return it by name."""
        return {"atoll_manifest": atoll_manifest}
