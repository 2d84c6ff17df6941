"""What a check is, and what it says when something is not as it must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

Severity = Literal["error", "warning", "note"]
Facts = TypeVar("Facts")


class Problem(NamedTuple):
    """What a check found: what was seen, and the way to mend it."""

    evidence: str
    remedy: str


@dataclass(frozen=True)
class Finding:
    """A problem with its place; `error` stops an installation, `warning` is told, `note` is good to know."""

    check: str
    title: str
    severity: Severity
    where: str
    evidence: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.title}: {self.evidence}\n  {self.remedy}"

    def to_json(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Check(Generic[Facts]):
    """One thing that must hold. `run` looks at facts and changes nothing."""

    id: str
    title: str
    severity: Severity
    run: Callable[[Facts], Iterable[Problem]]

    def findings(self, where: str, facts: Facts) -> list[Finding]:
        """Return what this check finds."""
        return [
            Finding(self.id, self.title, self.severity, where, problem.evidence, problem.remedy)
            for problem in self.run(facts)
        ]


def run_all(checks: Sequence[Check[Facts]], where: str, facts: Facts) -> list[Finding]:
    """Run every check, so that all problems are found at once."""
    return [finding for check in checks for finding in check.findings(where, facts)]


def stops(findings: Iterable[Finding]) -> bool:
    """Say whether one of the findings forbids to go on."""
    return any(finding.severity == "error" for finding in findings)


def gibibytes(count: float) -> str:
    """Return a number of bytes for people."""
    return f"{count / (1 << 30):.1f} GiB"
