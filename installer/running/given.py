"""Keeps a copy of the user's own files (SSH key, the portal's certificate, …) in the cluster's state."""

from __future__ import annotations

import os
from pathlib import Path

from installer.cluster import Cluster, state_directory
from installer.cluster.given import FOLDER, given_files, kept, kept_names


def keep_given(cluster: Cluster) -> None:
    """Copy each file that cluster.yaml names and this machine has; one that is not here keeps the copy of before."""
    for path in given_files(cluster):
        if not Path(path).is_file():
            continue
        copy = kept(cluster, path)
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(copy, Path(path).read_bytes())
        # A copy of a copy, on the masters, has a time of its own.
        _write(copy.with_suffix(".time"), str(Path(path).stat().st_mtime_ns).encode())


def drop_given(cluster: Cluster) -> None:
    """Remove the copies of files that cluster.yaml no longer names: private keys are among them."""
    named = kept_names(cluster)
    for copy in (state_directory(cluster) / FOLDER).glob("*"):
        if copy.name not in named:
            copy.unlink()


def _write(place: Path, content: bytes) -> None:
    if place.exists() and place.read_bytes() == content:
        return
    partial = place.with_name(f".{place.name}.{os.getpid()}")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(content)
    partial.replace(place)
