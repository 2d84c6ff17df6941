"""Queries stand in repositories: there alone one reads who may see which rows. Read from the source of the platform."""

import ast
from collections.abc import Iterator
from pathlib import Path

import atoll
import pytest

PLATFORM = Path(atoll.__file__).parent
STATEMENTS = {"delete", "insert", "select", "update"}
# Claims are queries of all that is claimed, whatever it is.
ALLOWED = {"database/claims.py"}


def statements(source: str) -> set[str]:
    """The statements of SQLAlchemy that a module takes in, by whatever name; the whole of it counts as all."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.partition(".")[0] == "sqlalchemy"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sqlalchemy":
            found |= {alias.name for alias in node.names} & (STATEMENTS | {"sql", "expression", "*"})
    return found


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PLATFORM.rglob("*.py")):
        name = path.relative_to(PLATFORM).as_posix()
        if path.name != "repository.py" and not name.startswith("database/migrations/"):
            yield name, path


def test_queries_stand_in_repositories() -> None:
    found = {name: told for name, path in modules() if (told := statements(path.read_text("utf-8")))}
    assert {name: told for name, told in found.items() if name not in ALLOWED} == {}
    assert set(found) >= ALLOWED, "an exception that no file needs"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("from sqlalchemy import delete as gone, func", {"delete"}),
        ("from sqlalchemy.dialects.postgresql import insert", {"insert"}),
        ("import sqlalchemy as sa", {"sqlalchemy"}),
        ("def late():\n    from sqlalchemy import select", {"select"}),
        ("from sqlalchemy import ForeignKey, text\nfrom sqlalchemy.ext.asyncio import AsyncSession", set()),
    ],
)
def test_a_statement_is_seen_by_whatever_name(source: str, told: set[str]) -> None:
    assert statements(source) == told
