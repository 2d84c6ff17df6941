"""Where a cluster's files lie on the control host."""

from __future__ import annotations

import os
from pathlib import Path

from installer.cluster.schema import Cluster

TREE = Path(__file__).resolve().parents[2]
EXAMPLE = TREE / "cluster.example.yaml"


def state_directory(cluster: Cluster | str) -> Path:
    """Return `$ATOLL_STATE/<cluster>`, where everything lies that is known about a cluster."""
    base = Path(os.environ.get("ATOLL_STATE") or "/var/lib/atoll/clusters")
    return base / (cluster if isinstance(cluster, str) else cluster.name)


def cache_directory() -> Path:
    """Return `$ATOLL_CACHE`: what can be made again."""
    return Path(os.environ.get("ATOLL_CACHE") or Path.home() / ".cache" / "atoll")


def bundle_directory() -> Path:
    """Return the bundle that is used when nobody names another."""
    return Path(os.environ.get("ATOLL_BUNDLE") or cache_directory() / "bundle")


def known_hosts(cluster: Cluster | str) -> Path:
    """Return the file of pinned SSH host keys."""
    return state_directory(cluster) / "ssh" / "known_hosts"


def own_key(cluster: Cluster | str) -> Path:
    """Return the SSH key that the cluster makes itself."""
    return state_directory(cluster) / "ssh" / "id_ed25519"


def is_installed(cluster: Cluster | str) -> bool:
    """Say whether a control plane was made from this control host."""
    return (state_directory(cluster) / "admin.conf").exists()


def version() -> str:
    """Return the version of Atoll."""
    return (TREE / "VERSION").read_text(encoding="utf-8").strip()
