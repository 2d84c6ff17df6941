"""What stops a check from being made at all."""

from __future__ import annotations

from installer.errors import ToldError
from installer.exit_codes import UNAVAILABLE


class PreflightError(ToldError):
    """Something cannot be checked."""

    exit_code = UNAVAILABLE
