"""The bundle's folder does not change while a run takes files from it: many runs may read, one build may write."""

from __future__ import annotations

import errno
import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def reading(bundle: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Keep builds from changing a bundle; wait for one that does so now."""
    with _held(bundle, fcntl.LOCK_SH, lambda: say(f"A build writes {bundle}; this run waits for it.")):
        yield


@contextmanager
def writing(bundle: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Change a bundle once no run takes files from it."""
    with _held(bundle, fcntl.LOCK_EX, lambda: say(f"A run takes files from {bundle}; the build waits for its end.")):
        yield


@contextmanager
def _held(bundle: Path, kind: int, tell: Callable[[], None]) -> Iterator[None]:
    """Hold a lock beside the folder, since every file in it is in its index."""
    lock = bundle.with_name(f".{bundle.name}.lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        stream = lock.open("a")
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES):
            raise
        yield  # nobody can change what cannot be written
        return
    with stream:
        try:
            fcntl.flock(stream, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            tell()
            fcntl.flock(stream, kind)
        yield
