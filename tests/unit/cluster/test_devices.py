"""The table of device types, and what the platform's own image must say in the same words."""

from __future__ import annotations

from atoll.accelerators.devices import MODELS, NPU_GROUP

from installer.cluster import DEVICE_TYPES


def test_simulated_devices_have_the_resource_names_of_the_table() -> None:
    assert {name: model.resource for name, model in MODELS.items()} == {
        name: device.resource for name, device in DEVICE_TYPES.items()
    }


def test_names_are_vendor_kind_and_architecture() -> None:
    for name, device in DEVICE_TYPES.items():
        assert name == f"{device.vendor}_{device.kind}_{device.arch}"


def test_ascend_cards_are_given_out_in_whole_rings() -> None:
    for device in DEVICE_TYPES.values():
        if device.vendor == "huawei":
            assert device.task_counts == (0, 1, 2, 4, 8)
            assert all(count <= NPU_GROUP or count % NPU_GROUP == 0 for count in device.task_counts)
