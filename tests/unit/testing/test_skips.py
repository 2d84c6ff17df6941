"""A skip that the table of suites has no reason for fails its suite."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from installer.testing import runner
from installer.testing.results import ROOT, Outcome, Report, Result
from installer.testing.suites import SUITES, Command, Skip, Suite

# Leaves what a suite's tests leave: one that passed, and one that was skipped.
LEAVES = """
import os, pathlib, sys
pathlib.Path(os.environ["ATOLL_TEST_RESULTS"]).write_text(sys.argv[1], "utf-8")
"""
SKIPS = [(suite.name, skip) for suite in SUITES for skip in suite.may_skip]


def suite(*may_skip: Skip, outcome: Outcome = "skipped") -> Suite:
    results = [Result(name="t.py::fine", outcome="passed"), Result(name="t.py::test[a]", outcome=outcome)]
    left = Report(suite="s", commit="c", at="", results=results).model_dump_json()
    command = Command("python", (sys.executable, "-c", LEAVES, left.replace("{", "{{").replace("}", "}}")))
    return Suite("s", "s", "nothing", "fast", (command,), 30, may_skip=may_skip)


@pytest.fixture(autouse=True)
def _results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "DIRECTORY", tmp_path)


def reasons(wanted: Suite) -> list[str]:
    return [end.reason for end in runner.run((wanted,), Path("/")) if end.reason]


def test_a_skip_without_a_reason_fails_its_suite_and_is_named() -> None:
    assert reasons(suite()) == ["skipped, and suites.py has no reason for it: t.py::test[a]"]
    assert reasons(suite(Skip("t.py::te", "another test"))) != []
    assert reasons(suite(outcome="passed")) == []


def test_the_failure_is_in_the_closing_lines() -> None:
    (told,) = [end for end in runner.run((suite(),), Path("/")) if end.reason]
    report = Report(suite="s", commit="", at="", results=[Result(name="t.py::test[a]", outcome="skipped")])
    assert "failed      0.0 s     0.0 s of a core  s: skips  (skipped, and" in runner.closing([told], [report])
    assert runner.closing([told], [report]).endswith("0 passed, 1 failed, 1 skipped")


@pytest.mark.parametrize("named", ["t.py::test", "t.py::test[a]", "t.py"])
def test_a_skip_with_a_reason_does_not(named: str) -> None:
    assert reasons(suite(Skip(named, "why"))) == []


def test_where_root_runs_the_tests_that_need_root_are_not_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    needs_root = suite(Skip("t.py", "it mounts", without_root=True))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert reasons(needs_root) == []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert len(reasons(needs_root)) == 1


@pytest.mark.parametrize(("suite_name", "skip"), SKIPS, ids=lambda each: getattr(each, "test", each))
def test_the_table_names_tests_that_are_there_and_may_skip(suite_name: str, skip: Skip) -> None:
    file, _, test = skip.test.partition("::")
    text = (ROOT / file).read_text("utf-8")
    assert len(skip.reason.split()) > 1, suite_name
    assert not test or re.search(rf"def {test}\(", text)
    assert re.search(r"skip|mark\.needs", text), f"nothing in {file} is ever skipped"
    (runs,) = [each for each in SUITES if each.name == suite_name]
    assert any(file.startswith(part) for command in runs.commands for part in command.argv if part.startswith("tests/"))


def test_no_test_of_the_portal_is_left_out() -> None:
    """Vitest is one check to the runner: it would not hear of a skip in it."""
    portal = ROOT / "platform" / "portal"
    texts = [path for folder in ("src", "tests") for path in (portal / folder).rglob("*.ts*")]
    assert len(texts) > 100
    left_out = re.compile(r"\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|only)\b")
    assert [str(path) for path in texts if left_out.search(path.read_text("utf-8"))] == []


def test_whatever_only_root_can_do_may_be_skipped_without_it() -> None:
    """Else `./atoll test --fast` of somebody who is not root is red for that."""
    needing = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "tests/unit").rglob("test_*.py")
        if re.search(r"^[^'\"#]*skipif\(os\.geteuid\(\)", file.read_text("utf-8"), re.MULTILINE)
    }
    assert needing, "this test knows the words no more"
    named = {skip.test.partition("::")[0] for _, skip in SKIPS if skip.without_root}
    assert needing - named == set()
