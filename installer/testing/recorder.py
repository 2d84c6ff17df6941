"""A pytest plugin that records which features each test proves: `-p installer.testing.recorder`.

Results land in the file named by `$ATOLL_TEST_RESULTS`; without it nothing is recorded.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from installer.testing.results import Proof, Result, write


def _proofs(item: pytest.Item) -> list[Proof]:
    proofs: list[Proof] = []
    for mark in item.iter_markers("feature"):
        on = mark.kwargs.get("on", "real")
        proofs.extend(Proof(feature=int(number), on=on) for number in mark.args)
    return proofs


class Recorder:
    """Collects one result per test: a test passes when set-up, call and tear-down all pass."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.results: dict[str, Result] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Fold the report of a phase of a test into its result."""
        report = yield
        found = self.results.setdefault(item.nodeid, Result(name=item.nodeid, outcome="passed", proofs=_proofs(item)))
        found.seconds += report.duration
        if report.failed:
            found.outcome = "failed"
        elif report.skipped and found.outcome == "passed":
            found.outcome = "skipped"
        return report

    def pytest_sessionfinish(self) -> None:
        """Write what was collected."""
        write(self.target, list(self.results.values()))


def pytest_configure(config: pytest.Config) -> None:
    """Start recording when the runner asks for it."""
    target = os.environ.get("ATOLL_TEST_RESULTS")
    if target:
        config.pluginmanager.register(Recorder(Path(target)), "atoll-recorder")
