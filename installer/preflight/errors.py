"""What stops a check from being made at all."""

from __future__ import annotations

from installer.exit_codes import UNAVAILABLE


class PreflightError(Exception):
    """Says what is wrong and what to do."""

    exit_code = UNAVAILABLE

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message
