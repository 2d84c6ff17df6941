"""Test results on disk: one JSON file per suite in `tests/results/`, with the commit that was tested."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, Field

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "tests" / "results"
TOLD_LINES = 12  # of what a test that failed said

Outcome = Literal["passed", "failed", "skipped"]
On = Literal["real", "simulated", "protocol", "local"]
KINDS: tuple[On, ...] = get_args(On)  # the best first
UNREADABLE = "unreadable"  # in place of the commit of results that cannot be read


class Proof(BaseModel):
    """A feature, or a clause of one, that a test proves, and on what."""

    feature: str
    on: On = "real"


class Result(BaseModel):
    """The outcome of one test, with its features, its duration in seconds and, when it failed, what it said last.

    `retried`: it was run more than once, so that its last outcome says little.
    """

    name: str
    outcome: Outcome
    proofs: list[Proof] = Field(default_factory=list)
    seconds: float = 0.0
    said: str = ""
    retried: bool = False


class Report(BaseModel):
    """All results of one suite, with the commit and the time (UTC, ISO 8601) of the run."""

    suite: str
    commit: str
    at: str
    results: list[Result]


def commit() -> str:
    """Return the commit of the tree, with `+` when files differ from it; `unknown` outside a checkout."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    if head.returncode:
        return "unknown"
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")


def write(target: Path, results: list[Result], begun: str) -> None:
    """Write the report of one suite, whose name is the file's stem; `begun` is the commit at which it began.

    Where the tree is another one now, nobody knows what was tested.
    """
    tested = begun if commit() == begun else begun.removesuffix("+") + "+"
    report = Report(
        suite=target.stem, commit=tested, at=datetime.now(UTC).isoformat(timespec="seconds"), results=results
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_all(directory: Path = DIRECTORY) -> list[Report]:
    """Return every stored report, sorted by suite; one that cannot be read is of the commit `unreadable`."""
    return [read(path) for path in sorted(directory.glob("*.json"))]


def read(path: Path) -> Report:
    """Return a stored report; one that cannot be read is of the commit `unreadable` and has no results."""
    try:
        return Report.model_validate(json.loads(path.read_text("utf-8")))
    except ValueError:  # half written, or by a tree whose reports look otherwise
        return Report(suite=path.stem, commit=UNREADABLE, at="", results=[])


def counted(reports: list[Report], head: str) -> tuple[list[Report], list[str]]:
    """Return the reports that may prove something at the commit `head`, and a line for each thing that does not.

    Only results of this very commit count: neither those of another one, nor those of a tree that differed from it.
    """
    found: list[Report] = []
    refused: list[str] = []
    if head == "unknown" or head.endswith("+"):
        why = "no git tells which commit this is" if head == "unknown" else "this tree differs from its commit"
        refused.append(f"no result counts: {why}")
    for report in reports:
        if report.commit == UNREADABLE:
            refused.append(f"suite {report.suite} does not count: its results cannot be read")
        elif report.commit == "unknown" or report.commit.endswith("+"):
            refused.append(f"suite {report.suite} does not count: run {report.at} on a tree that is no commit")
        elif report.commit != head.removesuffix("+"):
            refused.append(f"suite {report.suite} does not count: run {report.at} at commit {report.commit[:12]}")
        elif report.commit == head:
            found.append(report)
    for report in found:
        for result in report.results:
            why = result.outcome if result.outcome == "skipped" else "retried" if result.retried else ""
            if why and result.proofs:
                refused.append(f"{result.name} proves nothing: {why}")
    return found, refused
