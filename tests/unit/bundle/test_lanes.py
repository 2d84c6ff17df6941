"""What is built at the same time. Needs nothing."""

import threading
from pathlib import Path
from typing import Any

import pytest

from installer.bundle.lanes import make_all, startable
from installer.bundle.steps import Step


def step(name: str, *needs: str) -> Step:
    def make(_needed: object, _into: Path, _facts: dict[str, Any], _report: object) -> None: ...

    return Step(name, lambda: None, make, needs)


ONE, TWO = step("program/amd64/one"), step("program/amd64/two")
LAYER, ABOVE = step("layer/amd64/base"), step("layer/amd64/one", "layer/amd64/base", "program/amd64/one")
MANIFEST = step("manifest/one", "program/amd64/one")


def test_beside_a_compiler_a_layer_is_made_and_no_second_compiler() -> None:
    waiting = [TWO, MANIFEST, LAYER]
    assert startable(waiting, {s.name for s in (*waiting, ONE)}, [ONE]) is LAYER
    assert startable([TWO], {TWO.name, ONE.name}, [ONE]) is None


def test_nothing_begins_before_what_it_needs_has_ended() -> None:
    assert startable([ABOVE], {ABOVE.name, LAYER.name}, [LAYER]) is None
    assert startable([ABOVE], {ABOVE.name}, []) is ABOVE


def test_no_more_than_two_steps_run_at_once() -> None:
    assert startable([LAYER], {LAYER.name}, [ONE, step("portal")]) is None


def test_everything_is_made_once_in_an_order_that_fits_and_a_layer_beside_a_program() -> None:
    made: list[str] = []
    both = threading.Barrier(2, timeout=10)

    def make(what: Step) -> None:
        if what in (ONE, LAYER):
            both.wait()  # fails unless both are at work at the same time
        made.append(what.name)

    make_all([ONE, TWO, LAYER, ABOVE, MANIFEST], make)
    assert sorted(made) == sorted(s.name for s in (ONE, TWO, LAYER, ABOVE, MANIFEST))
    assert made.index(ABOVE.name) > max(made.index(ONE.name), made.index(LAYER.name))


def test_steps_that_need_each_other_are_told_instead_of_waited_for() -> None:
    with pytest.raises(ValueError, match="layer/amd64/a, layer/amd64/b"):
        make_all([step("layer/amd64/a", "layer/amd64/b"), step("layer/amd64/b", "layer/amd64/a")], lambda _: None)


def test_the_first_error_is_raised_and_nothing_new_begins() -> None:
    made: list[str] = []

    def make(what: Step) -> None:
        if what is LAYER:
            raise ValueError("the disk is full")
        made.append(what.name)

    with pytest.raises(ValueError, match="the disk is full"):
        make_all([LAYER, ABOVE], make)
    assert made == []
