"""A suite of sabotage that ran out of its hour goes on where it was."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, cast

import pytest

from installer.testing.suites import SUITES
from tests.sabotage import parts, test_fast
from tests.sabotage.parts import PART_S, keep, refuse_when_late, seen_before

COMMIT = "0123456789" * 4


def test_what_was_seen_counts_for_its_row_and_its_commit_alone(tmp_path: Path) -> None:
    record = tmp_path / "sabotage" / "a_row.json"
    assert not seen_before(record, "digest", COMMIT)
    keep(record, "digest", COMMIT, 1.0)
    assert seen_before(record, "digest", COMMIT)
    assert not seen_before(record, "another", COMMIT)
    assert not seen_before(record, "digest", COMMIT[::-1])
    keep(record, "digest", f"{COMMIT}+", 1.0)
    assert not seen_before(record, "digest", f"{COMMIT}+"), "a changed tree may be changed again"


def test_a_row_that_was_seen_red_is_not_broken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry, other = test_fast.FAST[:2]
    monkeypatch.setattr(test_fast, "SEEN", tmp_path)
    monkeypatch.setattr(test_fast, "commit", lambda: COMMIT)
    monkeypatch.setattr(parts, "BEGAN", time.monotonic() - PART_S)
    keep(tmp_path / f"{entry.name}.json", entry.digest, COMMIT, 1.0)
    nothing = cast(Any, None)  # neither a tree nor a sound run is made
    test_fast.test_the_test_turns_red_when_the_promise_is_broken(entry, nothing)
    with pytest.raises(pytest.fail.Exception, match="test sabotage` again, it goes on from here"):
        test_fast.test_the_test_turns_red_when_the_promise_is_broken(other, nothing)


def test_a_part_ends_by_itself_before_its_suite_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [suite.time_limit_s for suite in SUITES if suite.name.startswith("sabotage")]
    assert limits == [3600, 3600]
    assert min(limits) > PART_S
    assert test_fast.SOUND_S + test_fast.ROW_S < PART_S
    monkeypatch.setattr(parts, "BEGAN", time.monotonic())
    refuse_when_late("sabotage", 3)
