"""Files of the user that cluster.yaml names: on the machine where it was written, or the copy in the cluster's state.

The control service on the masters and a second control host do not have the user's own paths; `apply` keeps a copy
of each file in the state, by the hash of its path, and hands them to the masters. An apply that succeeded takes the
copies of files that cluster.yaml no longer names away, here and there.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from installer.cluster.places import own_key, state_directory
from installer.cluster.schema import Cluster, Node
from installer.cluster.sign_in import secret_files

FOLDER = "given"


def given_files(cluster: Cluster) -> list[str]:
    """Return the path of each file that cluster.yaml names."""
    platform, harbor = cluster.platform, cluster.registry.harbor
    found = [cluster.ssh_of(node).key_file for node in cluster.nodes]
    found += [platform.certificate_file, platform.key_file, harbor.ca_file if harbor else None]
    found.append(cluster.smtp.password_file)
    found += secret_files(cluster.sign_in).values()
    return list(dict.fromkeys(path for path in found if path))


def kept(cluster: Cluster, path: str) -> Path:
    """Return where the copy of a user's file lies."""
    return state_directory(cluster) / FOLDER / hashlib.sha256(path.encode()).hexdigest()[:16]


def kept_names(cluster: Cluster) -> set[str]:
    """Return what may lie in the folder of copies: of each file that cluster.yaml names its copy and its time."""
    copies = [kept(cluster, path) for path in given_files(cluster)]
    return {name for copy in copies for name in (copy.name, copy.with_suffix(".time").name)}


def given(cluster: Cluster, path: str) -> Path:
    """Return the user's file itself where it is there, else its copy; where neither is, the path that is missing."""
    copy = kept(cluster, path)
    return Path(path) if Path(path).exists() or not copy.exists() else copy


def given_time(cluster: Cluster, path: str) -> str | None:
    """Return when the user's file was changed, in nanoseconds; the same from the file and from its copy."""
    if Path(path).is_file():
        return str(Path(path).stat().st_mtime_ns)
    time = kept(cluster, path).with_suffix(".time")
    return time.read_text("utf-8") if time.is_file() else None


def with_given(cluster: Cluster, value: Any) -> Any:
    """Return the value of a key of cluster.yaml with the files of the user at the places where they are."""
    if isinstance(value, dict):
        return {name: with_given(cluster, one) for name, one in value.items()}
    return str(given(cluster, value)) if isinstance(value, str) and value in given_files(cluster) else value


def ssh_key(cluster: Cluster, node: Node) -> Path:
    """Return the private key with which we sign in to the node."""
    named = cluster.ssh_of(node).key_file
    return given(cluster, named) if named else own_key(cluster)
