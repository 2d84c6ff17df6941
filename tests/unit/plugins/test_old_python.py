"""What runs on nodes runs with the Python that they bring: 3.8 and newer."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[3]
PLUGINS = TREE / "plugins"
PROGRAMS = (TREE / "roles").glob("*/files/**/*.py")
FILES = sorted([*(PLUGINS / "modules").glob("*.py"), *(PLUGINS / "module_utils").glob("*.py"), *PROGRAMS])
NEWER = {"removeprefix", "removesuffix", "pairwise", "bit_count", "hardlink_to", "is_relative_to", "with_stem"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_module_says_nothing_that_an_old_python_does_not_know(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 8))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not names & NEWER
    if any(isinstance(node, ast.FunctionDef) for node in tree.body):  # without any it is the documentation of an action
        assert "from __future__ import annotations" in file.read_text(encoding="utf-8")
