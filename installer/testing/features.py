"""The owed features and their proof: `tests/features.tsv` against the stored test results."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installer.testing.results import KINDS, ROOT, Report

LIST = ROOT / "tests" / "features.tsv"
DEVIATIONS = ROOT / "docs" / "deviations.md"
# The best first. A feature is as good as the best that its tests show, one with clauses as good as its worst clause.
STATUSES: tuple[str, ...] = (*KINDS, "superseded", "owed", "failing")


@dataclass(frozen=True)
class Feature:
    """One row of the list of features owed: a feature (`30`), or below it a clause of it (`30a`)."""

    id: str
    group: str
    text: str

    @property
    def row(self) -> str:
        """The feature that a clause is of; of a feature, itself."""
        return self.id.rstrip("abcdefghijklmnopqrstuvwxyz")


def owed(path: Path = LIST) -> list[Feature]:
    """Return the features in the order of the list, each followed by its clauses."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Feature(row["id"], row["group"], row["feature"]) for row in rows]


def split(features: list[Feature]) -> frozenset[str]:
    """Return the ids of the features that have clauses: a test proves one of those."""
    return frozenset(feature.row for feature in features if feature.row != feature.id)


def mistake(id_: str, features: list[Feature]) -> str:
    """Return what is wrong with a mark that names this id, or nothing."""
    if id_ not in {feature.id for feature in features}:
        return f"there is no feature {id_} in tests/features.tsv"
    if id_ in split(features):
        clauses = ", ".join(feature.id for feature in features if feature.row == id_ != feature.id)
        return f"feature {id_} has clauses: name what the test drives of {clauses}"
    return ""


def superseded(path: Path = DEVIATIONS) -> frozenset[str]:
    """Return the features that docs/deviations.md replaces by something better (first column of its table)."""
    if not path.exists():
        return frozenset()
    numbers: set[str] = set()
    for line in path.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and re.fullmatch(r"\d+(, *\d+)*", cells[0]):
            numbers.update(number.strip() for number in cells[0].split(","))
    return frozenset(numbers)


def table(reports: list[Report], features: list[Feature], replaced: frozenset[str]) -> list[dict[str, Any]]:
    """Return a row per feature and clause: id, status and its tests, in the shape of `./atoll features -o json`.

    `reports` are those that count (`results.counted`).
    """
    tests: dict[str, list[dict[str, str]]] = {}
    for report in reports:
        for result in report.results:
            outcome = "retried" if result.retried and result.outcome == "passed" else result.outcome
            for proof in result.proofs:
                tests.setdefault(proof.feature, []).append(
                    {"name": result.name, "result": outcome, "on": proof.on, "at": report.at}
                )
    found = statuses({id_: [shown(test) for test in ran] for id_, ran in tests.items()}, features, replaced)
    return [
        {
            "id": feature.id,
            "group": feature.group,
            "feature": feature.text,
            "status": found[feature.id],
            "tests": tests.get(feature.id, []),
        }
        for feature in features
    ]


def shown(test: dict[str, str]) -> str:
    """Return what a test that ran shows of its features: one that was skipped or retried, nothing."""
    return {"passed": test["on"], "failed": "failing"}.get(test["result"], "owed")


def statuses(found: dict[str, list[str]], features: list[Feature], replaced: frozenset[str]) -> dict[str, str]:
    """Return the status of each feature and clause by id. `found` is what the tests of each show."""
    told: dict[str, str] = {}
    for feature in features:
        status = _of_one(found.get(feature.id, []))
        told[feature.id] = "superseded" if status in KINDS and feature.row in replaced else status
    for row in split(features):
        clauses = [told[feature.id] for feature in features if feature.row == row != feature.id]
        told[row] = max(clauses, key=STATUSES.index)
    return told


def _of_one(found: list[str]) -> str:
    return "failing" if "failing" in found else min(found, key=STATUSES.index, default="owed")


def summary(rows: list[dict[str, Any]]) -> str:
    """Return a plain table: for each group how many of its features have which status. Clauses are not counted."""
    groups: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["id"].isdigit():
            counts = groups.setdefault(row["group"], dict.fromkeys(STATUSES, 0))
            counts[row["status"]] += 1
    total = {status: sum(counts[status] for counts in groups.values()) for status in STATUSES}
    width = max(len(group) for group in [*groups, "all"])
    lines = [f"{'group':<{width}}  features" + "".join(f"  {status}" for status in STATUSES)]
    for group, counts in [*groups.items(), ("all", total)]:
        numbers = "".join(f"  {counts[status]:>{len(status)}}" for status in STATUSES)
        lines.append(f"{group:<{width}}  {sum(counts.values()):>8}{numbers}")
    return "\n".join(lines)
