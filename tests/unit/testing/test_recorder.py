"""What the plugin of all suites records, and says at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from installer.testing.results import ROOT, Report, Result

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


# As a plugin that retries does: the test named `again` runs once more.
TWICE = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for _ in range(2 if "again" in item.name else 1):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        runtestprotocol(item, nextitem=nextitem)
    return True
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
    assert [proof.feature for result in report.results for proof in result.proofs] == ["94"]


def recorded(tmp_path: Path, text: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Result]]:
    """Run a file of tests; return how it ended and what was recorded, by the last part of the tests' names."""
    (tmp_path / "test_some.py").write_text(text, "utf-8")
    (tmp_path / "twice.py").write_text(TWICE, "utf-8")
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "installer.testing.recorder", "-p", "no:cacheprovider"]
    argv += ["-p", "twice", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "test_some.py"]
    told = tmp_path / "results.json"
    places = {"ATOLL_TEST_RESULTS": str(told), "PYTHONPATH": f"{ROOT}:{tmp_path}"}
    done = subprocess.run(
        argv, cwd=tmp_path, env={**os.environ, **places}, capture_output=True, text=True, timeout=60, check=False
    )
    results = Report.model_validate_json(told.read_text("utf-8")).results if told.exists() else []
    return done, {result.name.rpartition("::")[2]: result for result in results}


def test_a_test_that_ran_twice_is_recorded_as_retried(tmp_path: Path) -> None:
    _, found = recorded(tmp_path, "def test_again(): ...\ndef test_once(): ...\n")
    assert {name: result.retried for name, result in found.items()} == {"test_again": True, "test_once": False}
    assert {result.outcome for result in found.values()} == {"passed"}


def test_a_file_that_skips_itself_is_recorded_as_skipped(tmp_path: Path) -> None:
    _, found = recorded(tmp_path, "import pytest\npytest.importorskip('no_such_module')\ndef test_one(): ...\n")
    assert {name: result.outcome for name, result in found.items()} == {"test_some.py": "skipped"}


@pytest.mark.parametrize(
    ("mark", "told"),
    [
        ("30", "feature 30 has clauses: name what the test drives of 30a, 30b"),
        ("'308'", "there is no feature 308"),
        ("94, on='protocol server'", "`protocol server` is none of real, simulated, protocol, local"),
    ],
)
def test_a_wrong_mark_ends_the_run(tmp_path: Path, mark: str, told: str) -> None:
    done, found = recorded(tmp_path, f"import pytest\n@pytest.mark.feature({mark})\ndef test_one(): ...\n")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert told in done.stderr + done.stdout
    assert {result.outcome for result in found.values()} <= {"skipped"}
