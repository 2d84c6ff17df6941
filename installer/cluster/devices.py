"""Every device type that a node can have: the only table of them, here and in the platform.

The platform's services get rows of it (`row`), the plugin of simulated cards gets what such a card pretends to be
(`Pretence`); neither knows a type of its own. A new type is a row here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Driver = Literal["simulated", "nvidia", "ascend"]
Architecture = Literal["amd64", "arm64"]


@dataclass(frozen=True)
class Pretence:
    """What a simulated card says of itself, where the vendor's plugin, discovery and exporter would speak."""

    product: str
    memory_mib: int
    idle_watt: float
    full_watt: float
    device_id: str  # of the device plugin; {index} on its node, {uuid}
    uuid: str  # in measurements
    visible_as: Literal["index", "id"]  # by what the variable of the vendor's runtime names it
    exporter: Literal["dcgm-exporter", "npu-exporter"]  # whose measurements it gives


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
    distributed_counts: tuple[int, ...]  # the same for a task on several nodes
    node_counts: tuple[int, ...]  # how many a node can have
    group: int  # cards of a task lie in one group of so many, or are whole groups; 1: any
    visible_devices: str  # the variable by which the vendor's runtime tells a container its cards
    discovery: str  # what labels of the vendor's feature discovery begin with
    pretence: Pretence

    def row(self) -> dict[str, Any]:
        """Return what the platform's services have to know (`atoll.devices.types.DeviceType`)."""
        return {
            "type": self.name,
            "title": self.title,
            "vendor": self.vendor,
            "kind": self.kind,
            "arch": self.arch,
            "resource": self.resource,
            "counts": list(self.task_counts),
            "distributed_counts": list(self.distributed_counts),
            "group": self.group,
            "visible_devices": self.visible_devices,
        }

    def pretended(self) -> dict[str, Any]:
        """Return what the plugin of simulated cards has to know (`atoll.accelerators.devices.Model`)."""
        return {
            "device_type": self.name,
            "resource": self.resource,
            "group": self.group,
            "visible_devices": self.visible_devices,
            **asdict(self.pretence),
        }

    def pretended_labels(self) -> dict[str, str]:
        """Return what the vendor's feature discovery would say of a node with simulated cards."""
        return {
            f"{self.discovery}present": "true",
            f"{self.discovery}product": self.pretence.product,
            f"{self.discovery}memory": str(self.pretence.memory_mib),
        }


_UP_TO_16 = tuple(range(1, 17))


def _nvidia(arch: Architecture) -> DeviceType:
    return DeviceType(
        name=f"nvidia_gpu_{arch}",
        title="NVIDIA GPU",
        vendor="nvidia",
        kind="gpu",
        arch=arch,
        resource="nvidia.com/gpu",
        driver="nvidia",
        task_counts=tuple(range(9)),
        distributed_counts=tuple(range(9)),
        node_counts=_UP_TO_16,
        group=1,
        visible_devices="NVIDIA_VISIBLE_DEVICES",
        discovery="nvidia.com/gpu.",
        pretence=Pretence(
            product="Simulated-A100",
            memory_mib=40960,
            idle_watt=45.0,
            full_watt=400.0,
            device_id="GPU-{uuid}",
            uuid="GPU-{uuid}",
            visible_as="id",
            exporter="dcgm-exporter",
        ),
    )


def _ascend(arch: Architecture) -> DeviceType:
    return DeviceType(
        name=f"huawei_npu_{arch}",
        title="Huawei NPU",
        vendor="huawei",
        kind="npu",
        arch=arch,
        resource="huawei.com/Ascend910",
        driver="ascend",
        # Cards are wired in groups of four: other numbers have no complete ring.
        task_counts=(0, 1, 2, 4, 8),
        distributed_counts=(8,),
        node_counts=(1, 2, 4, 8),
        group=4,
        visible_devices="ASCEND_VISIBLE_DEVICES",
        discovery="huawei.com/npu.",
        pretence=Pretence(
            product="Simulated-Ascend910",
            memory_mib=32768,
            idle_watt=70.0,
            full_watt=300.0,
            device_id="Ascend910-{index}",
            uuid="{uuid}",
            visible_as="index",
            exporter="npu-exporter",
        ),
    )


DEVICE_TYPES = {device.name: device for device in (_nvidia("amd64"), _ascend("arm64"), _ascend("amd64"))}

# Tasks without accelerators have limits too; they stand under this name beside the device types.
CPU_ONLY = "cpu"


def rows(names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows of these device types, as config.yaml of the services has them under `devices`."""
    return [DEVICE_TYPES[name].row() for name in names]
