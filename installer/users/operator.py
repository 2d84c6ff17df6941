"""Who asks, for the audit."""

from __future__ import annotations

import getpass
import os
import socket


def operator() -> str:
    """Say who asks: for the audit, which believes whoever holds the cluster's administrator configuration."""
    person = os.environ.get("SUDO_USER") or getpass.getuser()
    return f"{person}@{socket.gethostname()}"
