"""What can go wrong with the bundle."""

from __future__ import annotations

from installer.errors import ToldError


class BundleError(ToldError):
    """A part of the bundle could not be built, placed or trusted."""
