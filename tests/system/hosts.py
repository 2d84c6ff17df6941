"""Hosts of the house: name spaces on the lab's bridge, beside the nodes and without their credentials."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from installer.cluster import Cluster
from tests.system.harness import Atoll


@contextmanager
def host(atoll: Atoll, cluster: Cluster, name: str, address: str) -> Iterator[tuple[str, ...]]:
    """One at that IPv4 address; gives what a command begins with that runs there. `name`: at most 11 letters.

    It knows the way back to pods, should they come as themselves.
    """
    space, outside = f"atoll-{name}", f"{name}0"

    def ip(*words: str, ok: bool = True) -> None:
        subprocess.run(["ip", *words], check=ok, capture_output=True)

    assert cluster.lab is not None
    ip("netns", "delete", space, ok=False)
    ip("link", "delete", outside, ok=False)
    ip("netns", "add", space)
    try:
        ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", space)
        ip("link", "set", outside, "master", cluster.lab.bridge, "up")
        ip("-n", space, "address", "add", f"{address}/24", "dev", "eth0")
        ip("-n", space, "link", "set", "eth0", "up")
        for node in atoll.kubectl("get", "nodes", "-o", "json").json["items"]:
            via = cluster.node(node["metadata"]["name"]).address
            ip("-n", space, "route", "add", node["spec"]["podCIDR"], "via", via)
        yield ("ip", "netns", "exec", space)
    finally:
        ip("netns", "delete", space, ok=False)
