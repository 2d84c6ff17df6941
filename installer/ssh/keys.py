"""How this project signs in to nodes: one key per cluster, pinned host keys, never a question, never a password."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path


def make_key(path: Path, comment: str) -> None:
    """Make an Ed25519 key pair without a pass phrase: `path` (0600) and `path`.pub."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Made beside its place and moved in, the public half first: a killed run leaves no half of a pair.
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    arguments = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(partial)]
    subprocess.run(arguments, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
    Path(f"{partial}.pub").replace(f"{path}.pub")
    partial.replace(path)


def ensure_cluster_key(path: Path, cluster: str) -> None:
    """Make the cluster's SSH key if it has none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        make_key(path, f"atoll-{cluster}")


def banner(address: str, port: int, timeout_s: float) -> str:
    """Return what the SSH server at this address says first, or nothing if none answers."""
    try:
        with socket.create_connection((address, port), timeout=timeout_s) as connection:
            connection.settimeout(timeout_s)
            said = connection.recv(255).decode("ascii", "replace")
    except OSError:
        return ""
    return said.strip() if said.startswith("SSH-") else ""
