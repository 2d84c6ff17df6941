"""An address of a network by its number."""

from __future__ import annotations

import ipaddress
from typing import Any

DOCUMENTATION = r"""
name: atoll_address
short_description: An address of a network by its number
description: Returns the n-th address of a network.
positional: _input, number
options:
  _input:
    description: The network.
    type: str
    required: true
  number:
    description: Number of the address, 0 being the network's own.
    type: int
    required: true
"""

EXAMPLES = r"""
dns: "{{ '10.96.0.0/16' | atoll_address(10) }}"
"""

RETURN = r"""
_value:
  description: The address.
  type: str
"""


def atoll_address(network: str, number: int) -> str:
    """Return the n-th address of a network."""
    return str(ipaddress.ip_network(network)[number])


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, Any]:
        """Return it by name."""
        return {"atoll_address": atoll_address}
