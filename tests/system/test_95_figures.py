"""Figures that were measured on the way are no worse than their baselines (tests/bench)."""

from __future__ import annotations

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


def test_every_figure_of_the_cluster_was_measured_and_none_is_worse_than_its_baseline() -> None:
    now = commit()
    assert {row["name"] for row in figures() if row["commit"] == now} >= MEASURED
    assert worse(now) == []
