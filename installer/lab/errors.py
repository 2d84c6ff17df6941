"""What can go wrong with a lab."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from installer.errors import ToldError


class LabError(ToldError):
    """A lab could not be built, looked at or taken down."""


@contextmanager
def system_errors_told() -> Iterator[None]:
    """Turn what the system refuses (a full disk, a missing right) into a LabError."""
    try:
        yield
    except BrokenPipeError:  # who reads our output has gone: no matter of the lab
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        said = error.strerror or str(error)
        raise LabError(f"{where}{said}", remedy_of(said)) from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or b"").decode(errors="replace").strip()
        message = f"`{' '.join(map(str, error.cmd))}` failed with exit code {error.returncode}: {said}"
        raise LabError(message, remedy_of(said)) from error


def remedy_of(said: str) -> str:
    """Return what to do about an error in the words of the system, as programs pass them on; empty if unknown."""
    for number, remedy in _REMEDIES.items():
        if os.strerror(number).lower() in said.lower():
            return remedy
    return ""


_NO_RIGHT = "root lacks a right here, as in a container: `./atoll preflight` says what a lab needs"
_REMEDIES = {
    errno.ENOSPC: "make room (`df -h`, `df -i`), then run the command again: it goes on where it stopped",
    errno.EDQUOT: "make room within the quota, then run the command again: it goes on where it stopped",
    errno.EROFS: "the file system is mounted read-only: see `dmesg`, mount it writable, then run the command again",
    errno.EPERM: _NO_RIGHT,
    errno.EACCES: _NO_RIGHT,
}
