"""What modules that talk to Kubernetes share: kubectl, and what of an object is ours.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Optional, Tuple

from ansible.module_utils.atoll_node import digest_of_bytes, run

KUBECONFIG = "/etc/kubernetes/admin.conf"
MANAGER = "atoll"
PHASE_LABEL = "atoll.io/phase"
# On an object that somebody else has made, and on which a phase only notes something: it is never removed.
MADE_BY = "atoll.io/made-by"
# What the API server and controllers write, and says nothing about what is wanted.
_OTHERS = ("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink")
_OTHERS_ANNOTATIONS = ("deployment.kubernetes.io/revision", "deprecated.daemonset.template.generation")

Key = Tuple[str, str, str, str]


def kubectl(*words: str, stdin: Optional[str] = None, accept: Iterable[int] = (0,), timeout_s: float = 300) -> str:
    """Run kubectl as the cluster's administrator."""
    argv = ["kubectl", "--kubeconfig", KUBECONFIG, *words]
    return run(argv, stdin=stdin, accept=tuple(accept), timeout_s=timeout_s)


def key_of(item: Dict[str, Any]) -> Key:
    """Return what names an object."""
    metadata = item["metadata"]
    return item["apiVersion"], item["kind"], metadata.get("namespace") or "", metadata["name"]


def title(item: Dict[str, Any]) -> str:
    """Return an object's name for a person."""
    _, kind, namespace, name = key_of(item)
    return "{} {}".format(kind, "/".join(part for part in (namespace, name) if part))


def bare(item: Dict[str, Any]) -> Dict[str, Any]:
    """Return what names an object, as an object."""
    api_version, kind, namespace, name = key_of(item)
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def as_list(items: Iterable[Dict[str, Any]]) -> str:
    """Return objects as one document."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)})


def items_of(said: str) -> List[Dict[str, Any]]:
    """Return the objects that kubectl printed as JSON: none, one, a list, or several documents."""
    found: List[Dict[str, Any]] = []
    decoder, position = json.JSONDecoder(), 0
    text = said.strip()
    while position < len(text):
        document, position = decoder.raw_decode(text, position)
        found += document["items"] if document.get("kind") == "List" else [document]
        while position < len(text) and text[position].isspace():
            position += 1
    return found


def get(items: Iterable[Dict[str, Any]]) -> Dict[Key, Dict[str, Any]]:
    """Return those of these objects that the cluster has, with who manages which field."""
    wanted = [bare(item) for item in items]
    if not wanted:
        return {}
    said = kubectl(
        "get",
        "--filename",
        "-",
        "--output",
        "json",
        "--ignore-not-found",
        "--show-managed-fields",
        stdin=as_list(wanted),
    )
    return {key_of(item): item for item in items_of(said)}


def stripped(item: Dict[str, Any]) -> Dict[str, Any]:
    """Return an object without its status and what others keep in it, to compare before and after."""
    kept = {name: value for name, value in item.items() if name != "status"}
    metadata = {name: value for name, value in item["metadata"].items() if name not in _OTHERS}
    if "annotations" in metadata:
        annotations = {
            name: value for name, value in metadata["annotations"].items() if name not in _OTHERS_ANNOTATIONS
        }
        metadata["annotations"] = annotations
    kept["metadata"] = metadata
    return kept


def owned(item: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """Return the set of fields (FieldsV1 of the API) of a live object that Atoll set; None when it set none."""
    for entry in item["metadata"].get("managedFields", []):
        if entry.get("manager") == MANAGER and entry.get("operation") == "Apply" and not entry.get("subresource"):
            fields: Dict[str, Any] = entry["fieldsV1"]
            return fields
    return None


def digest(item: Dict[str, Any], fields: Optional[Dict[str, Any]]) -> str:
    """Return a digest of what a live object has in `fields`, no matter who set them last.

    A service that was stopped and started again is as it was, though its replicas belong to who scaled it.
    """
    projected = project(item, fields) if fields is not None else None
    return digest_of_bytes(json.dumps(projected, sort_keys=True).encode())


def project(value: Any, fields: Dict[str, Any]) -> Any:
    """Return the part of a value that a set of fields (FieldsV1 of the API) names."""
    names = [name for name in fields if name != "."]
    if not names:
        return value
    if isinstance(value, dict):
        return {name[2:]: project(value[name[2:]], fields[name]) for name in names if name[2:] in value}
    if isinstance(value, list):
        return [project(_element(value, name), fields[name]) for name in sorted(names)]
    return value


def _element(values: List[Any], name: str) -> Any:
    """Return the element of a list that `k:{"key": value}`, `v:value` or `i:index` names, None if it is gone."""
    kind, _, body = name.partition(":")
    wanted = json.loads(body)
    if kind == "i":
        return values[wanted] if wanted < len(values) else None
    if kind == "v":
        return wanted if wanted in values else None
    return next(
        (v for v in values if isinstance(v, dict) and all(v.get(k) == part for k, part in wanted.items())), None
    )
