"""Answers and checks made from the contract of the control service (installer/control/openapi.json)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from installer.control.contract import FILE

Json = dict[str, Any]
STREAM = "text/event-stream"
CONTRACT: Json = json.loads(FILE.read_text("utf-8"))


def operation_of(method: str, path: str) -> tuple[str, Json]:
    """Return the route of the contract that a request takes, and what the contract says of it."""
    for template, methods in CONTRACT["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path) and method.lower() in methods:
            return template, methods[method.lower()]
    raise AssertionError(f"the contract has no {method} {path}")


def check_request(method: str, path: str, query: Json, body: Json | None, headers: Json) -> Json:
    """See that the contract knows the request with everything that it says; return the operation."""
    _, operation = operation_of(method, path)
    declared = {(one["in"], one["name"].lower()): one for one in operation.get("parameters", [])}
    for name, value in query.items():
        assert ("query", name) in declared, f"{method} {path} knows no parameter `{name}`"
        check_value(declared["query", name]["schema"], str(value))
    for name in headers:
        if name.lower() not in {"accept", "content-type"}:
            assert ("header", name.lower()) in declared, f"{method} {path} knows no header `{name}`"
    required = {name for (_, name), one in declared.items() if one.get("required") and one["in"] == "query"}
    assert required <= {*query}, f"{method} {path} needs {required - {*query}}"
    if body is not None:
        schema = resolved(operation["requestBody"]["content"]["application/json"]["schema"])
        assert {*body} <= {*schema["properties"]}, f"{method} {path} knows no { ({*body} - {*schema['properties']}) }"
    if headers.get("Accept") == STREAM:
        assert events(operation), f"{method} {path} answers no events"
    return operation


def check_value(schema: Json, text: str) -> None:
    """See that a parameter's text is a value of its schema."""
    for one in schema.get("anyOf", [schema]):
        match one["type"]:
            case "integer" if re.fullmatch(r"-?\d+", text):
                assert one.get("minimum", int(text)) <= int(text) <= one.get("maximum", int(text)), text
                return
            case "boolean" if text in {"true", "false"}:
                return
            case "string":
                assert len(text) <= one.get("maxLength", len(text)), text
                return
    raise AssertionError(f"{text!r} is no {schema}")


def answer(operation: Json) -> Json:
    """Return the schema of what the operation answers."""
    content = operation["responses"]["200"]["content"]
    return resolved(content["application/json"]["schema"])


def events(operation: Json) -> dict[str, Json]:
    """Return the schemas of the events that the operation sends, by name."""
    content = operation["responses"]["200"]["content"].get(STREAM, {})
    return {name: resolved(schema) for name, schema in content.get("x-events", {}).items()}


def resolved(schema: Json) -> Json:
    """Follow a reference."""
    name = schema.get("$ref", "").rpartition("/")[2]
    return CONTRACT["components"]["schemas"][name] if name else schema


def instances(schema: Json) -> Iterator[Any]:
    """Return values of a schema that together have every alternative and every word of every enumeration in them."""
    schema = resolved(schema)
    if "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from instances(one)
    elif "enum" in schema:
        yield from schema["enum"]
    elif "const" in schema:
        yield schema["const"]
    elif schema.get("type") == "object":
        yield from _objects(schema)
    elif schema.get("type") == "array":
        yield []
        yield list(instances(schema["items"]))
    else:
        text = "2026-11-22T10:00:00.000Z" if schema.get("format") == "date-time" else "text"
        plain: Json = {"string": text, "integer": 3, "number": 1.5, "boolean": True, "null": None}
        yield plain[schema["type"]]


def _objects(schema: Json) -> Iterator[Json]:
    if "properties" not in schema:
        more = schema.get("additionalProperties")
        yield {}
        yield {"key": next(instances(more)) if isinstance(more, dict) else "value"}
        return
    choices = {name: list(instances(one)) for name, one in schema["properties"].items()}
    first = {name: found[0] for name, found in choices.items()}
    yield first
    for name, found in choices.items():
        yield from ({**first, name: value} for value in found[1:])
