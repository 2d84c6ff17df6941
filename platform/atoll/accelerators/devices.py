"""What a simulated device is called, how it is given out and what its container sees, per vendor."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

# Cards of an Ascend server are wired in two groups; a container never gets cards of both unless it gets all of them.
NPU_GROUP = 4


@dataclass(frozen=True)
class Model:
    """A kind of card, with what the vendor's own plugin and exporter say of it."""

    device_type: str
    resource: str
    product: str
    memory_mib: int
    idle_watt: float
    full_watt: float
    visible_devices: str
    grouped: bool


_ASCEND = ("huawei.com/Ascend910", "Simulated-Ascend910", 32768, 70.0, 300.0, "ASCEND_VISIBLE_DEVICES", True)
MODELS = {
    model.device_type: model
    for model in (
        Model(
            "nvidia_gpu_amd64", "nvidia.com/gpu", "Simulated-A100", 40960, 45.0, 400.0, "NVIDIA_VISIBLE_DEVICES", False
        ),
        Model("huawei_npu_amd64", *_ASCEND),
        Model("huawei_npu_arm64", *_ASCEND),
    )
}


@dataclass(frozen=True)
class Device:
    """One simulated card of a node."""

    index: int
    id: str
    uuid: str


def devices_of(model: Model, node: str, count: int) -> tuple[Device, ...]:
    """Return the cards of `node`; ids are the same after every restart, or running pods would lose theirs."""
    found = []
    for index in range(count):
        unique = str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{index}.{model.device_type}.{node}"))
        device_id = f"Ascend910-{index}" if model.grouped else f"GPU-{unique}"
        found.append(Device(index, device_id, unique if model.grouped else f"GPU-{unique}"))
    return tuple(found)


def environment(model: Model, chosen: Sequence[Device]) -> dict[str, str]:
    """Return the variables by which the vendor's runtime tells a container its devices."""
    names = [str(device.index) if model.grouped else device.id for device in chosen]
    return {model.visible_devices: ",".join(names), "ATOLL_SIMULATED_DEVICES": "1"}


def prefer(model: Model, available: Sequence[Device], required: Sequence[Device], size: int) -> tuple[Device, ...]:
    """Choose `size` devices: the required ones, then the lowest; cards of a group stay together where they fit.

    Of the groups that fit, the one with the fewest free cards is taken: a whole group stays free for who needs it.
    """
    rest = sorted((device for device in available if device not in required), key=lambda device: device.index)
    wanted = size - len(required)
    if model.grouped:
        held = {device.index // NPU_GROUP for device in required}
        groups: dict[int, list[Device]] = {}
        for device in rest:
            groups.setdefault(device.index // NPU_GROUP, []).append(device)
        fitting = [
            (len(members), group)
            for group, members in groups.items()
            if len(members) >= wanted and (not held or held == {group})
        ]
        if fitting:
            rest = groups[min(fitting)[1]]
    return (*required, *rest[:wanted])
