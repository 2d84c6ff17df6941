"""What the plugin of all suites records, and says at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from installer.testing.results import ROOT, Report

TESTS = """
import pytest

@pytest.fixture
def broken():
    raise ValueError("nothing is there")

def test_first(broken):
    pass

@pytest.mark.feature(FEATURE)
def test_second():
    assert "this" == "that"

def test_last():
    pass
"""


def test_a_failure_is_told_at_once_and_recorded_with_the_phase_that_failed(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS.replace("FEATURE", "94"), "utf-8")
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "installer.testing.recorder", "-p", "no:cacheprovider"]
    argv += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "test_some.py"]
    done = subprocess.run(
        argv,
        cwd=tmp_path,
        env={**os.environ, "ATOLL_TEST_RESULTS": str(tmp_path / "results.json"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    before_the_summary = done.stdout.partition("= ERRORS =")[0]
    assert "test_some.py::test_first failed in its setup:" in before_the_summary, done.stdout
    assert "ValueError: nothing is there" in before_the_summary
    assert "test_some.py::test_second failed in its call:" in before_the_summary
    report = Report.model_validate_json((tmp_path / "results.json").read_text("utf-8"))
    outcomes = {result.name.rpartition("::")[2]: result.outcome for result in report.results}
    assert outcomes == {"test_first": "failed", "test_second": "failed", "test_last": "passed"}
    said = {result.name.rpartition("::")[2]: result.said for result in report.results}
    assert "ValueError: nothing is there" in said["test_first"]
    assert "AssertionError" in said["test_second"]
    assert not said["test_last"]
    assert [proof.feature for result in report.results for proof in result.proofs] == [94]
