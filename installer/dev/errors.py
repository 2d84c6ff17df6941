"""What can go wrong with `./atoll dev`."""

from __future__ import annotations

from installer.errors import ToldError


class DevError(ToldError):
    """The platform could not be started on this machine, or a part of it ended."""
