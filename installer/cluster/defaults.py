"""The shipped defaults (group_vars/, a file per concern) and what a cluster.yaml says on top of them."""

from __future__ import annotations

import functools
from copy import deepcopy
from typing import Any

import yaml

from installer.cluster.places import TREE

FOLDER = TREE / "group_vars"


@functools.cache
def _shipped() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in sorted(FOLDER.glob("*.yml")):
        found |= yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def shipped() -> dict[str, Any]:
    """Return the defaults of all sections."""
    return deepcopy(_shipped())


def over_defaults(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a cluster.yaml with the defaults where it says nothing."""
    return _over(shipped(), content)


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(under, dict) and value is None:  # a section with all its keys commented out
            continue
        merged[key] = _over(under, value) if isinstance(under, dict) and isinstance(value, dict) else deepcopy(value)
    return merged
