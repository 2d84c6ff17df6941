"""In which order the tests of a room are asked: first those that noticed before, then the quick files, then the slow.

The verdict is the same in any order; a mutant that somebody notices is only done sooner.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

FIRST = 8  # tests that are asked before all others
DURATION = re.compile(r"^ *([0-9.]+)s (?:call|setup|teardown) +([^:\s]+)::", re.MULTILINE)
RED = re.compile(r"^(?:FAILED|ERROR) ([^:\s]+::.+?)(?: - .*)?$", re.MULTILINE)


def files_of(tree: Path, tests: tuple[str, ...]) -> list[str]:
    """Return the files that these arguments of pytest name: files, folders, and `--ignore=` of either."""
    ignored = {tree / word.removeprefix("--ignore=") for word in tests if word.startswith("--ignore=")}
    found: list[Path] = []
    for word in tests:
        place = tree / word
        if not word.startswith("--"):
            found += sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
    kept = [file for file in dict.fromkeys(found) if ignored.isdisjoint((file, *file.parents))]
    return [str(file.relative_to(tree)) for file in kept]


class Order:
    """Of one room; it learns from what its runs say."""

    def __init__(self, tree: Path, tests: tuple[str, ...]) -> None:
        self.files = files_of(tree, tests)
        self._noticed: defaultdict[str, list[str]] = defaultdict(list)

    def learn_seconds(self, said: str) -> None:
        """Put files that take longer behind the others, by the durations that pytest told."""
        seconds: Counter[str] = Counter()
        for took, file in DURATION.findall(said):
            seconds[file] += float(took)  # type: ignore[assignment]
        self.files.sort(key=lambda file: seconds[file])

    def learn_red(self, file: str, said: str) -> None:
        """Remember which tests noticed that a file of the room was broken."""
        known = self._noticed[file]
        for test in RED.findall(said):
            if test in known:
                known.remove(test)
            known.insert(0, test)

    def first(self, file: str) -> list[str]:
        """Return the tests that noticed last when this file was broken."""
        return self._noticed[file][:FIRST]
