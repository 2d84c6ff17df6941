"""The judge of `tests/apiserver/test_quota.py` sees whoever holds more than was granted then, and nobody else."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.apiserver.shares import SLACK_S, Grant, Held, Holding, Ledger, Watcher, beyond, of_workload

GPU, NPU = "nvidia.com/gpu", "huawei.com/Ascend910"
T0 = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
OWNER = {"ownerReferences": [{"name": "t-1"}]}


def moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def workload(uid: str, queue: str, devices: int, at: float = T0, pods: int = 1, **conditions: str) -> dict[str, Any]:
    """One that has been given what it asked for, unless its conditions say otherwise."""
    told = {"QuotaReserved": "True", "Admitted": "True"} | conditions
    return {
        "metadata": {"uid": uid, "namespace": queue.partition("--")[0], **OWNER},
        "status": {
            "admission": {
                "clusterQueue": queue,
                "podSetAssignments": [
                    {"name": "task", "count": pods, "resourceUsage": {"cpu": "2", GPU: str(devices * pods)}}
                ],
            },
            "conditions": [
                {"type": kind, "status": status, "lastTransitionTime": moment(at)} for kind, status in told.items()
            ],
        },
    }


def test_a_workload_holds_what_it_was_given_until_it_ends_or_gives_it_back() -> None:
    assert of_workload(workload("1", "vc-lab--ada", 2)) == Holding("lab", "ada", {GPU: 2}, "t-1")
    assert of_workload(workload("1", "vc-a-b-c--ada", 2, pods=3)) == Holding("a-b-c", "ada", {GPU: 6}, "t-1")
    assert of_workload(workload("1", "vc-lab--ada", 2, Finished="True")) is None
    assert of_workload(workload("1", "vc-lab--ada", 2, QuotaReserved="False")) is None
    assert of_workload(workload("1", "other", 2)) is None
    assert of_workload({"metadata": {"uid": "1"}, "status": {"conditions": []}}) is None
    # Of an evicted one the pods are ending, and it has all that it had until they are gone.
    assert of_workload(workload("1", "vc-lab--ada", 2, Evicted="True")) == Holding("lab", "ada", {GPU: 2}, "t-1")
    half = workload("1", "vc-lab--ada", 2, pods=2)
    half["status"]["reclaimablePods"] = [{"name": "task", "count": 1}]
    assert of_workload(half) == Holding("lab", "ada", {GPU: 2}, "t-1")


def seen(grants: dict[str, Grant], *holdings: Holding, at: float = T0) -> list[str]:
    ledger, held = Ledger(), Held()
    for name, grant in grants.items():
        ledger.note(name, grant, 0)
    for number, holding in enumerate(holdings):
        held.become(str(number), holding)
    return beyond(held, ledger, at, {GPU, NPU})


LAB, ZOO = Grant({GPU: 4}, {GPU: 3}), Grant({GPU: 2, NPU: 8}, {GPU: 2, NPU: 8})


@pytest.mark.parametrize(
    ("holdings", "told"),
    [
        ([Holding("lab", "ada", {GPU: 3}), Holding("lab", "bob", {GPU: 1})], []),
        ([Holding("lab", "ada", {GPU: 2}), Holding("lab", "ada", {GPU: 2})], ["ada holds 4"]),
        ([Holding("lab", "ada", {GPU: 3}), Holding("lab", "bob", {GPU: 2})], ["lab holds 5"]),
        ([Holding("lab", "ada", {NPU: 1})], ["ada holds 1", "lab holds 1"]),
        ([Holding("gone", "ada", {GPU: 1})], ["ada holds 1", "gone holds 1"]),
        ([Holding("lab", "ada", {GPU: 3}), Holding("zoo", "ada", {GPU: 2, NPU: 8})], []),
    ],
)
def test_who_holds_more_than_a_share_is_seen(holdings: list[Holding], told: list[str]) -> None:
    found = seen({"lab": LAB, "zoo": ZOO}, *holdings)
    assert [each for each in found if each.startswith(tuple(told))] == found
    assert len(found) == len(told), found


def test_who_borrows_may_have_what_is_idle_and_no_more_than_there_is() -> None:
    borrowing = Grant({GPU: 2}, {GPU: 2}, borrows=True)
    grants = {"lab": LAB, "borrower": borrowing}
    four = [Holding("borrower", user, {GPU: 2}) for user in ("ada", "bob")]
    assert seen(grants, *four, Holding("lab", "cy", {GPU: 2})) == []
    told = seen(grants, *four, Holding("lab", "cy", {GPU: 3}))
    assert told == [f"all together hold 7 {GPU}, and 6 are granted"]
    assert seen(grants, Holding("borrower", "ada", {GPU: 3}))[0].startswith("ada holds 3"), "one user's most is lent"


def test_an_edit_holds_from_when_it_is_asked_for_and_what_was_before_until_it_is_taken() -> None:
    ledger, held = Ledger(), Held()
    ledger.note("lab", Grant({GPU: 4}, {GPU: 4}), T0 - 100)
    held.become("1", Holding("lab", "ada", {GPU: 4}))
    ledger.note("lab", Grant({GPU: 2}, {GPU: 2}), T0 - 50)
    assert beyond(held, ledger, T0 + 1000, {GPU}) == []
    ledger.settle("lab", T0)
    assert beyond(held, ledger, T0 + SLACK_S, {GPU}) == []
    assert beyond(held, ledger, T0 + SLACK_S + 1, {GPU}) != []
    ledger.note("lab", Grant({GPU: 6}, {GPU: 6}), T0 + 50)
    ledger.settle("lab", T0 + 60)
    held.become("1", Holding("lab", "ada", {GPU: 6}))
    assert beyond(held, ledger, T0 + 50 - SLACK_S - 1, {GPU}) != []
    assert beyond(held, ledger, T0 + 50 - SLACK_S, {GPU}) == []
    assert (ledger.now("lab").devices, ledger.clusters) == ({GPU: 6}, ["lab"])


def test_what_is_lent_while_less_is_granted_stays_lent_and_no_more_is() -> None:
    ledger, held = Ledger(), Held()
    ledger.note("owner", Grant({NPU: 4}, {NPU: 4}), 0)
    ledger.note("borrower", Grant({GPU: 4}, {GPU: 4, NPU: 4}, borrows=True), 0)
    assert held.become("1", Holding("borrower", "ada", {NPU: 4})) == {NPU}
    ledger.note("owner", Grant({NPU: 3}, {NPU: 3}), T0)
    ledger.settle("owner", T0)
    later = T0 + SLACK_S + 1
    grown = held.become("2", Holding("borrower", "bob", {GPU: 1}))
    assert (grown, beyond(held, ledger, later, grown)) == ({GPU}, [])
    grown = held.become("3", Holding("borrower", "bob", {NPU: 1}))
    assert beyond(held, ledger, later, grown) == [f"all together hold 5 {NPU}, and 3 are granted"]
    assert held.become("3", Holding("borrower", "bob", {NPU: 1, GPU: 1})) == {GPU}
    assert held.become("3", None) == set()


def test_the_watcher_judges_what_grows_and_by_the_time_at_which_it_did() -> None:
    ledger = Ledger()
    ledger.note("lab", Grant({GPU: 4}, {GPU: 4}), 0)
    watcher = Watcher(ledger)
    watcher.see("ADDED", workload("1", "vc-lab--ada", 4))
    assert (watcher.beyond, watcher.held.jobs) == ([], {"t-1"})
    watcher.see("MODIFIED", workload("2", "vc-lab--bob", 1))
    assert watcher.beyond == [
        f"lab holds 5 {GPU}, and has 4",
        f"all together hold 5 {GPU}, and 4 are granted",
    ]
    watcher.see("DELETED", workload("1", "vc-lab--ada", 4))
    watcher.see("MODIFIED", workload("2", "vc-lab--bob", 1, Preempted="True"))
    watcher.see("MODIFIED", workload("2", "vc-lab--bob", 1, Finished="True"))
    assert len(watcher.beyond) == 2, "what does not grow is judged again"
    assert watcher.held.jobs == set()
    assert watcher.held.most["lab", GPU] == 5
    assert (watcher.admitted, [*watcher.interrupted]) == ({"1", "2"}, ["2"])
