"""Ports that a test's servers may have: nobody's now, and of no connection that comes later."""

import random
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 20000


def free_ports(count: int) -> list[int]:
    """So many different TCP ports of 127.0.0.1, below those that the system gives to outgoing connections.

    A port from `bind(0)` is one of those: between asking for it and listening on it, any program's connection may
    get it.
    """
    first_given_out = int(_RANGE.read_text("ascii").split()[0])
    found: list[int] = []
    for port in random.sample(range(_LOWEST, first_given_out), 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"of 100 ports from {_LOWEST} to {first_given_out} only {len(found)} are free")
