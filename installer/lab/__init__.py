"""Nodes on this machine: network name spaces and systemd-nspawn, reached like real servers over SSH."""

from installer.lab.errors import LabError
from installer.lab.labs import down, status, up

__all__ = ["LabError", "down", "status", "up"]
