"""How code is broken on purpose: a pattern of whole lines, wherever in its room it stands, becomes another.

No line numbers and no context: moved code is found where it went, and only a change of the lines themselves, or a
second place that reads the same, asks for the mutation to be looked at again.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = frozenset({"node_modules", "__pycache__", "dist", ".venv", ".git", ".mypy_cache", ".ruff_cache"})


class Misfit(Exception):
    """The pattern stands nowhere in its room, or in more than one place."""


@dataclass(frozen=True)
class Mutation:
    """The lines `find` of one place in `room` (a folder or a file) become the lines `put`; none takes them away.

    Lines are compared without the indentation that they share, and `put` gets that of the place.
    """

    room: str
    find: str
    put: str = ""

    def place(self, tree: Path) -> tuple[Path, int]:
        """Return the file and the index of the first line. Raises Misfit."""
        wanted = textwrap.dedent(self.find).strip("\n").split("\n")
        found = [(file, at) for file, lines in _texts(tree / self.room) for at in _places(lines, wanted)]
        if len(found) != 1:
            where = ", ".join(f"{file.relative_to(tree)}:{at + 1}" for file, at in found) or "nowhere"
            raise Misfit(f"in {self.room} these lines stand {where}, not in one place:\n{self.find}")
        return found[0]

    def apply(self, tree: Path) -> str:
        """Change the tree; return the file's name. Raises Misfit."""
        file, at = self.place(tree)
        lines = file.read_text("utf-8").split("\n")
        count = len(textwrap.dedent(self.find).strip("\n").split("\n"))
        indent = _indent(lines[at : at + count])
        put = textwrap.dedent(self.put).strip("\n")
        new = [f"{indent}{line}" if line else line for line in put.split("\n")] if put else []
        file.write_text("\n".join([*lines[:at], *new, *lines[at + count :]]), encoding="utf-8")
        return str(file.relative_to(tree))


def _texts(room: Path) -> Iterator[tuple[Path, list[str]]]:
    files = [room] if room.is_file() else sorted(room.rglob("*"))
    for file in files:
        if LEFT_OUT.isdisjoint(file.parts) and file.is_file() and not file.is_symlink():
            try:
                yield file, file.read_text("utf-8").split("\n")
            except UnicodeDecodeError:
                continue


def _places(lines: list[str], wanted: list[str]) -> Iterator[int]:
    first = wanted[0].strip()
    for at in range(len(lines) - len(wanted) + 1):
        if lines[at].strip() == first:
            window = lines[at : at + len(wanted)]
            if textwrap.dedent("\n".join(window)).split("\n") == wanted:
                yield at


def _indent(lines: list[str]) -> str:
    filled = [line for line in lines if line.strip()]
    widths = [len(line) - len(line.lstrip()) for line in filled]
    return filled[widths.index(min(widths))][: min(widths)]
