"""What can go wrong with the bundle."""

from __future__ import annotations


class BundleError(Exception):
    """A part of the bundle could not be built, placed or trusted; says what, where, and what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message
