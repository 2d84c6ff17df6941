"""Whether the bundle has everything that this cluster will ask it for: found before anything is changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from installer.bundle.lock import Lock, load_images, load_lock
from installer.cluster import TREE, Cluster
from installer.preflight.checks import Finding, Severity

_LATER = "`./atoll up` makes them when the portal answers; else `./atoll bundle build`, then `./atoll apply`."
_REMEDY = "Build it: `./atoll bundle build`; what is there already is not built again."


def check_bundle(index: Mapping[str, Any], cluster: Cluster, directory: Path | None = None) -> list[Finding]:
    """Return what the bundle lacks for this cluster; with its directory also what lies there otherwise than indexed.

    Sizes are compared here, since that takes a moment; `./atoll bundle verify` compares the digests.
    """
    files: Mapping[str, Mapping[str, Any]] = index["files"]
    listed = {artifact["name"] for artifact in index["artifacts"]}
    missing = [path for path in _files(cluster) if path not in files]
    missing += [name for name in _images(cluster, frameworks=False) if name not in listed]
    found = [_finding("missing artifacts", "error", missing)] if missing else []
    # Frameworks are built last and the portal does not wait for them; tasks that use them do.
    frameworks = [name for name in _images(cluster, frameworks=True) if name not in listed]
    found += [_finding("missing framework images", "warning", frameworks, _LATER)] if frameworks else []
    damaged = list(_damaged(files, directory)) if directory else []
    found += [_finding("damaged artifacts", "error", damaged)] if damaged else []
    return found


def _files(cluster: Cluster) -> Iterator[str]:
    lock = load_lock(TREE)
    for architecture in sorted({node.arch for node in cluster.nodes}):
        for program in lock.programs.values():
            yield from (f"bin/{architecture}/{name}" for name in program.builds)
        yield f"os/{_system(lock)}/{architecture}/Packages"
        yield f"os/{_system(lock)}/{architecture}/groups.json"
        yield f"images/{architecture}/index.json"
    yield from (f"manifests/{name}.yaml" for name in lock.manifests)
    yield "images/index.json"


def _images(cluster: Cluster, frameworks: bool) -> Iterator[str]:
    for architecture in sorted({node.arch for node in cluster.nodes}):
        for name, image in load_images(TREE).images.items():
            if architecture in image.architectures and (image.set == "framework") == frameworks:
                yield f"image/{architecture}/{name}"


def _system(lock: Lock) -> str:
    return {"bookworm": "debian-12"}[lock.debian.release]


def _damaged(files: Mapping[str, Mapping[str, Any]], directory: Path) -> Iterator[str]:
    for name, about in files.items():
        path = directory / name
        if not path.is_file():
            yield f"{name} (gone)"
        elif path.stat().st_size != about["bytes"]:
            yield f"{name} ({path.stat().st_size} bytes instead of {about['bytes']})"


def _finding(title: str, severity: Severity, names: Sequence[str], remedy: str = _REMEDY) -> Finding:
    return Finding("bundle.artifacts", title, severity, "bundle", ", ".join(names), remedy)
