"""Promises whose tests need no lab: each is broken in a copy of this tree, and its test turns red."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.sabotage.table import ROOT, Entry, entries
from tests.sabotage.trees import Outcome, copy_files, no_complaint, run_tests, tracked, why_not_green, why_not_red

FAST = entries("fast")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copied = tmp_path_factory.mktemp("tree")
    copy_files(ROOT, copied, tracked(ROOT))
    return copied


@pytest.fixture(scope="module")
def sound(tree: Path) -> Outcome:
    """All the tests, run before anything is broken."""
    return run_tests(tree, sys.executable, sorted({entry.test for entry in FAST}), 600, tidy=True)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("entry", FAST, ids=lambda entry: entry.name)
def test_the_test_turns_red_when_the_promise_is_broken(entry: Entry, tree: Path, sound: Outcome) -> None:
    no_complaint(why_not_green(entry, sound))
    try:
        entry.apply(tree)
        tested = run_tests(tree, sys.executable, [entry.test], 240, tidy=True)
    finally:
        copy_files(ROOT, tree, entry.touched())
    no_complaint(why_not_red(entry, tested))
