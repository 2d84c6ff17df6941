"""What the log says of who reads: no user's lines keep another's from it, and neither memory nor log is filled."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from installer.control import trail
from installer.control.trail import Trail


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """Return what was told since it was asked last."""
    caplog.set_level(logging.INFO)

    def messages() -> list[str]:
        found = [one.message for one in caplog.records if one.name == trail.__name__]
        caplog.clear()
        return found

    return messages


def test_who_reads_a_lot_keeps_nothing_from_being_told_of_others(told: Callable[[], list[str]]) -> None:
    kept = Trail(most=3)
    for number in range(9):
        kept.tell(f"mallory reads run {number}", "mallory")
        kept.refuse(f"refused: stranger{number}")
    told()
    kept.tell("ada reads the log of api", "ada")
    assert told() == ["ada reads the log of api"], "ada is not told of for the lines of others"


def test_what_is_left_out_of_a_user_is_told_once_with_how_much_it_was(
    told: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Trail(most=3)
    for _ in range(2):
        for number in range(9):
            kept.tell(f"mallory reads run {number}", "mallory")
    lines = [f"mallory reads run {number}" for number in range(3)]
    assert told() == [*lines, "`mallory`: 3 lines within 10 min, further ones are left out"]
    with monkeypatch.context() as later:
        later.setattr(trail, "AGAIN_S", 0.0)
        kept.tell("ada reads the log of api", "ada")
    assert told() == ["`mallory`: 12 further lines were left out", "ada reads the log of api"]
    kept.tell("mallory reads run 8", "mallory")
    assert told() == ["mallory reads run 8"]


def test_many_refused_callers_fill_neither_the_log_nor_the_budget_of_a_user(told: Callable[[], list[str]]) -> None:
    kept = Trail(most=3, users=2)
    for number in range(9):
        kept.refuse(f"refused: stranger{number}")
    lines = [f"refused: stranger{number}" for number in range(3)]
    assert told() == [*lines, f"{trail.REFUSED}: 3 lines within 10 min, further ones are left out"]


def test_so_many_users_are_remembered_and_all_others_share_a_budget(told: Callable[[], list[str]]) -> None:
    kept = Trail(most=3, users=2)
    for number in range(99):
        kept.tell(f"user{number} reads the log of api", f"user{number}")
    told_of = [f"user{number} reads the log of api" for number in range(5)]
    assert told() == [*told_of, f"{trail.OTHERS}: 3 lines within 10 min, further ones are left out"]
    # Who has a budget keeps it, and so does the one of refusals.
    kept.refuse("refused: stranger")
    kept.tell("user0 reads the log of jobs", "user0")
    assert told() == ["refused: stranger", "user0 reads the log of jobs"]
