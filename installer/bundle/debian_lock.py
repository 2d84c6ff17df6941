"""The lock of Debian packages: which versions belong to each set (a group for nodes, an image layer), by digest.

Debian's archive keeps only the newest version of a package in a release; a point release or a security update removes
the one before. So `debian.lock` in the tree is exact as long as the archive (or the cache) has what it names. When it
has not, a build makes the same lock from the archive's signed indexes of that day, keeps it in the cache and says so;
the list of materials records every version used. `--locked` refuses instead, and `./atoll bundle relock` renews the
tree's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from installer.bundle.debian import Archive, Package
from installer.bundle.errors import BundleError
from installer.bundle.execution import Report
from installer.bundle.lock import Images, Lock
from installer.bundle.outputs import file_digest

BASE = "base"
NODE_BASE = "node-base"


@dataclass(frozen=True)
class DebianLock:
    """Pinned packages by architecture and set."""

    release: str
    sets: Mapping[str, Mapping[str, list[Package]]]

    def packages(self, architecture: str, name: str) -> list[Package]:
        """Return the packages of a set; `BundleError` if the lock does not know it."""
        try:
            return self.sets[architecture][name]
        except KeyError:
            raise BundleError(
                f"debian.lock does not know the set `{name}` for {architecture}",
                "Run `./atoll bundle relock` after a change of the package lists.",
            ) from None

    def text(self) -> str:
        """Return the file's content."""
        lines = [f"# Made by `./atoll bundle relock`; see installer/bundle/debian_lock.py.\nrelease {self.release}"]
        for architecture, sets in sorted(self.sets.items()):
            lines.append(f"architecture {architecture}")
            every = sorted({package for packages in sets.values() for package in packages})
            lines += [f"{p.name} {p.version} {p.architecture} {p.bytes} {p.sha256} {p.suite} {p.path}" for p in every]
            lines += [f"set {name} = {' '.join(p.name for p in packages)}" for name, packages in sorted(sets.items())]
        return "\n".join(lines) + "\n"


def parse(text: str) -> DebianLock:
    """Read a lock file's content."""
    release = architecture = ""
    sets: dict[str, dict[str, list[Package]]] = {}
    known: dict[str, Package] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "release":
            release = words[1]
        elif words[0] == "architecture":
            architecture, known = words[1], {}
            sets[architecture] = {}
        elif words[0] == "set":
            sets[architecture][words[1]] = [known[name] for name in words[3:]]
        elif len(words) == 7:
            package = Package(words[0], words[1], words[2], int(words[3]), words[4], words[5], words[6])
            known[package.name] = package
        else:
            raise BundleError(f"debian.lock:{number}: not understood: {line[:80]}", "Run `./atoll bundle relock`.")
    return DebianLock(release, sets)


def tree_lock_path(tree: Path) -> Path:
    """Return where the lock of a tree lies."""
    return tree / "installer" / "bundle" / "debian.lock"


def renewed_lock_path(tree: Path, cache: Path) -> Path:
    """Return where the lock is kept that stands in for a tree's lock that the archive has outgrown."""
    return cache / "debian" / f"{file_digest(tree_lock_path(tree))[:16]}.lock"


def load(tree: Path, cache: Path, locked: bool) -> DebianLock:
    """Read the lock that holds now: the tree's, or the one made in its place."""
    renewed = renewed_lock_path(tree, cache)
    path = renewed if renewed.exists() and not locked else tree_lock_path(tree)
    return parse(path.read_text())


def resolve(lock: Lock, images: Images, cache: Path, report: Report) -> DebianLock:
    """Find the closure of every set in the archive's signed indexes as they are now."""
    sets: dict[str, dict[str, list[Package]]] = {}
    for architecture in lock.architectures:
        archive = Archive(cache, lock.debian.release, architecture)
        archive.refresh(report)
        sets[architecture] = _resolve(archive, lock, images, report)
    return DebianLock(lock.debian.release, sets)


def _resolve(archive: Archive, lock: Lock, images: Images, report: Report) -> dict[str, list[Package]]:
    index = archive.index()
    least = {f["Package"] for f in index.values() if f.get("Essential") == "yes" or f.get("Priority") == "required"}

    def pinned(found: list[tuple[str, str]]) -> list[Package]:
        return [_package(index[key]) for key in found]

    def installed(packages: list[Package]) -> list[dict[str, str]]:
        return [index[p.name, p.version] for p in packages]

    base = pinned(archive.closure(least | {"apt", "usr-is-merged"}))
    node_base = pinned(archive.closure(lock.debian.node_base, installed(base)))
    sets = {BASE: base, NODE_BASE: node_base}
    for group, names in lock.debian.groups.items():
        report(f"finding the dependencies of {group}")
        sets[f"group/{group}"] = pinned(archive.closure(names, installed(base + node_base)))
    for name, layer in images.layers.items():
        below = [p for parent in _parents(images, name) for p in sets.get(f"layer/{parent}", [])]
        if layer.packages:
            report(f"finding the dependencies of the image layer {name}")
            sets[f"layer/{name}"] = pinned(archive.closure(layer.packages, installed(base + below)))
        elif layer.unpacked:
            wanted = [key for key in archive.closure(layer.unpacked) if key[0] in layer.unpacked]
            sets[f"layer/{name}"] = pinned(wanted)
    return sets


def _parents(images: Images, name: str) -> list[str]:
    return images.layers[name].above


def _package(fields: dict[str, str]) -> Package:
    return Package(
        fields["Package"], fields["Version"], fields["Architecture"], int(fields["Size"]), fields["SHA256"],
        fields["Suite"], fields["Filename"],
    )  # fmt: skip
