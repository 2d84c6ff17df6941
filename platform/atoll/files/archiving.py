"""A directory of a home becomes a `.tar.gz` beside it, in steps of some seconds. Standard library only.

Runs in the worker, under the user's uid. Each step appends a whole gzip member to the part file (members in a row are
one gzip file), so where it is known how long the part was, the next step goes on there and cuts off what a killed one
wrote behind it. The part is named by the operation and by the fence of its claim: whoever takes over renames it, and a
step of the one before finds its name gone. Links are kept as links and never followed; nothing but files, directories
and links goes in. The archive gets its name at the end, by a hard link that nothing can overwrite.
"""

import base64
import contextlib
import errno
import fcntl
import gzip
import io
import os
import re
import stat
import tarfile
import time
from collections.abc import Iterator
from typing import Any

from beneath import open_beneath  # type: ignore[import-not-found,unused-ignore]
from names import first, scan  # type: ignore[import-not-found,unused-ignore]

STEP_S = 4.0
_CHUNK = 1 << 18
_BLOCK = 512
_DEEPEST = 100
_PREFIX = ".atoll-"
_HOLLOW_BYTES = 1 << 30
_HOLLOW_RATIO = 64  # more than storage that compresses makes of anything but emptiness
_WINDOW = 20_000  # names that are held at a time of each directory on the way, in as many bytes at most
_WINDOW_BYTES = 1 << 20

Entry = tuple[tuple[str, ...], os.stat_result, int]


def _packed(path: tuple[str, ...]) -> str:
    """A path as text that JSON and databases keep, whatever bytes are in its names."""
    return base64.urlsafe_b64encode(os.fsencode("/".join(path))).decode()


def _unpacked(text: str | None) -> tuple[str, ...]:
    return tuple(os.fsdecode(base64.urlsafe_b64decode(text)).split("/")) if text else ()


def _names(directory: int, begin: str) -> Iterator[str]:
    """By name, from `begin` on, a window at a time: as many looks as the directory has windows."""
    behind, everything = "", False
    while not everything:
        with os.scandir(directory) as entries:
            found = (
                (entry.name,)
                for entry in scan(entries)
                if not entry.name.startswith(_PREFIX) and entry.name >= begin and entry.name > behind
            )
            window, everything = first(found, _WINDOW, _WINDOW_BYTES)
        for (name,) in window:
            yield name
            behind = name


def walk(directory: int, after: tuple[str, ...], above: tuple[str, ...] = ()) -> Iterator[Entry]:
    """Everything below, each directory before what is in it, by name; begins behind `after`."""
    if len(above) > _DEEPEST:
        raise OSError(errno.ELOOP, "directories lie too deep in each other")
    for name in _names(directory, after[0] if after else ""):
        seen = bool(after) and name == after[0]
        try:
            status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:  # removed meanwhile
            continue
        if not seen:
            yield (*above, name), status, directory
        if stat.S_ISDIR(status.st_mode):
            try:
                inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
            except OSError:  # gone, or its owner may not read it: `append` counts those
                continue
            try:
                yield from walk(inner, after[1:] if seen else (), (*above, name))
            finally:
                os.close(inner)


def _refuse_hollow(path: tuple[str, ...], status: os.stat_result) -> None:
    """A file that says it is huge and holds next to nothing would be read for hours: nothing of it takes room."""
    held = 512 * status.st_blocks
    if status.st_size > held + _HOLLOW_BYTES and status.st_size > _HOLLOW_RATIO * held:
        raise OSError(errno.EOVERFLOW, "the file is nearly all hole", "/".join(path))


def survey(root: int, request: dict[str, Any]) -> dict[str, Any]:
    """Count entries and bytes for some seconds; `cursor` is where to go on, None at the end."""
    directory = open_beneath(root, request["path"], os.O_RDONLY | os.O_DIRECTORY)
    until = time.monotonic() + STEP_S
    found: dict[str, Any] = {"entries": 0, "bytes": 0, "cursor": None}
    for path, status, _ in walk(directory, _unpacked(request["cursor"])):
        found["entries"] += 1
        if stat.S_ISREG(status.st_mode):
            _refuse_hollow(path, status)
            found["bytes"] += status.st_size
        if time.monotonic() > until:
            return {**found, "cursor": _packed(path)}
    return found


def _parent(root: int, target: str) -> tuple[int, str]:
    above, _, name = target.strip("/").rpartition("/")
    if not name or name in (".", "..") or name.startswith(_PREFIX):
        raise OSError(errno.EINVAL, "not a name of a file")
    return open_beneath(root, above, os.O_RDONLY | os.O_DIRECTORY), name


def _part(request: dict[str, Any], fence: int) -> str:
    return f"{_PREFIX}{request['id']}-{fence}.part"


def _parts(parent: int, request: dict[str, Any]) -> list[str]:
    """What attempts at this operation left; other things that look like it are the user's."""
    with os.scandir(parent) as entries:
        return [entry.name for entry in entries if _fence(entry.name, request) is not None]


def _fence(name: str, request: dict[str, Any]) -> int | None:
    """The fence of a part of this operation, None for any other name."""
    found = re.fullmatch(rf"{re.escape(_PREFIX + request['id'])}-([0-9]{{1,19}})\.part", name)
    return int(found[1]) if found else None


def begin(root: int, request: dict[str, Any]) -> dict[str, Any]:
    """The part is there under the name of this fence; `kept`: with what was written under an earlier one."""
    parent, name = _parent(root, request["target"])
    with contextlib.suppress(FileNotFoundError):
        os.stat(name, dir_fd=parent, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, "it exists")
    wanted = _part(request, request["fence"])
    earlier = _parts(parent, request)
    if any((_fence(each, request) or 0) > request["fence"] for each in earlier):
        raise FileNotFoundError(errno.ENOENT, "the part was taken over")
    if wanted not in earlier and earlier:
        os.rename(earlier[0], wanted, src_dir_fd=parent, dst_dir_fd=parent)
    elif not earlier:
        os.close(os.open(wanted, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o640, dir_fd=parent))
    return {"kept": bool(earlier)}


def _opened(parent: int, part: str) -> int:
    """The part, ours alone. Raises FileNotFoundError when another one took over, BlockingIOError while one writes."""
    descriptor = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if os.stat(part, dir_fd=parent, follow_symlinks=False).st_ino != os.fstat(descriptor).st_ino:
        raise FileNotFoundError(errno.ENOENT, "the part was taken over")
    return descriptor


def _regular(source: int) -> int:
    """An open file; -1 when it is none any more: its owner put something else in its place."""
    if stat.S_ISREG(os.fstat(source).st_mode):
        return source
    os.close(source)
    return -1


class _Step:
    """What one step appends."""

    def __init__(self, directory: int, out: gzip.GzipFile, state: dict[str, Any]) -> None:
        self._directory = directory
        self._out = out
        self._until = time.monotonic() + STEP_S
        self.state = state

    def run(self) -> None:
        """Append until the time is over or nothing is left."""
        if self.state["open"] and not self._go_on():
            return
        for path, status, directory in walk(self._directory, _unpacked(self.state["cursor"])):
            self.state["cursor"] = _packed(path)
            if not self._add(path, status, directory) or time.monotonic() > self._until:
                return
        self._out.write(bytes(2 * _BLOCK))
        self.state["done"] = True

    def _go_on(self) -> bool:
        """Go on with the file in which the last step ended; what is gone of it meanwhile is filled up."""
        path = "/".join(_unpacked(self.state["cursor"]))
        try:
            source = _regular(open_beneath(self._directory, path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
        except OSError:
            source = -1
        return self._copy(source)

    def _add(self, path: tuple[str, ...], status: os.stat_result, directory: int) -> bool:
        """One entry. False when the time is over in the middle of it."""
        info = tarfile.TarInfo("/".join((self.state["name"], *path)))
        info.mode, info.mtime = stat.S_IMODE(status.st_mode), int(status.st_mtime)
        source = -1
        try:
            if stat.S_ISREG(status.st_mode):
                source = _regular(os.open(path[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory))
                info.size = os.fstat(source).st_size  # of -1 there is none: it is left out
            elif stat.S_ISDIR(status.st_mode):
                info.type = tarfile.DIRTYPE
                os.close(os.open(path[-1], os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=directory))
            elif stat.S_ISLNK(status.st_mode):
                info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path[-1], dir_fd=directory)
            else:
                self.state["skipped"] += 1
                return True
        except OSError:  # gone, or its owner may not read it
            self.state["skipped"] += 1
            return True
        if source >= 0:
            _refuse_hollow(path, os.fstat(source))
        self._out.write(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"))
        self.state["entries"] += 1
        if source < 0:
            return True
        self.state["open"] = {"size": info.size, "done": 0}
        return self._copy(source)

    def _copy(self, source: int) -> bool:
        place = self.state["open"]
        try:
            while place["done"] < place["size"]:
                wanted = min(_CHUNK, place["size"] - place["done"])
                data = os.pread(source, wanted, place["done"]) if source >= 0 else b""
                self._out.write(data or bytes(wanted))
                place["done"] += len(data) or wanted
                self.state["bytes"] += len(data) or wanted
                if place["done"] < place["size"] and time.monotonic() > self._until:
                    return False
        finally:
            if source >= 0:
                os.close(source)
        self._out.write(bytes(-place["size"] % _BLOCK))
        self.state["open"] = None
        return True


def append(root: int, request: dict[str, Any]) -> dict[str, Any]:
    """One step: goes on at `state` and gives the next one, once what it wrote is on the disk."""
    directory = open_beneath(root, request["path"], os.O_RDONLY | os.O_DIRECTORY)
    parent, _ = _parent(root, request["target"])
    descriptor = _opened(parent, _part(request, request["fence"]))
    state = dict(request["state"])
    if os.fstat(descriptor).st_size < state["offset"]:
        raise FileNotFoundError(errno.ENOENT, "the part is shorter than it was")
    os.ftruncate(descriptor, state["offset"])
    os.lseek(descriptor, state["offset"], os.SEEK_SET)
    with io.FileIO(descriptor, "r+") as part:
        with gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=part, mtime=0) as out:
            _Step(directory, out, state).run()
        os.fsync(part.fileno())
        state["offset"] = part.tell()
        state["inode"] = os.fstat(part.fileno()).st_ino
    return state


def publish(root: int, request: dict[str, Any]) -> dict[str, Any]:
    """The part gets its name, unless something has it. Done again it changes nothing: the archive is known by inode."""
    parent, name = _parent(root, request["target"])
    part = _part(request, request["fence"])
    earlier = _parts(parent, request)
    if earlier:
        try:
            os.link(earlier[0], name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
        except FileExistsError:
            if os.stat(name, dir_fd=parent, follow_symlinks=False).st_ino != request["inode"]:
                raise
    status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    if status.st_ino != request["inode"]:
        raise FileNotFoundError(errno.ENOENT, f"{part} is gone")
    for each in earlier:
        os.unlink(each, dir_fd=parent)
    os.fsync(parent)
    return {"bytes": status.st_size}


def discard(root: int, request: dict[str, Any]) -> dict[str, Any]:
    """Nothing of this operation is left but an archive that has its name."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        parent, _ = _parent(root, request["target"])
        for each in _parts(parent, request):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(each, dir_fd=parent)
    return {}


ACTIONS = {"survey": survey, "begin": begin, "append": append, "publish": publish, "discard": discard}
