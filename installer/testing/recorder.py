"""A pytest plugin that records which features each test proves: `-p installer.testing.recorder`.

Results land in the file named by `$ATOLL_TEST_RESULTS`; without it nothing is recorded.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from installer.testing.features import mistake, owed
from installer.testing.results import KINDS, TOLD_LINES, Proof, Result, commit, write


def _proofs(item: pytest.Item) -> list[dict[str, object]]:
    proofs: list[dict[str, object]] = []
    for mark in item.iter_markers("feature"):
        on = mark.kwargs.get("on", "real")
        proofs.extend({"feature": str(id_), "on": on} for id_ in mark.args)
        for id_ in mark.args:
            wrong = mistake(str(id_), owed()) or ("" if on in KINDS else f"`{on}` is none of {', '.join(KINDS)}")
            if wrong:
                raise pytest.UsageError(f"{item.nodeid}: {wrong}")
    return proofs


def _end(report: pytest.TestReport) -> str:
    return "\n".join(report.longreprtext.splitlines()[-TOLD_LINES:])


class Recorder:
    """Collects one result per test: a test passes when set-up, call and tear-down all pass."""

    def __init__(self, target: Path, config: pytest.Config) -> None:
        self.target = target
        self.config = config
        self.begun = commit()
        self.results: dict[str, Result] = {}
        self._reported: set[tuple[str, str]] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Fold the report of a phase of a test into its result; xdist's workers send theirs here."""
        proofs = [Proof.model_validate(proof) for name, proof in report.user_properties if name == "proof"]
        found = self.results.setdefault(report.nodeid, Result(name=report.nodeid, outcome="passed", proofs=proofs))
        found.seconds += report.duration
        found.retried = found.retried or (report.nodeid, report.when) in self._reported
        self._reported.add((report.nodeid, report.when))
        if report.failed:
            found.outcome = "failed"
            found.said = found.said or _end(report)
            self._tell(report)
        elif report.skipped and found.outcome == "passed":
            found.outcome = "skipped"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file that skips itself while it is read: none of its tests is there to be told as skipped."""
        if report.skipped:
            self.results[report.nodeid] = Result(name=report.nodeid, outcome="skipped")

    def _tell(self, report: pytest.TestReport) -> None:
        """At once: pytest itself tells it at the end, which for a lab is half an hour away."""
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.ensure_newline()
            terminal.write_line(f"{report.nodeid} failed in its {report.when}:\n{_end(report)}")

    def pytest_sessionfinish(self) -> None:
        """Write what was collected."""
        write(self.target, list(self.results.values()), self.begun)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each report of a test say what it proves."""
    for item in items:
        item.user_properties.extend(("proof", proof) for proof in _proofs(item))


def pytest_configure(config: pytest.Config) -> None:
    """Start recording when the runner asks for it."""
    target = os.environ.get("ATOLL_TEST_RESULTS")
    if target and not hasattr(config, "workerinput"):  # a worker of xdist tells the process that started it
        config.pluginmanager.register(Recorder(Path(target), config), "atoll-recorder")
