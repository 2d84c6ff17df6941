"""Devices of the machines against what is granted of them. Needs nothing."""

from __future__ import annotations

import pytest
from atoll.engines.base import NodeObservation
from atoll.tasks.usage import counted
from atoll.virtual_clusters.capacity import Detected, capacity, overcommitted

from tests.unit.platform.rows import GPU, NPU, a_node


def a_machine(state: str, takes_tasks: bool, *roles: str) -> NodeObservation:
    found = a_node("one", state, total=4)
    return found.model_copy(update={"takes_tasks": takes_tasks, "roles": roles or ("worker",)})


@pytest.mark.parametrize(
    ("machine", "seen"),
    [
        (a_machine("ready", True), Detected(4, 0)),
        (a_machine("cordoned", False), Detected(4, 4)),
        (a_machine("not_ready", True), Detected(4, 4)),
        (a_machine("unknown", True), Detected(4, 4)),
        (a_machine("not_ready", False), Detected(4, 4)),  # was cordoned, then went down
        (a_machine("ready", True, "master"), Detected(4, 0)),  # one that is for tasks, too
        (a_machine("ready", False), None),  # a worker that an administrator keeps for something else
        (a_machine("cordoned", False, "storage"), None),
        (a_machine("not_ready", False, "master", "storage"), None),
    ],
)
def test_machines_that_are_for_tasks_count_and_those_that_are_away_are_told_apart(
    machine: NodeObservation, seen: Detected | None
) -> None:
    assert counted([machine]) == ({} if seen is None else {GPU: seen})


def test_devices_of_one_type_add_up_over_machines() -> None:
    nodes = [
        a_node("a", total=4),
        a_node("b", "cordoned", total=2),
        a_node("c", total=8, kind=NPU),
        a_node("d", total=1),
    ]
    assert counted(nodes) == {GPU: Detected(7, 2), NPU: Detected(8, 0)}


def test_what_is_granted_is_taken_from_what_is_there_and_free_is_never_less_than_nothing() -> None:
    seen = {GPU: Detected(8, 2), NPU: Detected(8)}
    told = {each.type: each for each in capacity([GPU, NPU], seen, {GPU: 7, NPU: 3})}
    assert (told[GPU].total, told[GPU].away, told[GPU].given, told[GPU].free) == (8, 2, 7, 0)
    assert (told[NPU].total, told[NPU].away, told[NPU].given, told[NPU].free) == (8, 0, 3, 5)
    assert (told[GPU].overcommitted, told[NPU].overcommitted) == (True, False)


def test_all_that_is_there_may_be_granted_and_no_more() -> None:
    assert overcommitted({GPU: Detected(8, 2)}, {GPU: 6}) == frozenset()
    assert overcommitted({GPU: Detected(8, 2)}, {GPU: 7}) == {GPU}


def test_a_type_that_no_machine_has_any_more_or_not_yet_is_told_as_well() -> None:
    told = capacity([NPU], {}, {GPU: 1})
    assert [(each.type, each.total, each.free, each.overcommitted) for each in told] == [
        (NPU, 0, 0, False),
        (GPU, 0, 0, True),
    ]
