"""Ports of processes on this machine: a free one for each that is declared, since several replicas share it."""

import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from atoll.engines.base import Endpoint
from atoll.engines.local import records
from atoll.engines.specification import Port, port_variable


def free() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def take(directory: Path, wanted: Sequence[Port], rank: int) -> dict[str, str]:
    """Choose the ports of a replica and keep them; gives its variables."""
    numbers = {port.name: free() for port in wanted}
    records.write(directory / f"{rank}.ports", json.dumps(numbers))
    return variables(numbers)


def variables(numbers: Mapping[str, int]) -> dict[str, str]:
    """How the program finds them."""
    return {port_variable(name): str(number) for name, number in numbers.items()}


def of(directory: Path, rank: int) -> dict[str, int]:
    """The ports of a replica; none before it was started."""
    try:
        found: dict[str, int] = json.loads((directory / f"{rank}.ports").read_text(encoding="ascii"))
    except FileNotFoundError:
        return {}
    return found


def endpoints(directory: Path, nodes: int) -> list[Endpoint]:
    """Where the replicas that live are reached."""
    return [
        Endpoint(rank=rank, port=name, host="127.0.0.1", number=number)
        for rank in range(nodes)
        if records.living(directory, rank) is not None
        for name, number in of(directory, rank).items()
    ]
