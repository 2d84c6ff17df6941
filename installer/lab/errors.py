"""What can go wrong with a lab."""

from __future__ import annotations

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
