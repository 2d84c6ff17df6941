"""The owed features and their proof: `tests/features.tsv` against the stored test results."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from installer.testing.results import ROOT, Report

LIST = ROOT / "tests" / "features.tsv"
DEVIATIONS = ROOT / "docs" / "deviations.md"


@dataclass(frozen=True)
class Feature:
    """One row of the list of features owed."""

    id: int
    group: str
    text: str


def owed(path: Path = LIST) -> list[Feature]:
    """Return the features in the order of the list."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Feature(int(row["id"]), row["group"], row["feature"]) for row in rows]


def superseded(path: Path = DEVIATIONS) -> frozenset[int]:
    """Return the features that docs/deviations.md replaces by something better (first column of its table)."""
    if not path.exists():
        return frozenset()
    numbers: set[int] = set()
    for line in path.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("|") and re.fullmatch(r"\d+(, *\d+)*", cells[0]):
            numbers.update(int(number) for number in cells[0].split(","))
    return frozenset(numbers)


def table(reports: list[Report], features: list[Feature], replaced: frozenset[int]) -> list[dict[str, Any]]:
    """Return one row per feature: id, status and its tests, in the shape of `./atoll features -o json`."""
    tests: dict[int, list[dict[str, str]]] = {}
    for report in reports:
        for result in report.results:
            for proof in result.proofs:
                tests.setdefault(proof.feature, []).append(
                    {"name": result.name, "result": result.outcome, "on": proof.on, "at": report.at}
                )
    return [
        {
            "id": feature.id,
            "group": feature.group,
            "feature": feature.text,
            "status": status(tests.get(feature.id, []), feature.id in replaced),
            "tests": tests.get(feature.id, []),
        }
        for feature in features
    ]


def status(tests: list[dict[str, str]], replaced: bool) -> str:
    """Return `failing` when any test of the feature failed, `proven` or `superseded` when one passed, else `owed`."""
    outcomes = {test["result"] for test in tests}
    if "failed" in outcomes:
        return "failing"
    if "passed" in outcomes:
        return "superseded" if replaced else "proven"
    return "owed"


def summary(rows: list[dict[str, Any]]) -> str:
    """Return a plain table: group, features, proven, superseded, failing, owed."""
    groups: dict[str, dict[str, int]] = {}
    for row in rows:
        counts = groups.setdefault(row["group"], {"proven": 0, "superseded": 0, "failing": 0, "owed": 0})
        counts[row["status"]] += 1
    total = {key: sum(counts[key] for counts in groups.values()) for key in ("proven", "superseded", "failing", "owed")}
    width = max(len(group) for group in [*groups, "all"])
    lines = [f"{'group':<{width}}  features  proven  superseded  failing  owed"]
    for group, counts in [*groups.items(), ("all", total)]:
        lines.append(
            f"{group:<{width}}  {sum(counts.values()):>8}  {counts['proven']:>6}  {counts['superseded']:>10}"
            f"  {counts['failing']:>7}  {counts['owed']:>4}"
        )
    return "\n".join(lines)
