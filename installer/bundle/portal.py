"""The portal's build: npm with the pinned Node, from the lock file of the portal."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from installer.bundle.errors import BundleError
from installer.bundle.execution import Report, run
from installer.bundle.outputs import tree_digests
from installer.bundle.toolchain import Toolchain

BUILT = "portal"
INSTALL_S = 600.0  # of some 500 packages; half a minute where the registry is near
# npm itself waits 5 minutes for each answer, and asks again for minutes where the certificate is a stranger's.
PATIENCE = {
    "npm_config_fetch_timeout": "60000",
    "npm_config_fetch_retry_mintimeout": "1000",
    "npm_config_fetch_retry_maxtimeout": "5000",
}
REMEDY = (
    "The packages come from the npm registry of this machine's own npm settings; is it reachable? Behind a certificate "
    "authority of your own, name its file in the variable NODE_EXTRA_CA_CERTS, or by `npm config set cafile FILE`."
)
COMPRESSED = (".css", ".html", ".js", ".json", ".svg")
WORTH_BYTES = 1024
IGNORED = ("node_modules", "dist", "test-results", "playwright-report")


def portal_inputs(tree: Path, toolchain: Toolchain) -> dict[str, object]:
    """Return everything that the build depends on."""
    source = tree / "platform" / "portal"
    return {"recipe": 2, "toolchain": toolchain.key, "source": tree_digests(source, frozenset(IGNORED))}


def build_portal(tree: Path, toolchain: Toolchain, into: Path, report: Report) -> None:
    """Install the locked packages, build, and keep the result in `into/portal`, also compressed."""
    source = tree / "platform" / "portal"
    if not (source / "package-lock.json").exists():
        raise BundleError(f"{source} has no package-lock.json", "Run `npm install` there and commit the lock file.")
    with tempfile.TemporaryDirectory(prefix=".making-", dir=into.parent) as folder:
        work = Path(folder) / "portal"
        shutil.copytree(source, work, ignore=shutil.ignore_patterns(*IGNORED))
        environment = toolchain.node_environment()
        npm = toolchain.programs / "npm"
        install(npm, work, environment, report)
        check_locked(work)
        run([npm, "run", "build"], report, cwd=work, env=environment, remedy=f"Try `npm run build` in {source}.")
        compress(work / "dist")
        shutil.copytree(work / "dist", into / BUILT)


def compress(built: Path) -> None:
    """Put beside each text what the gateway answers with: compressed once here, not for every reader there.

    The bytes depend on the text alone: no time and no name are in them.
    """
    for file in sorted(built.rglob("*")):
        if file.suffix in COMPRESSED and file.stat().st_size >= WORTH_BYTES:
            file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))


def install(npm: Path, work: Path, environment: Mapping[str, str], report: Report, limit_s: float = INSTALL_S) -> None:
    """Install the locked packages; a registry that cannot be reached is told within `limit_s`."""
    # Not `npm ci`: it refuses a lock that lacks packages for other platforms, which a mirror need not carry.
    argv: list[str | Path] = [npm, "install", "--no-save", "--prefer-offline"]
    run(argv, report, cwd=work, env={**PATIENCE, **environment}, remedy=REMEDY, limit_s=limit_s)


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
