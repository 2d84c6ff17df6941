"""How `ssh` is told to trust only pinned host keys, on the way through a jump host too."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class JumpHost:
    """A machine that the way leads through: `target` is `[user@]host`."""

    target: str
    port: int = 22

    @classmethod
    def parse(cls, jump: str) -> JumpHost:
        """Read `[user@]host[:port]`."""
        target, _, port = jump.partition(":")
        return cls(target, int(port or 22))

    @property
    def host(self) -> str:
        """Its name or address."""
        return self.target.rpartition("@")[2]

    @property
    def pattern(self) -> str:
        """How it stands in a known_hosts file."""
        # OpenSSH looks names up in small letters.
        host = self.host.lower()
        return host if self.port == 22 else f"[{host}]:{self.port}"


def pinned_options(known_hosts: Path) -> list[str]:
    """Return the options of `ssh` that accept the keys in this file only, and never ask."""
    wanted = {
        "UserKnownHostsFile": str(known_hosts),
        "GlobalKnownHostsFile": "/dev/null",
        "StrictHostKeyChecking": "yes",
        "IdentitiesOnly": "yes",
        "BatchMode": "yes",
        "PasswordAuthentication": "no",
    }
    return [word for name, value in wanted.items() for word in ("-o", f"{name}={value}")]


def jump_options(jump: str | None, key: Path, known_hosts: Path, connect_s: int = 10) -> list[str]:
    """Return the options of `ssh` that lead through the jump host: signed in with this key, its own key pinned."""
    if not jump:
        return []
    # Not ProxyJump: its inner ssh would take the user's own known hosts and keys instead of these.
    through = JumpHost.parse(jump)
    inner = ["ssh", *pinned_options(known_hosts), "-o", f"ConnectTimeout={connect_s}", "-o", "LogLevel=ERROR"]
    inner += ["-i", str(key), "-p", str(through.port), "-W", "[%h]:%p", through.target]
    return ["-o", f"ProxyCommand={shlex.join(inner)}"]
