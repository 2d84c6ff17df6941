"""Layers as OCI wants them: sorted tar archives without times or names of builders, compressed with zstd.

`pack` turns a folder (also the upper folder of an overlay mount) into a layer; `unpack` turns a layer into a folder
that an overlay mount can take as a lower one.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from installer.bundle.errors import BundleError
from installer.bundle.execution import run
from installer.bundle.outputs import file_digest

LAYER = "layer.tar.zst"
MEDIA_TYPE = "application/vnd.oci.image.layer.v1.tar+zstd"
WHITEOUT = ".wh."
OPAQUE = ".wh..wh..opq"
BLOCK = 1 << 20
# With at least one worker the output does not depend on how many there are.
COMPRESS = ["zstd", "-q", "-6", "-T2", "--no-check", "-c"]


@dataclass(frozen=True)
class Packed:
    """A layer's digests: of the blob and of the archive inside."""

    digest: str
    diff_id: str
    bytes: int


class _Hashing(io.RawIOBase):
    """Passes what is written on and hashes it."""

    def __init__(self, target: IO[bytes]) -> None:
        self.target = target
        self.hash = hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        block = bytes(cast("bytes", data))
        self.hash.update(block)
        self.target.write(block)
        return len(block)


@contextmanager
def _compressed(path: Path) -> Iterator[_Hashing]:
    with path.open("wb") as blob:
        try:
            zstd = subprocess.Popen(COMPRESS, stdin=subprocess.PIPE, stdout=blob)
        except FileNotFoundError as error:
            raise BundleError(
                "the program `zstd` is not installed on this machine", "Install Debian's package `zstd`."
            ) from error
        with zstd:
            stream = cast("IO[bytes]", zstd.stdin)
            yield _Hashing(stream)
            stream.close()
        if zstd.returncode != 0:
            raise BundleError(f"zstd failed on {path}")


def pack(root: Path, into: Path, owner: tuple[int, int] | None = None) -> Packed:
    """Write the layer of the folder `root` to the folder `into`; `owner` replaces everyone's."""
    path = into / LAYER
    links: dict[tuple[int, int], str] = {}
    with _compressed(path) as sink:
        with tarfile.open(
            fileobj=cast("IO[bytes]", sink), mode="w|", format=tarfile.PAX_FORMAT, bufsize=BLOCK
        ) as archive:
            for entry in _walk(root):
                _add(archive, root, entry, links, owner)
        diff_id = sink.hash.hexdigest()
    return Packed(f"sha256:{file_digest(path)}", f"sha256:{diff_id}", path.stat().st_size)


def _walk(root: Path) -> Iterator[Path]:
    for directory, folders, files in os.walk(root):
        folders.sort()
        here = Path(directory)
        # Folders and links to folders come from os.walk together; both become entries.
        for name in sorted([*folders, *files]):
            yield here / name


def _add(
    archive: tarfile.TarFile, root: Path, path: Path, links: dict[tuple[int, int], str], owner: tuple[int, int] | None
) -> None:
    status = path.lstat()
    name = str(path.relative_to(root))
    if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
        archive.addfile(_plain(str(Path(name).parent / (WHITEOUT + path.name)), owner))
        return
    if stat.S_ISSOCK(status.st_mode):
        return
    entry = tarfile.TarInfo(name)
    entry.mode = stat.S_IMODE(status.st_mode)
    entry.uid, entry.gid = owner or (status.st_uid, status.st_gid)
    if stat.S_ISDIR(status.st_mode):
        entry.type = tarfile.DIRTYPE
        archive.addfile(entry)
        if _is_opaque(path):
            archive.addfile(_plain(f"{name}/{OPAQUE}", owner))
    elif stat.S_ISLNK(status.st_mode):
        entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, str(path.readlink()), 0o777
        archive.addfile(entry)
    elif stat.S_ISREG(status.st_mode):
        first = links.setdefault((status.st_dev, status.st_ino), name)
        if first != name:
            entry.type, entry.linkname = tarfile.LNKTYPE, first
            archive.addfile(entry)
            return
        entry.size = status.st_size
        with path.open("rb") as content:
            archive.addfile(entry, content)
    else:
        raise BundleError(f"{path} is a device or a pipe; a layer does not carry those")


def _plain(name: str, owner: tuple[int, int] | None) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.uid, entry.gid = owner or (0, 0)
    return entry


def _is_opaque(path: Path) -> bool:
    try:
        return os.getxattr(path, "trusted.overlay.opaque", follow_symlinks=False) == b"y"
    except OSError:
        return False


def unpack(blob: Path, into: Path, report: Callable[[str], None]) -> None:
    """Unpack a layer so that an overlay mount takes the folder as a lower one."""
    into.mkdir(parents=True)
    run(
        [
            "tar",
            "--extract",
            "--zstd",
            "--numeric-owner",
            "--same-owner",
            "--preserve-permissions",
            "-f",
            blob,
            "-C",
            into,
        ],
        report,
    )
    for marker in sorted(into.rglob(f"{WHITEOUT}*")):
        marker.unlink()
        if marker.name == OPAQUE:
            os.setxattr(marker.parent, "trusted.overlay.opaque", b"y")
        else:
            os.mknod(marker.parent / marker.name.removeprefix(WHITEOUT), stat.S_IFCHR, 0)
