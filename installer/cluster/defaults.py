"""The shipped defaults of all sections, and what a cluster.yaml says on top of them."""

from __future__ import annotations

import functools
from copy import deepcopy
from typing import Any

from pydantic import BaseModel

from installer.cluster.schema import Cluster


def section_models() -> dict[str, type[BaseModel]]:
    """Return the model of each section, by its name in cluster.yaml."""
    return {
        name: field.annotation
        for name, field in Cluster.model_fields.items()
        if field.is_required() and isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }


@functools.cache
def _shipped() -> dict[str, Any]:
    return {name: model().model_dump(mode="json") for name, model in section_models().items()}


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
