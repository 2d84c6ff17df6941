"""The operations of the API that name an object in their path, and how one is asked for. `./atoll bench` times them."""

from collections.abc import Mapping
from typing import Any

from atoll.api.domains import DOMAINS
from atoll.web.domain import MatrixRow

MATRIX = {operation: row for domain in DOMAINS for operation, row in domain.matrix.items()}
# Parts of the system and not somebody's: who may look at them sees all there are.
OF_NOBODY = {"name", "run_id", "way"}
# A way to sign in is nobody's either; in front of it nobody is signed in yet.
WITH_OBJECTS = {operation: row for operation, row in MATRIX.items() if "{" in operation.replace("{way}", "")}


def path_of(operation: str, objects: Mapping[str, str]) -> str:
    """The address that is asked. Services and the like are named as the table of the matrix does."""
    row = WITH_OBJECTS[operation]
    named = row.path if isinstance(row, MatrixRow) else {}
    return operation.partition(" ")[2].format(**{**named, **objects})


def request_of(operation: str, objects: Mapping[str, str]) -> dict[str, Any]:
    """The request for an object, as httpx is given it."""
    row = WITH_OBJECTS[operation]
    body, params = (row.body, row.params) if isinstance(row, MatrixRow) else (None, None)
    return {
        "method": operation.partition(" ")[0],
        "url": path_of(operation, objects),
        "json": body,
        "params": params,
    }
