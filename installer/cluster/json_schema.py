"""The JSON Schema of cluster.yaml: what pydantic knows, with the shipped defaults, so that sections are optional."""

from __future__ import annotations

from typing import Any

from installer.cluster.defaults import shipped
from installer.cluster.schema import Cluster


def json_schema() -> dict[str, Any]:
    """Return the schema for editors."""
    schema = Cluster.model_json_schema()
    definitions = schema["$defs"]
    for section, defaults in shipped().items():
        schema["required"].remove(section)
        _fill(schema["properties"][section], defaults, definitions)
    # The short form of a limit: bare values are its ceiling.
    definitions["Limits"]["properties"] |= definitions["Resources"]["properties"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "cluster.yaml of Atoll",
        "description": "The machines of a cluster and what is to run on them",
        **{key: value for key, value in schema.items() if key not in {"title", "description"}},
    }


def _fill(place: dict[str, Any], default: Any, definitions: dict[str, Any]) -> None:
    """Write the default to a property, and into the keys of the group that it refers to."""
    name = str(place.get("$ref", "")).rpartition("/")[2]
    target = definitions.get(name)
    if target is None or not isinstance(default, dict):
        place["default"] = default
        return
    # Different defaults for one group (limits per device type) cannot stand in a shared definition.
    target.pop("required", None)
    for key, value in default.items():
        prop = target["properties"][key]
        if "default" not in prop or prop["default"] == value:
            _fill(prop, value, definitions)
