"""Outputs: what was built, kept under the hash of everything that went into it.

`$ATOLL_CACHE/outputs/<name>/<hash>/` appears by one rename once it is complete, with `output.json` inside that names
the digest of every file. A build that was killed leaves only a folder `.making-*`, which the next one removes.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORD = "output.json"
KEPT_PER_NAME = 2


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fingerprint(value: Any) -> str:
    """Return a hash of a JSON-able value that does not depend on the order of keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def tree_digests(
    root: Path, exclude: frozenset[str] = frozenset({"__pycache__", "node_modules", "dist"})
) -> dict[str, str]:
    """Return the digest of every file below `root` (or of the file itself), links as their target."""
    if root.is_file():
        return {root.name: _entry_digest(root)}
    found = {}
    for directory, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in exclude)
        for name in files:
            path = Path(directory, name)
            found[str(path.relative_to(root))] = _entry_digest(path)
    return found


def _entry_digest(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return f"{path.stat().st_mode & 0o111:o} {file_digest(path)}"


@dataclass(frozen=True)
class Output:
    """A finished output and the digests of its files."""

    name: str
    key: str
    directory: Path
    files: dict[str, dict[str, Any]]
    facts: dict[str, Any]

    def path(self, relative: str) -> Path:
        """Return where a file of this output lies."""
        return self.directory / relative


class Outputs:
    """The store of outputs."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.root = cache / "outputs"

    def find(self, name: str, key: str) -> Output | None:
        """Return the output of that name and input hash, if it was completed."""
        directory = self._directory(name) / key
        try:
            record = json.loads((directory / RECORD).read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            # Not there, or cut short by a loss of power: either way it is made again.
            return None
        return Output(name, key, directory, record["files"], record["facts"])

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Keep others from making an output of that name meanwhile; whoever comes second waits."""
        parent = self._directory(name)
        parent.mkdir(parents=True, exist_ok=True)
        held = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
        finally:
            os.close(held)

    @contextmanager
    def making(self, name: str, key: str) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Give an empty folder to build in and a dictionary for facts; keep both if the block succeeds."""
        parent = self._directory(name)
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(".making-*"):
            shutil.rmtree(left)
        making = Path(tempfile.mkdtemp(prefix=".making-", dir=parent))
        making.chmod(0o755)
        facts: dict[str, Any] = {}
        try:
            yield making, facts
            record = {"name": name, "key": key, "facts": facts, "files": _digests(making)}
            (making / RECORD).write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
            final = parent / key
            if final.exists():
                shutil.rmtree(final)
            making.rename(final)
        finally:
            shutil.rmtree(making, ignore_errors=True)
        self._forget_old(parent, key)

    def forget(self, name: str) -> None:
        """Remove every output of that name, so that it is built again."""
        shutil.rmtree(self._directory(name), ignore_errors=True)

    def _directory(self, name: str) -> Path:
        return self.root / name.replace("/", "--")

    @staticmethod
    def _forget_old(parent: Path, newest: str) -> None:
        others = [path for path in parent.iterdir() if path.name != newest and not path.name.startswith(".")]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[KEPT_PER_NAME - 1 :]:
            shutil.rmtree(path)


def _digests(root: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for directory, names, files in os.walk(root):
        names.sort()
        for name in sorted(files):
            path = Path(directory, name)
            if not path.is_symlink():
                found[str(path.relative_to(root))] = {"sha256": file_digest(path), "bytes": path.stat().st_size}
    return found
