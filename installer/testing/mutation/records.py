"""What was tried on a commit with a seed is kept, so that the next part goes on from there; and the report of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from installer.testing.mutation.mutants import Mutant

GOAL = 0.9
MOST_LATE = 0.05  # of a sample: a run whose time is over says little, and flatters a room that is only slow


@dataclass(frozen=True)
class Verdict:
    """What became of one mutant; `code` as in `Tried`, `why_equal` is its reason where it is equivalent."""

    mutant: Mutant
    code: int
    seconds: float
    why_equal: str = ""

    @property
    def noticed(self) -> bool:
        """Whether the tests of its room were red."""
        return self.code != 0

    @property
    def survived(self) -> bool:
        """Whether nobody noticed what somebody could have noticed."""
        return not self.noticed and not self.why_equal


class Kept:
    """The tried mutants of one commit and seed, a line each. Those of a changed tree are of no use the next time."""

    def __init__(self, folder: Path, commit: str, seed: str) -> None:
        self.file = folder / f"{commit}-{re.sub(r'[^0-9A-Za-z_.+-]', '_', seed)}.jsonl"
        if not re.fullmatch(r"[0-9a-f]{40}", commit):
            self.file.unlink(missing_ok=True)

    def read(self) -> dict[str, tuple[int, float]]:
        """Return code and seconds of each mutant by its id; a line that was not finished is none."""
        found = {}
        for line in self.file.read_text("utf-8").splitlines() if self.file.exists() else []:
            try:
                row = json.loads(line)
            except ValueError:
                continue
            found[str(row["id"])] = (int(row["code"]), float(row["seconds"]))
        return found

    def forget(self, mutants: set[str]) -> None:
        """Take back what was written down of these."""
        if self.file.exists():
            lines = self.file.read_text("utf-8").splitlines(keepends=True)
            self.file.write_text("".join(line for line in lines if not any(id_ in line for id_ in mutants)), "utf-8")

    def keep(self, verdict: Verdict) -> None:
        """Write one down."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        row = {"id": verdict.mutant.id, "code": verdict.code, "seconds": round(verdict.seconds, 1)}
        row |= {name: asdict(verdict.mutant)[name] for name in ("file", "line", "operator")}
        torn = self.file.exists() and not self.file.read_bytes().endswith(b"\n")
        with self.file.open("a", encoding="utf-8") as file:
            file.write(("\n" if torn else "") + json.dumps(row) + "\n")


@dataclass(frozen=True)
class Score:
    """What became of a room's sample of `wanted` mutants, as far as it was tried. `broken` says why it could not be."""

    room: str
    wanted: int
    verdicts: tuple[Verdict, ...]
    broken: str = ""

    @property
    def counted(self) -> list[Verdict]:
        """All but those that are equivalent and that nobody noticed."""
        return [verdict for verdict in self.verdicts if verdict.noticed or verdict.survived]

    @property
    def noticed(self) -> int:
        """How many were noticed."""
        return sum(verdict.noticed for verdict in self.verdicts)

    @property
    def late(self) -> int:
        """How many were noticed only by their time."""
        return sum(verdict.code < 0 for verdict in self.verdicts)

    @property
    def rate(self) -> float:
        """The noticed ones among those that count; 1 where nothing was tried."""
        return self.noticed / len(self.counted) if self.counted else 1.0

    @property
    def whole(self) -> bool:
        """Whether all of the sample was tried."""
        return not self.broken and len(self.verdicts) == self.wanted

    @property
    def complaint(self) -> str:
        """Why this room does not pass; nothing when it does."""
        if self.broken:
            return self.broken
        if self.late > MOST_LATE * self.wanted:
            return f"{self.late} of {len(self.verdicts)} ran out of time, which says little"
        if self.rate < GOAL:
            return f"{self.rate:.0%} noticed, wanted are {GOAL:.0%}"
        return "" if self.whole else f"{len(self.verdicts)} of {self.wanted} tried"


def report(scores: list[Score], commit: str, seed: str) -> str:
    """Return the report: the score of each room, then what survived."""
    lines = ["# Mutation gate", "", f"Commit {commit}, seed `{seed}`; wanted are {GOAL:.0%} noticed in each room.", ""]
    lines += ["| room | tried | noticed | over time | equivalent | score | |", "|--|--|--|--|--|--|--|"]
    for score in scores:
        equal = len(score.verdicts) - len(score.counted)
        rate = f"{score.rate:.0%}" if score.counted else "-"
        complaint = score.complaint.partition("\n")[0]
        tried = f"{len(score.verdicts)} of {score.wanted}"
        lines.append(f"| {score.room} | {tried} | {score.noticed} | {score.late} | {equal} | {rate} | {complaint} |")
    return "\n".join([*lines, "", *_survivors(scores), *_equal(scores), *_broken(scores)])


def _survivors(scores: list[Score]) -> Iterator[str]:
    for score in scores:
        gone = [verdict.mutant for verdict in score.verdicts if verdict.survived]
        if gone:
            yield from (f"## Nobody noticed in {score.room}", "")
        for mutant in sorted(gone, key=lambda mutant: (mutant.file, mutant.line)):
            yield from (f"{mutant.place} {mutant.operator} in `{mutant.scope or 'the module'}`", "")
            yield from ("```diff", mutant.diff(), "```", "")


def _equal(scores: list[Score]) -> Iterator[str]:
    equal = [verdict for score in scores for verdict in score.verdicts if verdict.why_equal and not verdict.noticed]
    if equal:
        yield from ("## Equivalent", "")
        yield from (f"- {verdict.mutant.place}: {verdict.why_equal}" for verdict in equal)
        yield ""


def _broken(scores: list[Score]) -> Iterator[str]:
    for score in scores:
        if score.broken:
            yield from (f"## {score.room} was not tried", "", "```", score.broken, "```", "")
