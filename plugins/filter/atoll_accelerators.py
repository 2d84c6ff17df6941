"""Labels of a node for its accelerators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

DOCUMENTATION = r"""
name: atoll_accelerator_labels
short_description: Labels of a node for its accelerators
description:
  - The type and number of its devices, by which their DaemonSets find the node, and what feature discovery of the
    vendors says of simulated devices. For real ones their own discovery says that.
positional: _input
options:
  _input:
    description: C(accelerators) of a node, dicts of C(type), C(count) and C(driver).
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
labels: "{{ atoll_node.accelerators | atoll_accelerator_labels }}"
"""

RETURN = r"""
_value:
  description: Labels by name.
  type: dict
"""

_ASCEND = {
    "huawei.com/npu.present": "true",
    "huawei.com/npu.product": "Simulated-Ascend910",
    "huawei.com/npu.memory": "32768",
}
SIMULATED = {
    "nvidia_gpu_amd64": {
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": "Simulated-A100",
        "nvidia.com/gpu.memory": "40960",
    },
    "huawei_npu_amd64": _ASCEND,
    "huawei_npu_arm64": _ASCEND,
}


def atoll_accelerator_labels(accelerators: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the labels of a node with these accelerators."""
    labels: dict[str, str] = {}
    for card in accelerators:
        labels["atoll.io/accelerator"] = card["type"]
        labels[f"accelerators.atoll.io/{card['type']}"] = str(card["count"])
        if card["driver"] == "simulated":
            labels |= SIMULATED[card["type"]]
    return labels


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Any]:
        """Return it by name."""
        return {"atoll_accelerator_labels": atoll_accelerator_labels}
