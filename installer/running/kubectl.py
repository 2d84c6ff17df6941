"""kubectl with the cluster's administrator configuration."""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from installer.cluster import Cluster, bundle_directory, state_directory
from installer.running.errors import RunError
from installer.services.access import api_servers

CONNECT_S = 2.0
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def program() -> Path:
    """Return the bundle's program for this machine. Raises RunError."""
    found = bundle_directory() / "bin" / ARCHITECTURES.get(platform.machine(), platform.machine()) / "kubernetes"
    if not found.exists():
        raise RunError(
            f"{found} does not exist.", "Build the bundle with `./atoll bundle build`, or name one: --bundle."
        )
    return found


def administrator_configuration(cluster: Cluster) -> Path:
    """Return the cluster's administrator configuration. Raises RunError."""
    found = state_directory(cluster) / "admin.conf"
    if not found.exists():
        raise RunError(f"Cluster `{cluster.name}` has no {found}.", "Install it first: `./atoll up`.")
    return found


def reachable(servers: Sequence[str]) -> str:
    """Return the first API server that takes a connection, the first of all when none does: kubectl says why."""
    for server in servers:
        at = urlsplit(server)
        with suppress(OSError), socket.create_connection((at.hostname, at.port), timeout=CONNECT_S):
            return server
    return servers[0]


def become(cluster: Cluster, arguments: tuple[str, ...]) -> None:
    """Replace this process by kubectl: the caller's terminal, signals and exit code are kubectl's."""
    environment = {**os.environ, "KUBECONFIG": str(administrator_configuration(cluster))}
    servers = api_servers(cluster)
    # A caller's own --server comes later and wins.
    chosen = [f"--server={reachable(servers)}"] if len(servers) > 1 else []
    # One program for all of Kubernetes: it is what its own name says.
    os.execve(program(), ["kubectl", *chosen, *arguments], environment)  # noqa: S606 - that is the purpose
