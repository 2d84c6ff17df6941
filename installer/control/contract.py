"""The contract of the control service: `python -m installer.control.contract` writes `openapi.json` beside this file.

`service_ctl.py` and the platform's client are held against it; a test fails when the written one differs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from installer.control import answers
from installer.control.settings import Settings

FILE = Path(__file__).with_name("openapi.json")
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def of(app: FastAPI) -> dict[str, Any]:
    """Return the contract: every route with every shape, those of events and problems too."""
    # No version: the contract is the same for every build of it.
    made = get_openapi(title=app.title, version="1", routes=app.routes)
    shapes = [kind for kind in vars(answers).values() if isinstance(kind, type) and issubclass(kind, BaseModel)]
    wanted = [(kind, "serialization") for kind in shapes if kind not in {BaseModel, answers.Answer}]
    _, found = models_json_schema(wanted, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    made["components"]["schemas"] = dict(sorted({**schemas, **found["$defs"]}.items()))
    for methods in made["paths"].values():
        for operation in methods.values():
            operation["responses"].setdefault("default", {"description": "A problem", "content": PROBLEM})
            operation["responses"].pop("422", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(unused, None)
    return made


def text() -> str:
    """Return the contract as it is written."""
    from installer.control.app import create_app

    nowhere = Path("/nonexistent")
    app = create_app(Settings("any", "any", nowhere, nowhere, nowhere, nowhere, nowhere))
    return json.dumps(app.openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
