"""The pinned host keys of a cluster: a known_hosts file of its own, one key per address."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path


def host_pattern(address: str, port: int = 22) -> str:
    """Return how OpenSSH writes this server in a known_hosts file."""
    return address if port == 22 else f"[{address}]:{port}"


def fingerprint(key: str) -> str:
    """Return the fingerprint of a public key (`type base64`), as OpenSSH shows it."""
    digest = hashlib.sha256(base64.b64decode(key.split()[1])).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def address_of(pattern: str) -> str:
    """Return the address in a host pattern."""
    return pattern.removeprefix("[").partition("]")[0]


def read(path: Path) -> dict[str, str]:
    """Return the pinned keys: host pattern -> `type base64`."""
    if not path.exists():
        return {}
    pinned = {}
    for line in path.read_text("utf-8").splitlines():
        words = line.split()
        if len(words) >= 3 and not line.startswith("#"):
            pinned[words[0]] = f"{words[1]} {words[2]}"
    return pinned


def write(path: Path, pinned: Mapping[str, str]) -> None:
    """Replace the file by these keys, in one step."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_text("".join(f"{host} {key}\n" for host, key in sorted(pinned.items())), encoding="utf-8")
    partial.replace(path)
