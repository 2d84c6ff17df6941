"""What can stop a run, as types with exit codes of their own."""

from __future__ import annotations

from installer import exit_codes
from installer.errors import ToldError


class RunError(ToldError):
    """A run cannot start or go on."""


class Busy(RunError):
    """Another process changes this cluster at the moment."""

    exit_code = exit_codes.BUSY


class Interrupted(RunError):
    """A person or the system asked the run to stop."""

    exit_code = exit_codes.INTERRUPTED
