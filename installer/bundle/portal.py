"""The portal's build: npm with the pinned Node, from the lock file of the portal."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from installer.bundle.errors import BundleError
from installer.bundle.execution import Report, run
from installer.bundle.outputs import tree_digests
from installer.bundle.toolchain import Toolchain

BUILT = "portal"
IGNORED = ("node_modules", "dist", "test-results", "playwright-report")


def portal_inputs(tree: Path, toolchain: Toolchain) -> dict[str, object]:
    """Return everything that the build depends on."""
    source = tree / "platform" / "portal"
    return {"recipe": 1, "toolchain": toolchain.key, "source": tree_digests(source, frozenset(IGNORED))}


def build_portal(tree: Path, toolchain: Toolchain, into: Path, report: Report) -> None:
    """Install the locked packages, build, and keep the result in `into/portal`."""
    source = tree / "platform" / "portal"
    if not (source / "package-lock.json").exists():
        raise BundleError(f"{source} has no package-lock.json", "Run `npm install` there and commit the lock file.")
    with tempfile.TemporaryDirectory(prefix=".making-", dir=into.parent) as folder:
        work = Path(folder) / "portal"
        shutil.copytree(source, work, ignore=shutil.ignore_patterns(*IGNORED))
        environment = toolchain.node_environment()
        npm = toolchain.programs / "npm"
        remedy = "The packages come from the npm registry of this machine's own npm settings; is it reachable?"
        # Not `npm ci`: it refuses a lock that lacks packages for other platforms, which a mirror need not carry.
        run([npm, "install", "--no-save", "--prefer-offline"], report, cwd=work, env=environment, remedy=remedy)
        check_locked(work)
        run([npm, "run", "build"], report, cwd=work, env=environment, remedy=f"Try `npm run build` in {source}.")
        shutil.copytree(work / "dist", into / BUILT)


def check_locked(work: Path) -> None:
    """Refuse a package that npm installed but the lock file does not pin."""
    locked = json.loads((work / "package-lock.json").read_text())["packages"]
    installed = json.loads((work / "node_modules" / ".package-lock.json").read_text())["packages"]
    pinned = {path: entry.get("integrity") for path, entry in locked.items() if entry.get("integrity")}
    strangers = [path for path, entry in installed.items() if pinned.get(path, "none") != entry.get("integrity")]
    if strangers:
        raise BundleError(
            f"npm installed packages that platform/portal/package-lock.json does not pin: {', '.join(strangers[:8])}",
            "Run `npm install` in platform/portal and commit the lock file.",
        )
