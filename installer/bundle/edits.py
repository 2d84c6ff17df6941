"""Changes to a program's own source where it has no option for what we need: platform/packaging/<name>/edits.yaml.

A build of an edited program takes place beside a copy of its module, which stands in for the one of the proxy; what it
is linked with is compiled as for every other program of its family, so that they share it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from installer.bundle.errors import BundleError

_MODULE, _COPY = "module", "edited"


def edits_file(tree: Path, name: str) -> Path:
    """Return where a program's edits are."""
    return tree / "platform" / "packaging" / name / "edits.yaml"


def edit(source: Path, edits: list[dict[str, Any]]) -> None:
    """Change files below `source`. Raises BundleError for an edit that does not fit exactly once."""
    for one in edits:
        file = source / one["file"]
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        if text.count(one["find"]) != 1:
            raise BundleError(
                f"the edit of {one['file']} ({one['why']}) fits {text.count(one['find'])} times, not once.",
                "The program has another version than its edits.yaml was made for: adapt `find`.",
            )
        file.chmod(0o644)
        file.write_text(text.replace(one["find"], one["put"]), encoding="utf-8")


@contextmanager
def edited(family: Path, module: str, source: Path, edits: Path) -> Iterator[Path]:
    """Give a copy of a family's Go module in which `module` is its `source` with the edits."""
    with tempfile.TemporaryDirectory(prefix="atoll-edited-") as folder:
        copy = Path(folder, _MODULE)
        shutil.copytree(family, copy)
        shutil.copytree(source, copy / _COPY, copy_function=shutil.copyfile)
        for directory in (copy / _COPY, *(path for path in (copy / _COPY).rglob("*") if path.is_dir())):
            directory.chmod(0o755)
        edit(copy / _COPY, yaml.safe_load(edits.read_text(encoding="utf-8")))
        with (copy / "go.mod").open("a", encoding="utf-8") as stream:
            stream.write(f"\nreplace {module} => ./{_COPY}\n")
        yield copy
