"""The rule of admission: quotas, nodes, groups of NPU cards. Needs nothing."""

from dataclasses import replace
from decimal import Decimal

import pytest
from atoll.devices.types import DeviceType, choose
from atoll.engines.admission import Amount, Ask, NodeState, Obstacle, Placement, Share, Snapshot, decide
from atoll.engines.base import UserShare
from hypothesis import given
from hypothesis import strategies as st

from installer.cluster import DEVICE_TYPES

GPU, NPU = (DeviceType(**DEVICE_TYPES[name].row()) for name in ("nvidia_gpu_amd64", "huawei_npu_arm64"))


def node(name: str, row: DeviceType, free: set[int], total: int = 8, cpu: int = 100) -> NodeState:
    return NodeState(name, row.arch, {row.type: frozenset(free)}, {row.type: total}, Decimal(cpu), Decimal(1 << 40))


def ask(row: DeviceType, devices: int, nodes: int = 1, user: str = "ada", cpu: int = 1) -> Ask:
    return Ask("vc", user, row.type, devices, nodes, Decimal(cpu), Decimal(1 << 20), row.arch, row.group)


PLENTY = Share(100, 100)


def snapshot(*nodes: NodeState, share: Share = PLENTY, held: dict[str, int] | None = None) -> Snapshot:
    device_type = next(iter(nodes[0].total))
    return Snapshot(
        nodes=nodes,
        shares={("vc", device_type): share},
        held={("vc", device_type, user): count for user, count in (held or {}).items()},
    )


@given(st.frozensets(st.integers(0, 7)), st.sampled_from([1, 2, 4]))
def test_npu_cards_of_a_task_never_cross_groups(free: frozenset[int], count: int) -> None:
    chosen = choose(free, count, NPU.group)
    groups = [{index for index in free if index // 4 == group} for group in (0, 1)]
    if chosen is None:
        assert all(len(group) < count for group in groups)
    else:
        assert set(chosen) <= free
        assert len(set(chosen)) == count
        assert len({index // 4 for index in chosen}) == 1


@given(st.frozensets(st.integers(0, 7)), st.integers(0, 8))
def test_gpus_need_only_be_free(free: frozenset[int], count: int) -> None:
    chosen = choose(free, count, GPU.group)
    assert (chosen is None) == (count > len(free))


def test_the_fuller_group_is_used_first() -> None:
    assert choose(frozenset({0, 1, 2, 3, 6, 7}), 2, NPU.group) == (6, 7)


def test_a_distributed_npu_task_takes_whole_nodes() -> None:
    whole = set(range(8))
    verdict = decide(snapshot(node("a", NPU, whole), node("b", NPU, whole)), ask(NPU, 8, nodes=2))
    assert isinstance(verdict, Placement)
    assert [place for place, _ in verdict.replicas] == ["a", "b"]
    too_many = decide(snapshot(node("a", NPU, whole), node("b", NPU, whole)), ask(NPU, 8, nodes=3))
    assert isinstance(too_many, Obstacle)
    assert too_many.forever


def test_a_user_may_not_hold_more_than_the_limit() -> None:
    free = snapshot(node("a", GPU, set(range(8))), share=Share(8, 4), held={"ada": 3})
    verdict = decide(free, ask(GPU, 2))
    assert isinstance(verdict, Obstacle)
    assert (verdict.reason.code, verdict.forever) == ("user_limit_reached", False)
    assert isinstance(decide(free, ask(GPU, 2, user="bob")), Placement)


def test_a_full_virtual_cluster_makes_wait_although_nodes_are_free() -> None:
    verdict = decide(snapshot(node("a", GPU, set(range(8))), share=Share(4, 4), held={"bob": 4}), ask(GPU, 1))
    assert isinstance(verdict, Obstacle)
    assert verdict.reason.params == {"needed": 1, "free": 0, "total": 4, "virtual_cluster": "vc"}


def test_what_others_leave_idle_is_had_by_who_borrows_and_no_more_than_that() -> None:
    borrowing = Share(4, 4, lent=2)
    full = snapshot(node("a", GPU, set(range(8))), share=borrowing, held={"bob": 4})
    assert isinstance(decide(full, ask(GPU, 2)), Placement), "idle devices of others are not had"
    verdict = decide(full, ask(GPU, 3))
    assert isinstance(verdict, Obstacle)
    assert verdict.reason.code == "devices_in_use"
    assert verdict.reason.params == {"needed": 3, "free": 2, "total": 4, "virtual_cluster": "vc"}


def test_who_borrows_is_one_user_all_the_same() -> None:
    verdict = decide(snapshot(node("a", GPU, set(range(8))), share=Share(4, 4, lent=4), held={"ada": 4}), ask(GPU, 1))
    assert isinstance(verdict, Obstacle), "by borrowing a user holds more than one may"
    assert verdict.reason.code == "user_limit_reached"


def test_who_may_hold_all_of_a_virtual_cluster_waits_for_its_devices_not_for_a_limit_of_their_own() -> None:
    verdict = decide(snapshot(node("a", GPU, set(range(8))), share=Share(4, 4), held={"ada": 4}), ask(GPU, 1))
    assert isinstance(verdict, Obstacle)
    assert verdict.reason.code == "devices_in_use", "a limit is told that is none"


def test_a_node_with_free_devices_of_the_type_is_picked_the_fullest_first() -> None:
    verdict = decide(snapshot(node("a", GPU, set(range(8))), node("b", GPU, {1, 5})), ask(GPU, 2))
    assert verdict == Placement((("b", (1, 5)),))


def test_replicas_of_a_distributed_task_never_share_a_node() -> None:
    verdict = decide(snapshot(node("a", GPU, set(range(8)))), ask(GPU, 0, nodes=2))
    assert isinstance(verdict, Obstacle)


def test_cpu_is_counted_too() -> None:
    verdict = decide(snapshot(node("a", GPU, {0}, cpu=1)), ask(GPU, 1, cpu=2))
    assert isinstance(verdict, Obstacle)
    assert verdict.reason.code == "no_node_has_room"


def test_memory_is_counted_too() -> None:
    small = replace(node("a", GPU, {0}), memory_bytes_free=Decimal((1 << 20) - 1))
    verdict = decide(snapshot(small), ask(GPU, 1))
    assert isinstance(verdict, Obstacle), "a node without the memory takes the task"
    assert (verdict.reason.code, verdict.forever) == ("no_node_has_room", False)
    enough = decide(snapshot(replace(small, memory_bytes_free=Decimal(1 << 20))), ask(GPU, 1))
    assert isinstance(enough, Placement)


@pytest.mark.parametrize(("resource", "cpu", "memory"), [("cpu", 3, 8), ("memory", 4, 3)])
def test_tasks_of_one_user_leave_cpu_and_memory_to_others(resource: str, cpu: int, memory: int) -> None:
    taken = Amount(Decimal(2), Decimal(2 << 30))
    most = Amount(Decimal(cpu), Decimal(memory << 30))
    here = replace(snapshot(node("a", GPU, {0, 1}), node("b", GPU, {0, 1})), user_most={"vc": most})
    two = Ask("vc", "ada", None, 0, 2, Decimal(1), Decimal(1 << 30))
    assert isinstance(decide(here, two), Placement)
    full = decide(replace(here, reserved={("vc", "ada"): taken}), two)
    assert isinstance(full, Obstacle), "the share of one user is not counted"
    assert (full.reason.code, full.forever) == ("user_share_used_up", False)
    assert full.reason.params == {
        "resource": resource,
        "needed": {"cpu": "2", "memory": "2Gi"}[resource],
        "held": {"cpu": "2", "memory": "2Gi"}[resource],
        "most": {"cpu": "3", "memory": "3Gi"}[resource],
    }
    assert isinstance(decide(replace(here, reserved={("vc", "bob"): taken}), two), Placement)
    assert isinstance(
        decide(replace(here, reserved={("vc", "ada"): taken}), replace(two, virtual_cluster="x")), Placement
    )


def test_a_task_that_is_more_than_the_share_of_a_user_would_never_start() -> None:
    here = snapshot(node("a", GPU, {0, 1}), node("b", GPU, {0, 1}))
    most = Amount(Decimal(1), Decimal(8 << 30))
    two = Ask("vc", "ada", None, 0, 2, Decimal(1), Decimal(1 << 30))
    refused = decide(replace(here, user_most={"vc": most}), two)
    assert isinstance(refused, Obstacle)
    assert (refused.reason.code, refused.forever) == ("more_than_user_share", True)
    assert refused.mistake is not None
    assert refused.mistake.params == {"resource": "cpu", "most": "1"}


def test_one_user_may_always_have_a_usual_task_on_each_machine_but_never_more_than_there_is() -> None:
    share = UserShare(percent=50, usual_cpu="2", usual_memory="1Gi")
    assert share.of(Decimal(64), Decimal(64 << 30), 4) == (Decimal(32), Decimal(32 << 30))
    assert share.of(Decimal(12), Decimal(6 << 30), 4) == (Decimal(8), Decimal(4 << 30))
    assert share.of(Decimal(6), Decimal(2 << 30), 4) == (Decimal(6), Decimal(2 << 30))


def test_a_task_that_needs_a_node_which_is_being_restarted_waits() -> None:
    restarting = replace(node("a", GPU, set(range(8))), ready=False)
    verdict = decide(snapshot(restarting), ask(GPU, 1))
    assert isinstance(verdict, Obstacle)
    assert (verdict.reason.code, verdict.forever) == ("no_node_has_room", False)
    elsewhere = decide(snapshot(restarting, node("b", GPU, {3})), ask(GPU, 1))
    assert elsewhere == Placement((("b", (3,)),))
    too_many = decide(snapshot(restarting), ask(GPU, 1, nodes=2))
    assert isinstance(too_many, Obstacle)
    assert too_many.forever


def test_without_a_device_type_any_machine_will_do_unless_an_architecture_is_asked_for() -> None:
    machines = Snapshot(
        nodes=[
            NodeState(name, arch, {}, {}, Decimal(4), Decimal(1 << 30))
            for name, arch in (("a", "arm64"), ("b", "amd64"))
        ],
        shares={},
    )
    plain = Ask("vc", "ada", None, 0, 1, Decimal(1), Decimal(1 << 20))
    assert decide(machines, plain) == Placement((("a", ()),))
    assert decide(machines, replace(plain, arch="amd64")) == Placement((("b", ()),))
    assert decide(machines, replace(plain, nodes=2)) == Placement((("a", ()), ("b", ())))
    never = decide(machines, replace(plain, nodes=3))
    assert isinstance(never, Obstacle)
    assert (never.reason.code, never.forever) == ("not_enough_nodes", True)
    full = decide(machines, replace(plain, cpu_cores=Decimal(5)))
    assert isinstance(full, Obstacle)
    assert (full.reason.code, full.forever) == ("no_node_has_cpu_and_memory", False)
