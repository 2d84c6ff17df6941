"""What can go wrong with images, as types with exit codes of their own."""

from __future__ import annotations

from installer import exit_codes
from installer.errors import ToldError


class ImageError(ToldError):
    """An image cannot be imported or listed."""


class BadArchive(ImageError):
    """The file is no image that we can read."""

    exit_code = exit_codes.BAD_FILE


class BadName(ImageError):
    """The name cannot be used."""

    exit_code = exit_codes.USAGE


class RegistryUnavailable(ImageError):
    """The registry does not answer, or not as it should."""

    exit_code = exit_codes.UNAVAILABLE
