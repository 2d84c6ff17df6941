"""The table of sabotage: every line of the issue is broken, every patch still fits, every test is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sabotage.table import LINES, PATCHES, ROOT, Entry, apply_patch, entries
from tests.sabotage.trees import Case, Outcome, why_not_green, why_not_red

TABLE = entries()


def test_every_line_of_the_issue_is_broken_at_least_once() -> None:
    assert {entry.line for entry in TABLE} == set(LINES)


def test_each_patch_stands_in_the_table_once() -> None:
    assert sorted(entry.file.name for entry in TABLE) == sorted(path.name for path in PATCHES.iterdir())


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.patch)
def test_the_patch_fits_and_its_test_is_there(entry: Entry) -> None:
    apply_patch(entry, ROOT, "--check")
    assert f"def {entry.function}(" in (ROOT / entry.module).read_text("utf-8")
    assert entry.kind == "lab" or not (entry.deploy or entry.leaves)
    assert all(Path(ROOT, name).is_file() for name in entry.touched())


ENTRY = Entry(1, "p", "nothing changes", "fast", "tests/test_a.py", "test_it", "changed")


def ran(*cases: Case, code: int = 1) -> Outcome:
    return Outcome(code, list(cases), "what pytest said")


@pytest.mark.parametrize(
    ("outcome", "complaint"),
    [
        (ran(Case("test_it[a]"), Case("test_it[b]", failed="assert changed")), ""),
        (ran(Case("test_it", failed="Failed: changed: not within 3 s")), ""),
        (ran(Case("test_it"), code=0), "stays green"),
        (ran(Case("test_it"), Case("test_other", failed="assert changed")), "stays green"),
        (ran(Case("test_it", failed="assert 1 == 2")), "does not say"),
        (ran(Case("test_it", failed="ImportError: changed")), "by no assertion"),
        (ran(Case("test_it", broken="failed on setup: changed")), "could not be run"),
        (ran(code=2), "could not be run (exit code 2)"),
    ],
)
def test_red_is_an_assertion_about_the_promise(outcome: Outcome, complaint: str) -> None:
    found = why_not_red(ENTRY, outcome)
    assert complaint in found
    assert bool(found) == bool(complaint)


def test_a_test_that_is_skipped_or_missing_is_not_green() -> None:
    assert not why_not_green(ENTRY, ran(Case("test_it"), code=0))
    assert why_not_green(ENTRY, ran(Case("test_it", skipped=True), code=0))
    assert why_not_green(ENTRY, ran(code=5))
