"""Mutants that change nothing anyone could see, each with its reason: tests/mutation/equivalent.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from installer.testing.mutation.mutants import Mutant, of_file

LIST = "tests/mutation/equivalent.yaml"


@dataclass(frozen=True)
class Equivalent:
    """One row: the lines `before` of a file that become `after`, within one function where they stand in several."""

    file: str
    before: str
    after: str
    reason: str
    within: str = ""

    def names(self, mutant: Mutant) -> bool:
        """Whether it is this mutant."""
        mine = (self.file, self.before.strip("\n"), self.after.strip("\n"))
        return mine == (mutant.file, mutant.before, mutant.after) and self.within in ("", mutant.scope)

    def misfit(self, tree: Path) -> str:
        """Say why it is not (any more) about exactly one mutant of the tree; nothing when it is."""
        if not self.reason.strip():
            return f"{self.file}: no reason is given for\n{self.before}"
        if not (tree / self.file).is_file():
            return f"{self.file} is not there"
        found = [mutant.place for mutant in of_file(tree, self.file) if self.names(mutant)]
        if len(found) == 1:
            return ""
        where = ", ".join(found) or "nowhere"
        return f"{self.file}: this change can be made {where}, not in one place:\n{self.before}\n->\n{self.after}"


def equivalents(tree: Path) -> list[Equivalent]:
    """Return the rows of a tree's list."""
    return [Equivalent(**row) for row in yaml.safe_load((tree / LIST).read_text("utf-8")) or []]
