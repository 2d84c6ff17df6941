"""How simulated cards are named and given out. Needs nothing."""

from __future__ import annotations

from atoll.accelerators.devices import Model, devices_of, environment, prefer
from hypothesis import given
from hypothesis import strategies as st

from installer.cluster import DEVICE_TYPES

GPU, NPU = (Model(**DEVICE_TYPES[name].pretended()) for name in ("nvidia_gpu_amd64", "huawei_npu_amd64"))


def test_ids_are_the_same_after_a_restart_and_differ_between_nodes() -> None:
    assert devices_of(GPU, "worker1", 8) == devices_of(GPU, "worker1", 8)
    assert not {d.id for d in devices_of(GPU, "worker1", 8)} & {d.id for d in devices_of(GPU, "worker2", 8)}


def test_a_container_sees_its_devices_as_the_vendor_names_them() -> None:
    gpus, npus = devices_of(GPU, "n", 2), devices_of(NPU, "n", 2)
    assert environment(GPU, gpus)["NVIDIA_VISIBLE_DEVICES"] == f"{gpus[0].id},{gpus[1].id}"
    assert environment(NPU, npus)["ASCEND_VISIBLE_DEVICES"] == "0,1"


def test_four_npus_come_from_one_group_although_lower_cards_are_free() -> None:
    cards = devices_of(NPU, "n", 8)
    chosen = prefer(NPU, [cards[i] for i in (2, 3, 4, 5, 6, 7)], [], 4)
    assert [card.index for card in chosen] == [4, 5, 6, 7]


def test_two_npus_take_the_fuller_group_and_leave_the_whole_one_free() -> None:
    cards = devices_of(NPU, "n", 8)
    chosen = prefer(NPU, [cards[i] for i in (0, 1, 2, 3, 6, 7)], [], 2)
    assert [card.index for card in chosen] == [6, 7]


@given(free=st.sets(st.integers(0, 7)), size=st.sampled_from([1, 2, 4]), data=st.data())
def test_npus_of_a_choice_share_a_group_whenever_one_group_has_enough(
    free: set[int], size: int, data: st.DataObject
) -> None:
    cards = devices_of(NPU, "n", 8)
    chosen = prefer(NPU, [cards[i] for i in free], [], size)
    assert len(chosen) == min(size, len(free))
    if any(sum(i // NPU.group == group for i in free) >= size for group in (0, 1)):
        assert len({card.index // NPU.group for card in chosen}) == 1


def test_required_devices_are_always_in_the_choice() -> None:
    cards = devices_of(NPU, "n", 8)
    chosen = prefer(NPU, cards, [cards[5]], 2)
    assert cards[5] in chosen
    assert {card.index // NPU.group for card in chosen} == {1}
