"""Disk: enough of it before a build, and no more of it kept afterwards than the next build uses."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from installer.bundle.errors import BundleError

GIB = 1 << 30
# What a build of everything takes at its peak beside what it leaves (Go's caches, package files, unpacked layers).
PEAK_BYTES = 20 * GIB
STEP_BYTES = 3 * GIB
# The Go build cache makes a rebuild after a small change cheap; beyond this its oldest entries go.
GO_BUILD_CACHE_BYTES = 2 * GIB
# While it builds: programs share many packages, so both caches are worth keeping up to these sizes.
GO_BUILD_CACHE_BYTES_AT_WORK = 7 * GIB
GO_MODULES_BYTES_AT_WORK = 6 * GIB


def used(folder: Path) -> int:
    """Return how much disk the files below a folder take, hard links counted once."""
    seen: set[tuple[int, int]] = set()
    total = 0
    for directory, _names, files in os.walk(folder):
        for name in files:
            status = Path(directory, name).lstat()
            if (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                total += status.st_blocks * 512
    return total


def check(cache: Path, missing: int, everything: int) -> None:
    """Refuse to start when the disk cannot hold what `missing` of `everything` steps will write."""
    cache.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache).free
    needed = min(PEAK_BYTES, max(STEP_BYTES, PEAK_BYTES * missing // max(1, everything)))
    if free < needed:
        raise BundleError(
            f"the disk of {cache} has {free / GIB:.1f} GiB free; building {missing} parts needs {needed / GIB:.1f} GiB",
            "Free some space, or set ATOLL_CACHE to a folder on a larger disk.",
        )


def bound(cache: Path) -> None:
    """Keep the build caches below their sizes while a build goes on."""
    if used(cache / "go" / "mod") > GO_MODULES_BYTES_AT_WORK:
        _remove_read_only(cache / "go" / "mod")
    _trim_oldest(cache / "go" / "build", GO_BUILD_CACHE_BYTES_AT_WORK)


def trim(cache: Path) -> int:
    """Drop what the next build does not need; return the bytes that became free."""
    before = shutil.disk_usage(cache).free
    _remove_read_only(cache / "go" / "mod")
    _trim_oldest(cache / "go" / "build", GO_BUILD_CACHE_BYTES)
    for folder in (cache / "uv", cache / "debian" / "pool"):
        shutil.rmtree(folder, ignore_errors=not folder.exists())
    return max(0, shutil.disk_usage(cache).free - before)


def _remove_read_only(folder: Path) -> None:
    # Go writes its module cache read-only; folders must be writable for their entries to go.
    for directory, _names, _files in os.walk(folder):
        Path(directory).chmod(0o755)
    if folder.exists():
        shutil.rmtree(folder)


def _trim_oldest(folder: Path, keep: int) -> None:
    entries = []
    for directory, _names, files in os.walk(folder):
        for name in files:
            path = Path(directory, name)
            status = path.lstat()
            entries.append((status.st_mtime, status.st_blocks * 512, path))
    # Go touches an entry when it uses it, so the newest are what the last build used.
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= keep:
            return
        path.unlink()
        total -= size
