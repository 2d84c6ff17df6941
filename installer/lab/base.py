"""The root that all lab nodes share: a minimal Debian with systemd, SSH, Python and sudo, cached by its recipe."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from installer.cluster.places import cache_directory
from installer.isolation import DIES_WITH_US
from installer.lab.commanding import command
from installer.lab.errors import LabError
from installer.lab.topology import LABS
from installer.progress.stages import Progress

# Bookworm: from trixie on systemd refuses the cgroup v1 that some machines still have.
SUITE = "bookworm"
PACKAGES = (
    "systemd",
    "systemd-sysv",
    "dbus",
    "openssh-server",
    "python3",
    "sudo",
    "iproute2",
    "ca-certificates",
    "apt",
)
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

_CGROUPS_SCRIPT = """\
#!/bin/sh
# systemd-nspawn mounts the cgroup controllers read-only and the root private; a kubelet needs both otherwise.
set -e
while read -r _ where kind _; do
    case "$kind" in cgroup|cgroup2) mount -o remount,rw,bind "$where" ;; esac
done < /proc/self/mounts
mount --make-rshared /
"""
_CGROUPS_UNIT = """\
[Unit]
Description=cgroup controllers are writable and mounts are shared, as on a server
DefaultDependencies=no
Before=sysinit.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/lib/atoll-lab/cgroups

[Install]
WantedBy=sysinit.target
"""
_SSHD = """\
# A node has no name server: a look-up of the caller's name would only delay every sign-in.
UseDNS no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
"""
_FILES: dict[str, tuple[str, int]] = {
    "etc/ssh/sshd_config.d/atoll-lab.conf": (_SSHD, 0o644),
    "usr/local/lib/atoll-lab/cgroups": (_CGROUPS_SCRIPT, 0o755),
    "etc/systemd/system/atoll-lab-cgroups.service": (_CGROUPS_UNIT, 0o644),
    # Nothing of the machine that built it: a node knows no package source and no name server.
    "etc/apt/sources.list": ("", 0o644),
    "etc/resolv.conf": ("", 0o644),
    "etc/hostname": ("", 0o644),
    "etc/hosts": ("127.0.0.1 localhost\n", 0o644),
    "etc/machine-id": ("", 0o444),
}
_ENABLED = {"etc/systemd/system/sysinit.target.wants/atoll-lab-cgroups.service": "../atoll-lab-cgroups.service"}
# Timers that reach for package mirrors, and a console that nobody sits at.
_MASKED = ("apt-daily.timer", "apt-daily-upgrade.timer", "console-getty.service")
_DROPPED = ("var/cache/apt/archives", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale")


def recipe_hash() -> str:
    """Return a short hash of everything that the base root is made of."""
    recipe = json.dumps([SUITE, PACKAGES, _FILES, _ENABLED, _MASKED, _DROPPED], sort_keys=True)
    return hashlib.sha256(recipe.encode()).hexdigest()[:12]


def lab_cache() -> Path:
    """Return the folder of the lab's caches."""
    return cache_directory() / "lab"


def base_root(progress: Progress) -> Path:
    """Return the base root, built by debootstrap if this recipe was not built before (about a minute)."""
    root = lab_cache() / f"base-{recipe_hash()}"
    if root.is_dir():
        return root
    lab_cache().mkdir(parents=True, exist_ok=True)
    with _only_one(lab_cache() / "lock"):
        if not root.is_dir():
            with progress.stage("base root of the nodes"):
                _build(root, progress)
    return root


def _build(root: Path, progress: Progress) -> None:
    partial = root.with_name(root.name + ".partial")
    for old in _unused(root):
        shutil.rmtree(old)
    packages = lab_cache() / "packages"
    packages.mkdir(exist_ok=True)
    progress.advance(f"debootstrap {SUITE}", 0)
    try:
        command(
            *DIES_WITH_US,
            *("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", f"--keyring={KEYRING}"),
            *(f"--cache-dir={packages}", SUITE, partial, _mirror()),
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"},
            timeout_s=1800,
        )
    except LabError as error:
        raise LabError(f"the base root of the nodes was not built: {error.message}", _log_hint(partial)) from error
    _finish(partial)
    partial.rename(root)


def _unused(root: Path) -> list[Path]:
    """Return base roots of older recipes that no node stands on, and what a killed build left."""
    used = {Path(base.read_text("utf-8").strip()) for base in LABS.glob("*/nodes/*/base")}
    return [old for old in lab_cache().glob("base-*") if old not in {root, *used}]


def _finish(root: Path) -> None:
    for dropped in _DROPPED:
        shutil.rmtree(root / dropped)
        (root / dropped).mkdir()
    (root / "var/lib/apt/lists/partial").mkdir()
    (root / "var/cache/apt/archives/partial").mkdir()
    for name, (content, mode) in _FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(content, encoding="utf-8")
        path.chmod(mode)
    for name, to in _ENABLED.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(to)
    for unit in _MASKED:
        (root / "etc/systemd/system" / unit).symlink_to("/dev/null")
    for key in (root / "etc/ssh").glob("ssh_host_*"):
        key.unlink()


def _mirror() -> str:
    """Return the address of the Debian archive that this machine's own apt uses."""
    shown = "$(REPO_URI) $(ORIGIN) $(COMPONENT)"
    sources = command("apt-get", "indextargets", "--format", shown, "Created-By: Packages")
    for line in sources.splitlines():
        address, _, rest = line.partition(" ")
        if rest == "Debian main" and "security" not in address:
            return address
    raise LabError(
        "this machine's apt knows no Debian archive, and the nodes of a lab are made from one",
        f"add a source for Debian {SUITE} main to /etc/apt/sources.list.d, run `apt-get update`, then try again",
    )


def _log_hint(partial: Path) -> str:
    log = partial / "debootstrap/debootstrap.log"
    return f"see {log}" if log.exists() else "see that this machine's package sources answer (`apt-get update`)"


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
