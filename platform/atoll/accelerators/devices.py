"""What a simulated device is called, how it is given out and what its container sees, per vendor."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """A kind of card, with what the vendor's own plugin and exporter say of it; the installer writes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    device_type: str
    resource: str
    group: int = Field(ge=1, description="A container gets cards of one group of so many, or whole groups; 1: any")
    product: str
    memory_mib: int = Field(ge=1)
    idle_watt: float
    full_watt: float
    visible_devices: str
    visible_as: Literal["index", "id"]
    device_id: str = Field(description="With {index} and {uuid}")
    uuid: str = Field(description="With {uuid}")
    exporter: Literal["dcgm-exporter", "npu-exporter"]


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
        device_id = model.device_id.format(index=index, uuid=unique)
        found.append(Device(index, device_id, model.uuid.format(uuid=unique)))
    return tuple(found)


def environment(model: Model, chosen: Sequence[Device]) -> dict[str, str]:
    """Return the variables by which the vendor's runtime tells a container its devices."""
    names = [str(device.index) if model.visible_as == "index" else device.id for device in chosen]
    return {model.visible_devices: ",".join(names), "ATOLL_SIMULATED_DEVICES": "1"}


def prefer(model: Model, available: Sequence[Device], required: Sequence[Device], size: int) -> tuple[Device, ...]:
    """Choose `size` devices: the required ones, then the lowest; cards of a group stay together where they fit.

    Of the groups that fit, the one with the fewest free cards is taken: a whole group stays free for who needs it.
    """
    rest = sorted((device for device in available if device not in required), key=lambda device: device.index)
    wanted = size - len(required)
    held = {device.index // model.group for device in required}
    groups: dict[int, list[Device]] = {}
    for device in rest:
        groups.setdefault(device.index // model.group, []).append(device)
    fitting = [
        (len(members), group)
        for group, members in groups.items()
        if len(members) >= wanted and (not held or held == {group})
    ]
    if fitting:
        rest = groups[min(fitting)[1]]
    return (*required, *rest[:wanted])
