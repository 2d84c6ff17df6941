"""The folder of one `./atoll dev`: whose it is, that only one uses it, and how it is emptied."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from installer.dev.errors import DevError

LOCK, MADE = "lock", "config.yaml"
OTHER = "Name another folder with --state."


@contextmanager
def own(state: Path) -> Iterator[None]:
    """Make the folder if it is not there, and keep it for this process alone."""
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        if state.stat().st_uid != os.geteuid():
            raise DevError(f"{state} belongs to another user.", OTHER)
        if any(state.iterdir()) and not any((state / name).exists() for name in (LOCK, MADE)):
            raise DevError(f"{state} was not made by `./atoll dev` and is not empty.", OTHER)
        state.chmod(0o700)  # also one that was there: it holds passwords and everybody's files
        stream = (state / LOCK).open("a+", encoding="utf-8")
    except OSError as error:
        raise DevError(f"{state} cannot be used: {error.strerror}.", OTHER) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.seek(0)
            where = stream.read().strip() or "it is just starting"
            raise DevError(
                f"`./atoll dev` runs already in {state}: {where}",
                "For a second one beside it: ./atoll dev --state FOLDER --port NUMBER",
            ) from None
        try:
            yield
        finally:
            say(state, "")


def say(state: Path, where: str) -> None:
    """Leave word for whoever starts a second one in the same folder."""
    (state / LOCK).write_text(where, encoding="utf-8")


def empty(state: Path) -> None:
    """Remove all that it holds; the folder itself is in use."""
    for entry in state.iterdir():
        if entry.name == LOCK:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
