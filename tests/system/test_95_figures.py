"""Figures that were measured on the way are no worse than their baselines (tests/bench)."""

from __future__ import annotations

import pytest

from installer.testing.bench import figures, worse
from installer.testing.results import commit

# What the tests of this folder measure.
MEASURED = {
    "up_cached",
    "up_again",
    "apply_nothing",
    "apply_every_phase",
    "verify_every_phase",
    "verify",
    "tasks_every_phase",
    "tasks_first_install",
    "worker_added",
    "submit_to_log",
    "idle_memory",
}


def test_every_figure_was_measured_and_no_count_and_no_memory_is_worse_than_its_baseline(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Seconds are told here and judged by `./atoll bench`: what else the machine does is no mistake of a commit."""
    now = commit()
    assert {row["name"] for row in figures() if row["commit"] == now} >= MEASURED
    with capsys.disabled():
        for told in worse(now, units={"s"}):
            print(f"\nslower than its baseline allows: {told}")
    assert worse(now, units={"tasks", "bytes"}) == []
