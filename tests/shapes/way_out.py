"""What the nodes of a lab send towards the internet, where they are given a way that looks as if it led there.

A server has a gateway, a lab node has none: what a node tries would end in itself, and nobody would know. Here this
machine is their gateway, whose walls let nothing through, and writes down what it was asked to pass on.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from ipaddress import IPv4Interface

import yaml

from tests.system.harness import Atoll
from tests.system.machines import shell

TABLE = "atoll_way_out"
ELSEWHERE = "203.0.113.9"  # of a block that documents use (RFC 5737)


@contextlib.contextmanager
def a_way_out(atoll: Atoll) -> Iterator[Callable[[], list[str]]]:
    """Give each node a default route to this machine; yields what was sent there since: `address protocol port`."""
    cluster = yaml.safe_load(atoll.file.read_text("utf-8"))
    here = IPv4Interface(cluster["lab"]["address"])
    rules = f"""
        add table ip {TABLE}
        delete table ip {TABLE}
        table ip {TABLE} {{
            set asked {{ type ipv4_addr . inet_proto . inet_service; flags dynamic; size 65535; }}
            chain prerouting {{
                type filter hook prerouting priority -300;
                iifname != "{cluster["lab"]["bridge"]}" accept
                ip daddr {{ {here.network}, 224.0.0.0/4, 255.255.255.255 }} accept
                meta l4proto {{ tcp, udp }} add @asked {{ ip daddr . meta l4proto . th dport }}
                meta l4proto != {{ tcp, udp }} add @asked {{ ip daddr . meta l4proto . 0 }}
            }}
        }}
    """
    shell("nft", rules)
    for node in cluster["nodes"]:
        atoll.node(node["name"], "ip", "route", "replace", "default", "via", str(here.ip))

    def asked() -> list[str]:
        told = json.loads(shell("nft", "--json", "list", "set", "ip", TABLE, "asked"))
        found = [entry["set"].get("elem", []) for entry in told["nftables"] if "set" in entry]
        return sorted(" ".join(map(str, element["concat"])) for elements in found for element in elements)

    try:
        yield asked
    finally:
        shell("nft", "delete", "table", "ip", TABLE)


def try_to_leave(atoll: Atoll, node: str) -> None:
    """Send a packet where nobody is."""
    program = f"import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('{ELSEWHERE}', 9))"
    atoll.node(node, "python3", "-c", program)
