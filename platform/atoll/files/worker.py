"""One request on a user's files, in a process of its own under that user's uid.

Run as `python -I worker.py` with the request as JSON on stdin; the first thing it does is to become that user. Answers
with one line of JSON, then, for `read`, the bytes. Standard library only and nothing of Atoll imported but its
neighbour, so that it starts in some 20 ms.
"""

import errno
import importlib
import json
import os
import resource
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from beneath import open_beneath  # type: ignore[import-not-found,unused-ignore]
from names import first, scan  # type: ignore[import-not-found,unused-ignore]

CHUNK = 1 << 16
# What the kernel lets this process have: what a user laid out takes no memory from other users.
MOST_BYTES = 18 << 20
_WINDOW_BYTES = 1 << 20
# Libraries that one operation needs and that are large.
NEEDED_BY = {"archive": "archiving", "examples": "shutil"}


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else "other"


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()


def _listing(root: int, request: dict[str, Any]) -> None:
    """The names behind `after` as far as the window goes, or what is known of `names`; `read`: entries looked at."""
    directory = open_beneath(root, request["path"], os.O_RDONLY | os.O_DIRECTORY)
    if request["names"] is not None:
        _say({"ok": True, "read": 0, "items": _items(directory, request["names"])})
        return
    read = 0
    after = request["after"] and tuple(request["after"])

    def places() -> Iterator[tuple[bool, str]]:
        nonlocal read
        for entry in scan(entries):
            read += 1
            place = (not entry.is_dir(follow_symlinks=False), entry.name)
            if after is None or place > after:
                yield place

    # Directories first, then by name: one order that a cursor can go on from.
    with os.scandir(directory) as entries:
        window, complete = first(places(), request["window"], _WINDOW_BYTES)
    items = _items(directory, [name for _, name in window[: request["limit"]]])
    _say({"ok": True, "read": read, "items": items, "window": window, "complete": complete})


def _items(directory: int, names: list[str]) -> list[dict[str, Any]]:
    items = []
    for name in names:
        try:
            status = os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:  # removed meanwhile: then it is not in the listing
            continue
        items.append(
            {
                "name": name.encode("utf-8", "replace").decode(),
                "kind": _kind(status.st_mode),
                "size_bytes": status.st_size,
                "modified_at": status.st_mtime,
            }
        )
    return items


def _read(root: int, request: dict[str, Any]) -> None:
    # O_NONBLOCK: opening a named pipe must not hang.
    descriptor = open_beneath(root, request["path"], os.O_RDONLY | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        _say({"ok": False, "code": "not_a_file"})
        return
    start = request["start"]
    start = max(0, status.st_size + start) if start < 0 else start
    _say({"ok": True, "size_bytes": status.st_size, "start": start, "modified_at": status.st_mtime})
    left = request["length"] if request["length"] is not None else max(0, status.st_size - start)
    while left > 0:
        data = os.pread(descriptor, min(CHUNK, left), start)
        if not data:
            return
        sys.stdout.buffer.write(data)
        start += len(data)
        left -= len(data)
    sys.stdout.buffer.flush()


def _archive(root: int, request: dict[str, Any]) -> None:
    from archiving import ACTIONS  # type: ignore[import-not-found,unused-ignore]

    _say({"ok": True, **ACTIONS[request["action"]](root, request)})


def _examples(home: str, request: dict[str, Any]) -> None:
    """Copy the examples once; a user who removes them later is not given them again."""
    import shutil

    target = Path(home) / "examples"
    if not os.path.lexists(target):
        # Contents only: images carry no times and modes that mean anything to the user.
        shutil.copytree(
            request["examples"],
            target,
            copy_function=shutil.copyfile,
            ignore=shutil.ignore_patterns("__pycache__", "*.pyc"),
        )
        for directory in (target, *target.rglob("*/")):
            os.utime(directory)
            directory.chmod(0o750)
    _say({"ok": True})


def _become(uid: int) -> None:
    """Give up root for good, before any path is looked at."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid) or os.getresgid() != (uid, uid, uid) or os.getgroups():
        raise SystemExit("the worker could not become the user")


def main() -> int:
    """Serve the one request."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    request = json.load(sys.stdin.buffer)
    if needed := NEEDED_BY.get(request["operation"]):
        importlib.import_module(needed)  # as root: the user's rights may not reach the place of the library
    if request["uid"] is not None:
        _become(int(request["uid"]))
    os.umask(0o027)
    try:
        root = os.open(request["root"], os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
        if request["operation"] == "examples":
            _examples(request["root"], request)
        else:
            {"list": _listing, "read": _read, "archive": _archive}[request["operation"]](root, request)
    except BrokenPipeError:
        return 0
    except MemoryError:
        _say({"ok": False, "code": "os_error", "errno": errno.E2BIG, "message": "it takes too much memory"})
    except OSError as error:
        refused = {"ok": False, "code": "os_error", "errno": error.errno, "message": error.strerror}
        if error.errno == errno.EOVERFLOW and isinstance(error.filename, str):
            refused["path"] = error.filename.encode("utf-8", "replace").decode()
        _say(refused)
    return 0


if __name__ == "__main__":
    sys.exit(main())
