"""kubectl with the cluster's administrator configuration."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from installer.cluster import Cluster, bundle_directory, state_directory
from installer.running.errors import RunError

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


def become(cluster: Cluster, arguments: tuple[str, ...]) -> None:
    """Replace this process by kubectl: the caller's terminal, signals and exit code are kubectl's."""
    environment = {**os.environ, "KUBECONFIG": str(administrator_configuration(cluster))}
    # One program for all of Kubernetes: it is what its own name says.
    os.execve(program(), ["kubectl", *arguments], environment)  # noqa: S606 - that is the purpose
