"""What can go wrong with accounts, as types with exit codes of their own."""

from __future__ import annotations

from installer import exit_codes
from installer.errors import ToldError


class UsersError(ToldError):
    """The platform refuses."""


class PlatformUnavailable(UsersError):
    """Nothing of the platform answers."""

    exit_code = exit_codes.UNAVAILABLE
