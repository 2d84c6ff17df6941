"""Mutants: changes of files of a room, known by what they say, so that moved code has the same ones."""

from __future__ import annotations

import difflib
import hashlib
import re
import subprocess
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from installer.testing.mutation.operators import changes, line_of
from installer.testing.mutation.rooms import Room


@dataclass(frozen=True)
class Mutant:
    """One change of one file: `before` and `after` are the whole lines that it touches, without their indentation.

    `number` tells those apart that read the same in the same function.
    """

    file: str
    line: int
    last_line: int
    operator: str
    scope: str
    before: str
    after: str
    number: int
    start: int
    end: int
    put: str

    @property
    def id(self) -> str:
        """What it is known by: neither line numbers nor what stands around it."""
        told = f"{self.file}\0{self.scope}\0{self.before}\0{self.after}\0{self.number}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    @property
    def place(self) -> str:
        """File and line, for people."""
        return f"{self.file}:{self.line}"

    def touches(self, lines: set[int]) -> bool:
        """Whether it changes any of these lines."""
        return not lines.isdisjoint(range(self.line, self.last_line + 1))

    def apply(self, tree: Path) -> None:
        """Break the file in a tree that is as the one it was found in."""
        data = (tree / self.file).read_bytes()
        (tree / self.file).write_bytes(data[: self.start] + self.put.encode() + data[self.end :])

    def diff(self) -> str:
        """Return what it changes, for people."""
        lines = difflib.ndiff(self.before.split("\n"), self.after.split("\n"))
        return "\n".join(line.rstrip() for line in lines if not line.startswith("?"))


def of_file(tree: Path, file: str) -> list[Mutant]:
    """Return all mutants of a file, in the order of its text."""
    text = (tree / file).read_bytes().decode()
    data = text.encode()
    found: list[Mutant] = []
    same: Counter[tuple[str, str, str]] = Counter()
    for change in changes(text):
        begin = data.rfind(b"\n", 0, change.start) + 1
        end = data.find(b"\n", change.end)
        end = len(data) if end < 0 else end
        before = _plain(data[begin:end])
        after = _plain(data[begin : change.start] + change.put.encode() + data[change.end : end])
        key = (change.scope, before, after)
        found.append(
            Mutant(
                file,
                line_of(text, change.start),
                line_of(text, max(change.start, change.end - 1)),
                change.operator,
                change.scope,
                before,
                after,
                same[key],
                change.start,
                change.end,
                change.put,
            )
        )
        same[key] += 1
    return found


def _plain(lines: bytes) -> str:
    return textwrap.dedent(lines.decode()).strip("\n")


def of_room(tree: Path, room: Room) -> list[Mutant]:
    """Return all mutants of a room."""
    return [mutant for file in room.files(tree) for mutant in of_file(tree, file)]


def sample(mutants: Iterable[Mutant], seed: str, count: int) -> list[Mutant]:
    """Return `count` of them, in an order that the seed alone decides: others that come or go move none of the rest."""

    def lot(mutant: Mutant) -> str:
        return hashlib.sha256(f"{seed}\0{mutant.id}".encode()).hexdigest()

    return sorted(mutants, key=lot)[:count]


def changed_lines(tree: Path, base: str) -> dict[str, set[int]]:
    """Return the lines of each file that differ from a commit, as they are numbered now."""
    said = subprocess.run(
        ["git", "-C", str(tree), "diff", "-U0", "--no-color", "--no-ext-diff", "--no-renames", base, "--", "*.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(_numbered(said.stdout.splitlines()))


def _numbered(lines: Iterable[str]) -> Iterator[tuple[str, set[int]]]:
    file, numbers = "", set[int]()
    for line in lines:
        if line.startswith("+++ "):
            if file:
                yield file, numbers
            file, numbers = line.removeprefix("+++ ").removeprefix("b/"), set()
        elif found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(found[1]), int(found[2] or 1)
            numbers |= set(range(first, first + count))
    if file:
        yield file, numbers


def last_common(tree: Path) -> str:
    """Return the commit that changes are counted from: where this branch left main, on main itself the one before."""

    def ask(*words: str) -> str:
        said = subprocess.run(["git", "-C", str(tree), *words], capture_output=True, text=True, check=False)
        return said.stdout.strip()

    head = ask("rev-parse", "HEAD")
    for main in ("origin/main", "main", "origin/master", "master"):
        base = ask("merge-base", "HEAD", main)
        if base and base != head:
            return base
    return "HEAD~1"
