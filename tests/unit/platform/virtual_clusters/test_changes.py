"""What an edit of a virtual cluster may do while tasks are in it. Needs nothing."""

from __future__ import annotations

import pytest
from atoll.virtual_clusters.changes import Quota, Terms, edited, only_grows
from hypothesis import given
from hypothesis import strategies as st

BEFORE = Terms({"gpu": Quota(8, 4), "npu": Quota(8, 8)}, max_hours=24)


@pytest.mark.parametrize(
    ("after", "grows"),
    [
        (BEFORE, True),
        (Terms({"gpu": Quota(9, 4), "npu": Quota(8, 8)}, 24), True),
        (Terms({"gpu": Quota(8, 5), "npu": Quota(8, 8)}, 24), True),
        (Terms({"gpu": Quota(8, 4), "npu": Quota(8, 8)}, 25), True),
        (Terms({"gpu": Quota(8, 4), "npu": Quota(8, 8)}, None), True),
        (Terms({"gpu": Quota(8, 4), "npu": Quota(8, 8), "more": Quota(1, 0)}, 24), True),
        (Terms({"gpu": Quota(7, 4), "npu": Quota(8, 8)}, 24), False),
        (Terms({"gpu": Quota(8, 3), "npu": Quota(8, 8)}, 24), False),
        (Terms({"gpu": Quota(9, 3), "npu": Quota(8, 8)}, 24), False),
        (Terms({"gpu": Quota(7, 5), "npu": Quota(8, 8)}, 24), False),
        (Terms({"gpu": Quota(8, 4), "npu": Quota(8, 8)}, 23), False),
        (Terms({"gpu": Quota(8, 4)}, 24), False),
        (Terms({"gpu": Quota(80, 80), "npu": Quota(7, 7)}, None), False),
        (Terms(BEFORE.quotas, 24, borrows=True), True),
    ],
)
def test_more_of_anything_grows_and_less_of_one_thing_does_not(after: Terms, grows: bool) -> None:
    assert only_grows(BEFORE, after) is grows


def test_a_limit_of_hours_where_there_was_none_is_less() -> None:
    assert not only_grows(Terms({}, None), Terms({}, 87_600))
    assert only_grows(Terms({}, None), Terms({}, None))


def test_who_borrowed_and_does_no_more_has_less() -> None:
    borrowing = Terms(BEFORE.quotas, 24, borrows=True)
    assert only_grows(borrowing, borrowing)
    assert not only_grows(borrowing, BEFORE)
    assert not only_grows(borrowing, Terms({"gpu": Quota(80, 80), "npu": Quota(80, 80)}, None))


def test_what_an_edit_leaves_out_stays() -> None:
    assert edited(BEFORE, None, None, 24) == BEFORE
    borrowing = edited(BEFORE, None, None, 24, borrows=True)
    assert (borrowing.borrows, edited(borrowing, None, None, 24)) == (True, borrowing)
    assert edited(borrowing, None, None, 24, borrows=False) == BEFORE
    assert edited(BEFORE, None, {"npu": 2}, 24).quotas == {"gpu": Quota(8, 4), "npu": Quota(8, 2)}
    assert edited(BEFORE, None, None, None) == Terms(BEFORE.quotas, None)


def test_other_numbers_of_devices_are_all_that_there_are_and_keep_the_limits_within_them() -> None:
    after = edited(BEFORE, {"gpu": 2, "more": 3}, None, 24)
    assert after.quotas == {"gpu": Quota(2, 2), "more": Quota(3, 3)}
    assert edited(BEFORE, {"gpu": 16}, None, 24).quotas == {"gpu": Quota(16, 4)}
    assert edited(BEFORE, {"gpu": 16}, {"gpu": 12}, 24).quotas == {"gpu": Quota(16, 12)}


QUOTAS = st.dictionaries(
    st.sampled_from(["gpu", "npu", "more"]),
    st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda each: Quota(max(each), min(each))),
)
TERMS = st.builds(Terms, QUOTAS, st.none() | st.integers(1, 9), st.booleans())


@given(TERMS, TERMS, TERMS)
def test_growing_twice_is_growing_and_there_and_back_is_not_unless_nothing_changed(
    a: Terms, b: Terms, c: Terms
) -> None:
    assert only_grows(a, a)
    if only_grows(a, b) and only_grows(b, c):
        assert only_grows(a, c)
    if only_grows(a, b) and only_grows(b, a):
        assert a == b


@given(TERMS, st.none() | st.dictionaries(st.sampled_from(["gpu", "npu", "more"]), st.integers(0, 9)))
def test_without_limits_that_are_asked_for_nobody_may_hold_more_than_there_is(
    before: Terms, devices: dict[str, int] | None
) -> None:
    after = edited(before, devices, None, before.max_hours)
    assert all(quota.max_per_user <= quota.count for quota in after.quotas.values())
