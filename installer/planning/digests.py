"""Digests of what phases use beside cluster.yaml: files of the tree, of the bundle, of the user."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography import x509

from installer.cluster import TREE, Cluster, bundle_directory, state_directory, version
from installer.cluster.given import given, given_time
from installer.cluster.sign_in import secret_files
from installer.planning.phases import PHASES
from installer.planning.projection import Digests

_PLUGIN = re.compile(r"\batoll_[a-z_]+\b")
_NOT_USED = {"molecule", "tests", "README.md"}


def collect(cluster: Cluster, bundle: Path | None = None) -> Digests:
    """Read every digest that planning needs. A bundle that is not there yet gives none for its files."""
    return Digests(
        roles=roles(),
        artifacts=artifacts(bundle or bundle_directory()),
        files=_files_of_user(cluster),
        version=version(),
        today=datetime.now(UTC).date().isoformat(),
        certificates_end=tuple(ending(state_directory(cluster) / "pki")),
    )


@functools.cache
def roles(tree: Path = TREE) -> dict[str, str]:
    """Return a digest per role: its own files and the modules and plugins that they use."""
    found = {}
    for role in dict.fromkeys(phase.role for phase in PHASES):
        folder = tree / "roles" / role
        files = [
            file
            for file in sorted(folder.rglob("*"))
            if file.is_file()
            and not _NOT_USED & set(file.relative_to(folder).parts)
            # What a role asks afterwards changes nothing of what it made.
            and not (file.relative_to(folder).parts[0] == "tasks" and file.name.startswith("verify"))
        ]
        found[role] = _digest(tree, [*files, *_plugins(tree, files)])
    return found


def artifacts(bundle: Path) -> dict[str, str]:
    """Return the digests of the bundle: its files by path, its images as `image/<set>/<name>`."""
    index = _read(bundle / "index.json")
    found = {path: str(entry["sha256"]) for path, entry in index.get("files", {}).items()}
    for name, image in _read(bundle / "images" / "index.json").items():
        found[f"image/{image['set']}/{name}"] = str(image["digest"])
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    assert isinstance(content, dict)  # noqa: S101 - written by installer.bundle
    return content


def _plugins(tree: Path, files: Iterable[Path]) -> list[Path]:
    """Return the files of all modules and plugins that role files name, and of what these import."""
    folder = tree / "plugins"
    by_name: dict[str, list[Path]] = {}
    for file in sorted(folder.rglob("atoll_*.py")):
        by_name.setdefault(file.stem, []).append(file)
    todo, seen = list(files), set[Path]()
    while todo:
        for name in _PLUGIN.findall(todo.pop().read_text(encoding="utf-8", errors="replace")):
            new = [file for file in by_name.get(name, []) if file not in seen and file.parent.name != "inventory"]
            seen.update(new)
            todo += new
    return sorted(seen)


def _digest(tree: Path, files: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for file in files:
        total.update(f"{file.relative_to(tree)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def ending(pki: Path) -> Iterator[str]:
    """Yield the certificates that a run renews, by their place below `pki`; those of authorities are not among them."""
    for file in sorted(pki.rglob("*.crt")):
        if file.name not in {"ca.crt", "issuer.crt"}:
            certificate = x509.load_pem_x509_certificate(file.read_bytes())
            left = certificate.not_valid_after_utc - datetime.now(UTC)
            if left < (certificate.not_valid_after_utc - certificate.not_valid_before_utc) / 3:
                yield str(file.relative_to(pki).with_suffix(""))


def _files_of_user(cluster: Cluster) -> dict[str, str]:
    platform, harbor, sign_in = cluster.platform, cluster.registry.harbor, cluster.sign_in
    found = {}
    told = (platform.certificate_file, platform.key_file, harbor.ca_file if harbor else None, sign_in.ca_file)
    for name in filter(None, told):
        path = given(cluster, name)
        found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"
    secrets = [cluster.smtp.password_file, *secret_files(sign_in).values()]
    for name in filter(None, secrets):
        # By its time: records are no secret, and from a digest of it a weak password could be guessed.
        found.setdefault(name, given_time(cluster, name) or "missing")
    return found
