"""Tries samples of mutants, room after room, as far as the time of a part goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from installer.testing.mutation.equivalents import Equivalent, equivalents
from installer.testing.mutation.mutants import Mutant, changed_lines, of_room, sample
from installer.testing.mutation.records import Kept, Score, Verdict
from installer.testing.mutation.rooms import Room
from installer.testing.mutation.trying import Copy, copied, files, limit_s

PART_S = 3300.0  # a suite ends after 3600 s
COUNT = 100
FEW = 10
ROOMY = 1.25  # what a green run may take more than the sound one, to be begun


@dataclass(frozen=True)
class Part:
    """How long mutants may be begun."""

    seconds: float = PART_S
    began: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Return what is left of it."""
        return self.began + self.seconds - time.monotonic()

    def has(self, seconds: float) -> bool:
        """Whether so much of it is left."""
        return seconds <= self.left()


Tell = Callable[[str], None]


@dataclass(frozen=True)
class Gate:
    """Mutants of a tree are tried in copies of it; `kept` has those of earlier parts, where there is one."""

    root: Path
    part: Part
    tell: Tell
    kept: Kept | None = None

    def rooms(self, rooms: Iterable[Room], seed: str, count: int) -> list[Score]:
        """Try a sample of each room."""
        with self._sound() as sound:
            return self._tried(sound, [(room, sample(of_room(sound, room), seed, count)) for room in rooms])

    def changed(self, rooms: Iterable[Room], base: str, seed: str) -> list[Score]:
        """Try a few of all mutants on lines that differ from a commit."""
        lines = changed_lines(self.root, base)
        with self._sound() as sound:
            touched = [
                (room, mutant)
                for room in rooms
                for mutant in of_room(sound, room)
                if mutant.touches(lines.get(mutant.file, set()))
            ]
            chosen = {mutant.id for mutant in sample([mutant for _, mutant in touched], seed, FEW)}
            by_room: dict[Room, list[Mutant]] = {}
            for room, mutant in touched:
                if mutant.id in chosen:
                    by_room.setdefault(room, []).append(mutant)
            return self._tried(sound, by_room.items())

    def _sound(self) -> AbstractContextManager[Path]:
        """The tree as it is at the beginning, whatever becomes of it meanwhile."""
        return copied(self.root)

    def _tried(self, sound_tree: Path, samples: Iterable[tuple[Room, list[Mutant]]]) -> list[Score]:
        equal, kept = equivalents(sound_tree), self.kept.read() if self.kept else {}
        return [self._room(sound_tree, room, mutants, equal, kept) for room, mutants in samples]

    def _room(
        self,
        sound_tree: Path,
        room: Room,
        mutants: list[Mutant],
        equal: list[Equivalent],
        kept: dict[str, tuple[int, float]],
    ) -> Score:
        def reason(mutant: Mutant) -> str:
            return next((row.reason for row in equal if row.names(mutant)), "")

        before = [Verdict(mutant, *kept[mutant.id], reason(mutant)) for mutant in mutants if mutant.id in kept]
        left = [mutant for mutant in mutants if mutant.id not in kept]
        new: list[Verdict] = []
        broken = ""
        if left and self.part.left() > 0:
            names = [str(path.relative_to(sound_tree)) for path in files(sound_tree)]
            with copied(sound_tree, names) as tree:
                copy = Copy(sound_tree, tree, room.tests)
                sound = copy.sound(self.part.left())
                copy.mend()
                if sound.code < 0:
                    left = []  # the part is over
                elif not sound.green:
                    broken = f"its tests are not green without any mutant (exit code {sound.code})\n{sound.said}"
                    left = []
                self.tell(f"{room.name}: {len(left)} mutants, sound in {sound.seconds:.0f} s")
                for mutant in left:
                    if not self.part.has(sound.seconds * 2 * ROOMY):  # for it, and for the last look
                        break
                    within = min(limit_s(sound), self.part.left() / 2)
                    tried = copy.tried(mutant, within)
                    if tried.code < 0 and within < limit_s(sound):
                        break  # the part is over, which says nothing
                    if not tried.is_verdict(mutant):
                        broken = f"its tests ended with exit code {tried.code} at {mutant.place}\n{tried.said}"
                        break
                    verdict = Verdict(mutant, tried.code, tried.seconds, reason(mutant))
                    new.append(verdict)
                    if self.kept:
                        self.kept.keep(verdict)
                    self._say(verdict)
                broken = broken or self._still_sound(copy, new, limit_s(sound))
        return Score(room.name, len(mutants), tuple(before + ([] if broken else new)), broken)

    def _still_sound(self, copy: Copy, new: list[Verdict], within_s: float) -> str:
        """Say what is wrong when the tests are red by themselves now: then nobody knows since when they were."""
        if not new:
            return ""
        last = copy.sound(within_s)
        if last.green:
            return ""
        if self.kept:
            self.kept.forget({verdict.mutant.id for verdict in new})
        return f"its tests are not green any more without any mutant (exit code {last.code})\n{last.said}"

    def _say(self, verdict: Verdict) -> None:
        how = "NOBODY NOTICED" if verdict.survived else "noticed" if verdict.noticed else "equivalent"
        self.tell(f"{verdict.seconds:6.1f} s  {how}  {verdict.mutant.place}  {verdict.mutant.operator}")
        if verdict.survived:
            self.tell(verdict.mutant.diff())
