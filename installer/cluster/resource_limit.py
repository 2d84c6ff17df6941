"""The section `resource_limit` of cluster.yaml: what a pod of a task may have, per device type."""

from __future__ import annotations

from pydantic import Field

from installer.cluster.devices import CPU_ONLY, DEVICE_TYPES
from installer.cluster.quantities import Quantity, amount
from installer.cluster.sections import Section

# Little enough that a node takes as many pods as its CPU and memory let it; where its disk gets full, who wrote less
# than this is evicted after all who wrote more.
SET_ASIDE = "1Gi"


class Resources(Section):
    """CPU and memory of one pod."""

    cpu: Quantity
    memory: Quantity


class Limits(Section):
    """What a pod of a task may have: absolute values of its CPU and memory limit, and of its node's own disk."""

    floor: Resources
    default: Resources
    ceiling: Resources
    local_disk: Quantity | None = Field(
        default=None,
        description="What it may write to its node's own disk, /tmp included; without it `platform.task_local_disk`",
        examples=["100Gi"],
    )
    local_disk_request: Quantity | None = Field(
        default=None,
        description=f"What of it is set aside on the node, which takes no more pods than that; without it {SET_ASIDE}, "
        "or all of what it may write where that is less",
        examples=["10Gi"],
    )


def disk_set_aside(limits: Limits, limit: str) -> str:
    """Return what of `limit` is set aside (quantities): what the file says, or `SET_ASIDE`, never more."""
    return limits.local_disk_request or min(SET_ASIDE, limit, key=amount)


def _limits(floor_cpu: str, default: tuple[str, str]) -> Limits:
    return Limits(
        floor=Resources(cpu=floor_cpu, memory="400Mi"),
        default=Resources(cpu=default[0], memory=default[1]),
        ceiling=Resources(cpu="22", memory="80Gi"),
    )


_WITHOUT_CARDS = _limits("500m", ("1", "1Gi"))
_WITH_CARDS = _limits("2", ("4", "16Gi"))


class ResourceLimit(Section):
    """CPU, memory and disk of a pod of a task, per device type (002 of the seeds); `cpu` is for tasks without cards."""

    request_ratio: float = Field(default=0.5, gt=0, le=1, description="The request of a pod is its limit times this")
    cpu: Limits = Field(default=_WITHOUT_CARDS, description="Tasks without accelerators")
    nvidia_gpu_amd64: Limits = _WITH_CARDS
    huawei_npu_arm64: Limits = _WITH_CARDS
    huawei_npu_amd64: Limits = _WITH_CARDS

    def of(self, name: str) -> Limits:
        """Return the limits of a device type, or of `cpu`."""
        found = getattr(self, name)
        assert isinstance(found, Limits)  # noqa: S101 - the fields above are all there is
        return found


LIMITED = (CPU_ONLY, *DEVICE_TYPES)
