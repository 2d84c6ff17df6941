"""The table of broken promises: which line of the issue, the patch that breaks it, the test that must turn red."""

from __future__ import annotations

import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PATCHES = HERE / "patches"

# The lines of "What must hold" of the issue, in their order.
LINES = {
    1: "installed again: nothing to do, nothing changed, a changed byte planned as drifted and mended",
    2: "the reference topology with its devices and metrics of each node",
    3: "no way out of a node",
    4: "the first job is real, a second one trains over two nodes, a third queues, says why, and starts",
    5: "memory above the limit and a crash are shown as what they are",
    6: "a worker added: exactly its phases and one join step, and nothing else",
    7: "kill -9 and resume",
    8: "bad input is named, with a remedy, before anything is changed",
    9: "no secret in any journal, log, process list or the repository",
}


@dataclass(frozen=True)
class Entry:
    """One row of table.yaml.

    `deploy` (lab only) brings the patch to the standing cluster before its test: arguments of ./atoll, or `examples`
    (the patched examples replace those in the administrator's home). `leaves` says that the test itself changes the
    cluster under the patch, so that it has to be mended as if there had been a deploy.
    """

    line: int
    patch: str
    promise: str
    kind: Literal["fast", "lab"]
    module: str
    function: str
    says: str
    deploy: str = ""
    leaves: bool = False
    minutes: float = 3.0
    settle_s: float = 15.0  # a kubelet tells the API server of other devices every ten seconds

    @property
    def file(self) -> Path:
        """The patch."""
        return PATCHES / f"{self.patch}.patch"

    @property
    def digest(self) -> str:
        """What a stored result is a result of, beside the commit."""
        return hashlib.sha256(f"{self!r}".encode() + self.file.read_bytes()).hexdigest()[:16]

    @property
    def test(self) -> str:
        """The test as pytest names it."""
        return f"{self.module}::{self.function}"

    def touched(self) -> list[str]:
        """The files that the patch changes."""
        return re.findall(r"^\+\+\+ b/(\S+)", self.file.read_text("utf-8"), re.MULTILINE)


def entries(kind: str | None = None) -> list[Entry]:
    """All rows, or those of a kind."""
    rows = [Entry(**row) for row in yaml.safe_load((HERE / "table.yaml").read_text("utf-8"))]
    return [row for row in rows if kind in (None, row.kind)]


def apply_patch(entry: Entry, tree: Path, *options: str) -> None:
    """Change a tree as the patch says. Raises CalledProcessError where it does not fit (any more)."""
    # Others work on the same files: where each hunk takes a line away, that line is enough to find the place.
    # git is there wherever the tree is; `patch` may not be.
    hunks = re.split(r"^@@.*", entry.file.read_text("utf-8"), flags=re.MULTILINE)[1:]
    context = 0 if all(re.search(r"^-(?!--)", hunk, re.MULTILINE) for hunk in hunks) else 1
    command = ["git", "-C", str(tree), "apply", "-p1", f"-C{context}", *options, str(entry.file)]
    subprocess.run(command, check=True, capture_output=True, text=True)
