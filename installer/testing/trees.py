"""Copies of the tree, to break them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path


def tracked(root: Path) -> list[str]:
    """Return the files under version control that are there now."""
    said = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=True)
    return [name for name in said.stdout.split("\0") if name and (root / name).is_file()]


def copy_files(root: Path, tree: Path, names: list[str]) -> None:
    """Bring files of a tree to another one."""
    for name in names:
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy2(root / name, target, follow_symlinks=False)
