"""What can go wrong with a lab."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from installer.exit_codes import FAILED


class LabError(Exception):
    """A lab could not be built, looked at or taken down; says what, where, and what to do."""

    exit_code = FAILED

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message


@contextmanager
def system_errors_told() -> Iterator[None]:
    """Turn what the system refuses (a full disk, a missing right) into a LabError."""
    try:
        yield
    except BrokenPipeError:  # who reads our output has gone: no matter of the lab
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise LabError(f"{where}{error.strerror or error}", _remedy(error)) from error
    except subprocess.CalledProcessError as error:
        said = (error.stderr or b"").decode(errors="replace").strip()
        raise LabError(f"`{' '.join(map(str, error.cmd))}` failed with exit code {error.returncode}: {said}") from error


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "make room (`df -h`, `df -i`), then run the command again: it goes on where it stopped"
    if error.errno == errno.EROFS:
        return "the file system is mounted read-only: see `dmesg`, mount it writable, then run the command again"
    return ""
