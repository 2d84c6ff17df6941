"""The Debian packages that this machine needs, and what for: one table. What is missing is installed, and told."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from installer.errors import ToldError
from installer.exit_codes import UNAVAILABLE


class PackageError(ToldError):
    """This machine lacks packages and cannot get them."""

    exit_code = UNAVAILABLE


@dataclass(frozen=True)
class Package:
    """A Debian package, the parts of this project that need it, and why."""

    name: str
    needed_by: frozenset[str]
    why: str


PACKAGES = (
    Package("openssh-client", frozenset({"lab", "nodes"}), "signs in to the nodes"),
    Package("iproute2", frozenset({"lab", "browser", "firewall"}), "makes the lab's bridge, and name spaces"),
    Package(
        "nftables",
        frozenset({"lab", "firewall"}),
        "keeps the lab's nodes from reaching out, and tries nodes' firewalls",
    ),
    Package("debootstrap", frozenset({"lab", "bundle"}), "makes the root of the lab's nodes and of images"),
    Package("debian-archive-keyring", frozenset({"lab", "bundle"}), "checks the packages of those roots"),
    Package("zstd", frozenset({"bundle"}), "packs the layers of images"),
    Package("gcc", frozenset({"bundle"}), "compiles the C part of runc"),
    Package("libc6-dev", frozenset({"bundle"}), "compiles the C part of runc"),
    Package("libseccomp-dev", frozenset({"bundle"}), "is linked into runc"),
    Package("systemd-container", frozenset({"lab"}), "runs the lab's nodes (systemd-nspawn)"),
    Package("chromium-headless-shell", frozenset({"browser"}), "is the browser of the portal's tests"),
)


def missing(part: str) -> list[Package]:
    """Return the packages that a part of this project needs and this machine lacks."""
    wanted = [package for package in PACKAGES if part in package.needed_by]
    there = installed([package.name for package in wanted])
    return [package for package in wanted if package.name not in there]


def installed(names: list[str]) -> set[str]:
    """Return those of the packages that are installed."""
    query = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *names]
    try:
        shown = subprocess.run(query, capture_output=True, text=True, timeout=60, check=False).stdout
    except FileNotFoundError as error:
        raise PackageError(
            "this machine has no dpkg: it is no Debian", "run Atoll on Debian 12; nodes may run another system"
        ) from error
    return {line.split()[0] for line in shown.splitlines() if line.endswith(" installed")}


def install(part: str, say: Callable[[str], None]) -> list[str]:
    """Install what the part needs and this machine lacks; say so. Raises PackageError. Returns what was installed."""
    with _alone():
        return _install(missing(part), say)


@contextmanager
def _alone() -> Iterator[None]:
    """Wait for another process of ours that installs: apt-get waits for dpkg's lock, but not for that of its lists."""
    if os.geteuid() != 0:
        yield  # it will be told what to install
        return
    with Path("/run/atoll-packages.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(lacking: list[Package], say: Callable[[str], None]) -> list[str]:
    if not lacking:
        return []
    names = [package.name for package in lacking]
    for package in lacking:
        say(f"Installing the Debian package {package.name}: {package.why}.")
    if os.geteuid() != 0:
        raise PackageError(
            f"missing Debian packages: {' '.join(names)}", f"run: sudo apt-get install {' '.join(names)}"
        )
    quiet = ["apt-get", "--quiet", "--yes", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
    for step in (["update"], ["install", *names]):
        done = subprocess.run(
            [*quiet, *step],
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        if done.returncode:
            said = "\n".join(done.stderr.strip().splitlines()[-5:])
            raise PackageError(
                f"`apt-get {step[0]}` failed: {said}",
                f"see that the package sources answer, then: apt-get install {' '.join(names)}",
            )
    return names
