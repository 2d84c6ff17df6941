"""The contract: writes `platform/portal/openapi.json` (`--check` only compares). Run with PYTHONPATH=platform."""

import functools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from atoll.api.domains import DOMAINS, permissions, task_kinds
from atoll.api.routes import routes
from atoll.web.domain import Permission, TaskKind
from atoll.web.schema import Problem

CONTRACT = Path(__file__).resolve().parents[2] / "portal" / "openapi.json"
_EXTRA: tuple[type[BaseModel], ...] = (Problem, *(event for domain in DOMAINS for event in domain.events))


def contract(app: FastAPI) -> dict[str, Any]:
    """OpenAPI with the problem answer of every operation and the data of events."""
    document: dict[str, Any] = get_openapi(
        title="Atoll",
        version="1",
        description="The API of an Atoll installation. Errors are problem+json with stable codes.",
        routes=app.routes,
    )
    components = document["components"]["schemas"]
    _, extra = models_json_schema(
        [(model, "serialization") for model in _EXTRA], ref_template="#/components/schemas/{model}"
    )
    for name, schema in extra["$defs"].items():
        components.setdefault(name, schema)
    components["Permission"] = _names("Permission", "One thing that a caller may do.", permissions())
    components["TaskKind"] = _names("TaskKind", "What a task is for.", task_kinds())
    for name in ("HTTPValidationError", "ValidationError"):
        components.pop(name, None)
    problem = {
        "description": "What is wrong, and what to do",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for path in document["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
            operation["responses"]["default"] = problem
    return document


@functools.cache
def published() -> bytes:
    """The contract of all routes as the API answers it. Made once in a process: it takes a third of a second."""
    return json.dumps(contract(routes(frozenset())), ensure_ascii=False, separators=(",", ":")).encode()


def _names(title: str, description: str, declared: Sequence[Permission | TaskKind]) -> dict[str, Any]:
    """The schema of names that the manifests declare."""
    return {"title": title, "description": description, "type": "string", "enum": [each.name for each in declared]}


def _main(arguments: list[str]) -> int:
    text = json.dumps(json.loads(published()), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if "--check" in arguments:
        same = CONTRACT.exists() and CONTRACT.read_text(encoding="utf-8") == text
        if not same:
            sys.stderr.write(f"{CONTRACT}: differs from the code; run `python -m atoll.api.openapi` and commit it\n")
        return 0 if same else 1
    CONTRACT.parent.mkdir(parents=True, exist_ok=True)
    CONTRACT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
