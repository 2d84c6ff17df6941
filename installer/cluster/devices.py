"""Every device type that a node can have: the only such table of the installer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Driver = Literal["simulated", "nvidia", "ascend"]
Architecture = Literal["amd64", "arm64"]


@dataclass(frozen=True)
class DeviceType:
    """A kind of accelerator in nodes of one architecture."""

    name: str
    title: str
    vendor: str
    kind: str
    arch: Architecture
    resource: str  # what pods ask Kubernetes for
    driver: Driver  # the one for real cards; `simulated` serves every type
    task_counts: tuple[int, ...]  # how many a task may have per node
    node_counts: tuple[int, ...]  # how many a node can have


_UP_TO_16 = tuple(range(1, 17))


def _nvidia(arch: Architecture) -> DeviceType:
    return DeviceType(
        f"nvidia_gpu_{arch}",
        "NVIDIA GPU",
        "nvidia",
        "gpu",
        arch,
        "nvidia.com/gpu",
        "nvidia",
        tuple(range(9)),
        _UP_TO_16,
    )


def _ascend(arch: Architecture) -> DeviceType:
    # Cards are wired in groups of four: other numbers have no complete ring.
    counts = (1, 2, 4, 8)
    name, title = f"huawei_npu_{arch}", "Huawei Ascend NPU"
    return DeviceType(name, title, "huawei", "npu", arch, "huawei.com/Ascend910", "ascend", (0, *counts), counts)


DEVICE_TYPES = {device.name: device for device in (_nvidia("amd64"), _ascend("arm64"), _ascend("amd64"))}

# Tasks without accelerators have limits too; they stand under this name beside the device types.
CPU_ONLY = "cpu"
