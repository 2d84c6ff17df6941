"""Test results on disk: one JSON file per suite in `tests/results/`, with the commit that was tested."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "tests" / "results"
TOLD_LINES = 12  # of what a test that failed said

Outcome = Literal["passed", "failed", "skipped"]
On = Literal["real", "simulated", "protocol server"]


class Proof(BaseModel):
    """A feature that a test proves, and on what."""

    feature: int
    on: On = "real"


class Result(BaseModel):
    """The outcome of one test, with its features, its duration in seconds and, when it failed, what it said last."""

    name: str
    outcome: Outcome
    proofs: list[Proof] = Field(default_factory=list)
    seconds: float = 0.0
    said: str = ""


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


def write(target: Path, results: list[Result]) -> None:
    """Write the report of one suite; the suite's name is the file's stem."""
    report = Report(
        suite=target.stem, commit=commit(), at=datetime.now(UTC).isoformat(timespec="seconds"), results=results
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(report.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_all(directory: Path = DIRECTORY) -> list[Report]:
    """Return every stored report, sorted by suite."""
    return [Report.model_validate(json.loads(path.read_text("utf-8"))) for path in sorted(directory.glob("*.json"))]
