"""Promises whose tests need no lab: each is broken in a copy of this tree, and its test turns red.

What was seen on a commit is kept in tests/results/sabotage, so that a part that ran out of time goes on where it was.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from installer.testing.results import commit
from installer.testing.trees import copy_files, tracked
from tests.sabotage.parts import SEEN, keep, refuse_when_late, seen_before
from tests.sabotage.table import ROOT, Entry, entries
from tests.sabotage.trees import Outcome, no_complaint, run_tests, why_not_green, why_not_red

FAST = entries("fast")
SUITE = "sabotage"
SOUND_S, ROW_S = 1500, 240


def record(entry: Entry) -> Path:
    return SEEN / f"{entry.name}.json"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copied = tmp_path_factory.mktemp("tree")
    copy_files(ROOT, copied, tracked(ROOT))
    return copied


@pytest.fixture(scope="module")
def sound(tree: Path, request: pytest.FixtureRequest) -> Outcome:
    """The tests of all that was chosen (`-k`) and not seen yet, run before anything is broken."""
    now = commit()
    chosen = [item.callspec.params["entry"] for item in request.session.items if hasattr(item, "callspec")]
    rows = [entry for entry in chosen if isinstance(entry, Entry)]
    left = {entry.test for entry in rows if not seen_before(record(entry), entry.digest, now)}
    return run_tests(tree, sys.executable, sorted(left), SOUND_S, tidy=True)


@pytest.mark.timeout(SOUND_S + 2 * ROW_S)
@pytest.mark.parametrize("entry", FAST, ids=lambda entry: entry.name)
def test_the_test_turns_red_when_the_promise_is_broken(entry: Entry, request: pytest.FixtureRequest) -> None:
    now = commit()
    if seen_before(record(entry), entry.digest, now):
        return
    refuse_when_late(SUITE, ROW_S / 60)
    tree: Path = request.getfixturevalue("tree")
    no_complaint(why_not_green(entry, request.getfixturevalue("sound")))
    began = time.monotonic()
    try:
        entry.apply(tree)
        tested = run_tests(tree, sys.executable, [entry.test], ROW_S, tidy=True)
    finally:
        copy_files(ROOT, tree, entry.touched())
    no_complaint(why_not_red(entry, tested))
    keep(record(entry), entry.digest, now, time.monotonic() - began)
