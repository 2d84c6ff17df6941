"""Where the parts of an image lie: a directory, or a .tar (also compressed)."""

from __future__ import annotations

import lzma
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, Self

from installer.images.errors import BadArchive
from installer.images.registry import chunks

CHUNK = 1 << 20
REMEDY = (
    "It takes what `docker save NAME:TAG -o FILE`, `podman save --format oci-archive`, "
    "`skopeo copy … oci-archive:FILE` or `oci:DIRECTORY` write."
)


# More than images have. An archive is counted while it is read: what a few bytes unpack to is noticed before it is.
MOST_ENTRIES = 10_000
LONGEST_NAME = 1024
MOST_HEADER_BYTES = 1 << 16
MOST_BYTES = 256 << 30
MOST_RATIO = 200
_ANY_RATIO_BYTES = 1 << 30
_LONG_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


class Container(Protocol):
    """Named pieces of content."""

    def has(self, name: str) -> bool:
        """Say whether there is such a piece."""
        ...

    def size(self, name: str) -> int:
        """Return its size in bytes."""
        ...

    def content(self, name: str) -> Iterator[bytes]:
        """Return it piece by piece."""
        ...


class Directory:
    """Files below a directory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def has(self, name: str) -> bool:
        """Say whether there is such a file, in this directory: what leads out of it is nothing of the image."""
        file = (self._path / name).resolve()
        return file.is_relative_to(self._path.resolve()) and file.is_file()

    def size(self, name: str) -> int:
        """Return its size."""
        return (self._path / name).stat().st_size

    def content(self, name: str) -> Iterator[bytes]:
        """Return it piece by piece."""
        with _reading(self._path):
            yield from chunks(self._path / name)


class Tar:
    """Members of a tar archive; links inside it (`docker save` makes them) lead to what they mean."""

    def __init__(self, archive: tarfile.TarFile, path: Path) -> None:
        self._archive = archive
        self._path = path
        self._members = {member.name.removeprefix("./"): member for member in _fit(archive, path)}

    def _member(self, name: str) -> tarfile.TarInfo | None:
        member = self._members.get(name)
        for _ in range(8):
            if member is None or member.isfile():
                return member
            if not (member.issym() or member.islnk()):
                return None
            base = Path(member.name.removeprefix("./")).parent if member.issym() else Path()
            member = self._members.get(_normal(base / member.linkname))
        return None

    def has(self, name: str) -> bool:
        """Say whether there is such a member."""
        return self._member(name) is not None

    def size(self, name: str) -> int:
        """Return its size."""
        member = self._member(name)
        return member.size if member else 0

    def content(self, name: str) -> Iterator[bytes]:
        """Return it piece by piece."""
        member = self._member(name)
        stream = self._archive.extractfile(member) if member else None
        if stream is None:
            raise BadArchive(f"{self._path} lacks {name}.", f"Save the image again. {REMEDY}")
        with _reading(self._path), stream:
            while chunk := stream.read(CHUNK):
                yield chunk


def _fit(archive: tarfile.TarFile, path: Path) -> Iterator[tarfile.TarInfo]:
    for member in archive:
        if max(len(member.name), len(member.linkname)) > LONGEST_NAME:
            raise _too_much(path, f"a name of more than {LONGEST_NAME} characters")
        if member.issparse():
            raise _too_much(path, "files with holes")
        yield member


def _counted(path: Path) -> type[tarfile.TarInfo]:
    """Headers of the archive at `path`, each counted before what stands behind it is read."""
    limit = min(MOST_BYTES, max(_ANY_RATIO_BYTES, MOST_RATIO * path.stat().st_size))
    entries = unpacked = 0

    class Header(tarfile.TarInfo):
        """One header. Reading one too many raises BadArchive."""

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            nonlocal entries, unpacked
            header = super().frombuf(buf, encoding, errors)
            entries += 1
            unpacked += max(0, header.size)
            if header.type in _LONG_HEADERS and header.size > MOST_HEADER_BYTES:
                raise _too_much(path, f"a header of {header.size:,} bytes")
            if entries > MOST_ENTRIES:
                raise _too_much(path, f"more than {MOST_ENTRIES:,} entries")
            if header.type == tarfile.GNUTYPE_SPARSE:
                raise _too_much(path, "files with holes")
            if unpacked > limit:
                raise _too_much(path, f"more than {limit:,} bytes")
            return header

    return Header


def _too_much(path: Path, what: str) -> BadArchive:
    return BadArchive(f"{path} holds {what}: no image has that.", REMEDY)


def _normal(path: Path) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)
    return "/".join(parts)


@contextmanager
def opened(path: Path) -> Iterator[Container]:
    """Open a directory or an archive. Raises BadArchive."""
    if path.is_dir():
        yield Directory(path)
        return
    if not path.exists():
        raise BadArchive(f"{path} does not exist.", "Give the path of an image archive (.tar) or OCI layout.")
    with ExitStack() as held:
        with _reading(path):
            container = Tar(held.enter_context(tarfile.open(path, "r:*", tarinfo=_counted(path))), path)
        yield container


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise BadArchive(f"{path} is no archive, or is cut off or damaged.", REMEDY) from error
    except OSError as error:
        raise BadArchive(f"{path} cannot be read: {error}", REMEDY) from error
