"""What can go wrong with images, as types: each says what is wrong, where, and what to do."""

from __future__ import annotations

from installer import exit_codes


class ImageError(Exception):
    """An image cannot be imported or listed."""

    exit_code = exit_codes.FAILED

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}"


class BadArchive(ImageError):
    """The file is no image that we can read."""

    exit_code = exit_codes.BAD_FILE


class BadName(ImageError):
    """The name cannot be used."""

    exit_code = exit_codes.USAGE


class RegistryUnavailable(ImageError):
    """The registry does not answer, or not as it should."""

    exit_code = exit_codes.UNAVAILABLE
