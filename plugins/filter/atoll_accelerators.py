"""Labels of a node for its accelerators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

DOCUMENTATION = r"""
name: atoll_accelerator_labels
short_description: Labels of a node for its accelerators
description:
  - The type and number of its devices, by which their DaemonSets find the node, and what the driver has
    Atoll say in place of the feature discovery of the vendor.
positional: _input, known
options:
  _input:
    description: C(accelerators) of a node, dicts of C(type), C(count) and C(driver).
    type: list
    elements: dict
    required: true
  known:
    description: >-
      C(atoll_card_labels) of the inventory: in C(set) the labels that Atoll sets in place of the vendor's feature
      discovery, by driver and device type.
    type: dict
    required: true
"""

EXAMPLES = r"""
labels: "{{ atoll_node.accelerators | atoll_accelerator_labels(atoll_card_labels) }}"
"""

RETURN = r"""
_value:
  description: Labels by name.
  type: dict
"""


def atoll_accelerator_labels(accelerators: Iterable[Mapping[str, Any]], known: Mapping[str, Any]) -> dict[str, str]:
    """Return the labels of a node with these accelerators."""
    labels: dict[str, str] = {}
    for card in accelerators:
        labels["atoll.io/accelerator"] = card["type"]
        labels[f"accelerators.atoll.io/{card['type']}"] = str(card["count"])
        labels |= known["set"][card["driver"]][card["type"]]
    return labels


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Any]:
        """Return it by name."""
        return {"atoll_accelerator_labels": atoll_accelerator_labels}
