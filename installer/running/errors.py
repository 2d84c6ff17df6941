"""What can stop a run, as types: each says what is wrong, where, and what to do, and has an exit code of its own."""

from __future__ import annotations

from installer import exit_codes


class RunError(Exception):
    """A run cannot start or go on."""

    exit_code = exit_codes.FAILED

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}"


class Busy(RunError):
    """Another process changes this cluster at the moment."""

    exit_code = exit_codes.BUSY


class Interrupted(RunError):
    """A person or the system asked the run to stop."""

    exit_code = exit_codes.INTERRUPTED
