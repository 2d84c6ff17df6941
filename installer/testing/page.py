"""docs/features.md: what each feature is proven on, by the marks in the sources.

`python -m installer.testing.page` writes it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from installer.testing.features import STATUSES, Feature, owed, split, statuses, superseded
from installer.testing.marks import Mark, collected, mistakes
from installer.testing.results import ROOT

PAGE = ROOT / "docs" / "features.md"
HEAD = """# Features and what they are proven on

Generated from the marks of the tests by `./atoll features --write`; a test of the fast set fails when it differs.
What a mark claims, a run has to show: `./atoll features` counts the results of the commit that it is asked at.

A status is the best that the tests of a row show: `real` on an installed cluster, `simulated` there with pretended
devices, `protocol` against a server that speaks the protocol of something we do not have, `local` on `./atoll dev` or
without a cluster, `superseded` by what docs/deviations.md says (with a test of that), `owed` when no test claims it.
A feature with clauses (`30a`, `30b`) is as good as its worst one.
"""


def page(marks: list[Mark], features: list[Feature], replaced: frozenset[str]) -> str:
    """Return the text of docs/features.md."""
    found: dict[str, list[str]] = {}
    for mark in marks:
        found.setdefault(mark.feature, []).append(mark.on)
    told = statuses(found, features, replaced)
    counts = Counter(told[feature.id] for feature in features if feature.id == feature.row)
    words = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    lines = [
        HEAD,
        f"Of {sum(counts.values())} features: {words}.",
        "",
        "| id | feature | status | tests |",
        "|--|--|--|--|",
    ]
    whole = split(features)
    for feature in features:
        mine = [mark for mark in marks if mark.feature == feature.id]
        tests = "its clauses" if feature.id in whole else "<br>".join(_named(mark) for mark in mine)
        text = feature.text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
        lines.append(f"| {feature.id} | {text} | {told[feature.id]} | {tests} |")
    return "\n".join(lines) + "\n"


def _named(mark: Mark) -> str:
    return f"`{mark.test}` ({mark.on})"


def current() -> str:
    """Return the text that the tree's marks make. Raises ValueError when one of them is wrong."""
    marks, features = collected(), owed()
    wrong = mistakes(marks, features)
    if wrong:
        raise ValueError("\n".join(wrong))
    return page(marks, features, superseded())


def write(path: Path = PAGE) -> None:
    """Write the page. Raises ValueError when a mark is wrong."""
    path.write_text(current(), encoding="utf-8")


if __name__ == "__main__":
    write()
