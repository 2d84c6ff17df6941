"""Root file systems for image layers: Debian's packages installed in a chroot of a mount name space of its own.

Everything is mounted inside `unshare --mount`, so that nothing stays behind, whatever ends the build.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from installer.bundle.debian import Package, as_stanza
from installer.bundle.execution import Report, environment, run
from installer.bundle.outputs import file_digest
from installer.bundle.repository import write_repository
from installer.isolation import DIES_WITH_US

# Parts of Debian packages that no container reads; copyright files stay.
NEVER_NEEDED = (
    "usr/share/man", "usr/share/info", "usr/share/locale", "usr/share/lintian", "usr/share/linda", "usr/share/doc-base",
    "usr/share/bash-completion", "usr/share/groff", "var/cache/apt", "var/lib/apt/lists", "var/cache/debconf",
    "var/cache/ldconfig", "var/log", "var/lib/systemd", "etc/machine-id", "etc/hostname", "etc/resolv.conf",
    "etc/ssh/ssh_host_rsa_key", "etc/ssh/ssh_host_ecdsa_key", "etc/ssh/ssh_host_ed25519_key", "usr/sbin/policy-rc.d",
    "etc/apt/sources.list",
)  # fmt: skip
KEPT_EMPTY = (
    "var/cache/apt/archives/partial",
    "var/lib/apt/lists/partial",
    "var/log/apt",
    "var/cache/debconf",
    "tmp",
    "run",
)
DPKG_SLIM = (
    "".join(f"path-exclude /{path}/*\n" for path in NEVER_NEEDED if path.startswith("usr/share/"))
    + "path-exclude /usr/share/doc/*\npath-include /usr/share/doc/*/copyright\n"
)

# $1 lower folders (upmost first), $2 upper, $3 work, $4 root, $5 repository, then the packages.
INSTALL = """
set -eu
lower=$1 upper=$2 work=$3 root=$4 repository=$5
shift 5
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$upper,workdir=$work" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/mnt"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$repository" "$root/mnt"
printf '#!/bin/sh\\nexit 101\\n' > "$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
printf 'deb [trusted=yes] file:/mnt ./\\n' > "$root/etc/apt/sources.list"
chroot "$root" apt-get -q -o APT::Sandbox::User=root update
chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o APT::Install-Recommends=false \
    -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0 install "$@"
rm -f "$root/usr/sbin/policy-rc.d" "$root/etc/apt/sources.list"
"""

# The same overlay for a command that only needs what is below, for example Python that compiles what was added.
WITHIN = """
set -eu
lower=$1 upper=$2 work=$3 root=$4
shift 4
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$upper,workdir=$work" "$root"
mkdir -p "$root/proc" "$root/dev"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
chroot "$root" "$@"
"""


PYTHON_FOLDERS = ("usr/lib/python3*", "opt/atoll/python")
# Files that do not compile (templates, tests for other versions) stay without a cache, as if they were never imported.
COMPILE = """
import concurrent.futures, py_compile
def one(path):
    py_compile.compile(path, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH, quiet=2)
with open("/list-of-python-files") as listed, concurrent.futures.ProcessPoolExecutor(2) as pool:
    list(pool.map(one, listed.read().split("\\0"), chunksize=50))
"""


def bootstrap(
    release: str, architecture: str, places: Mapping[Package, Path], into: Path, work: Path, report: Report
) -> None:
    """Make a minimal Debian in `into` from locked packages alone."""
    mirror = work / "mirror"
    packages = mirror / "dists" / release / "main" / f"binary-{architecture}"
    write_repository(places, packages)
    _write_release(mirror, release, architecture, packages, places)
    log = work / "root"
    variant = ["--variant=minbase", "--no-check-gpg", "--merged-usr", f"--arch={architecture}"]
    argv = [*DIES_WITH_US, "debootstrap", *variant, release, str(log), f"file://{mirror}"]
    run(argv, report, env=environment(), remedy="Install the Debian package `debootstrap`.")
    (log / "etc/dpkg/dpkg.cfg.d").mkdir(parents=True, exist_ok=True)
    (log / "etc/dpkg/dpkg.cfg.d/atoll").write_text(DPKG_SLIM)
    (log / "etc/apt/apt.conf.d/atoll").write_text('APT::Install-Recommends "false";\nAcquire::Languages "none";\n')
    log.rename(into)
    # A container gets its devices from the runtime.
    shutil.rmtree(into / "dev")
    (into / "dev").mkdir()
    slim(into)


def _write_release(mirror: Path, release: str, architecture: str, folder: Path, places: Mapping[Package, Path]) -> None:
    # debootstrap looks for files below the mirror's root, as the archive has them.
    text = (folder / "Packages").read_text().replace("Filename: ./", "Filename: pool/")
    pool = mirror / "pool"
    pool.mkdir()
    for package in places:
        (folder / package.file_name).rename(pool / package.file_name)
    (folder / "Packages").write_text(text)
    digest, size = file_digest(folder / "Packages"), (folder / "Packages").stat().st_size
    fields = {
        "Suite": release,
        "Codename": release,
        "Components": "main",
        "Architectures": architecture,
        "SHA256": f"\n {digest} {size} main/binary-{architecture}/Packages",
    }
    (mirror / "dists" / release / "Release").write_text(as_stanza(fields))


def install(lower: Sequence[Path], places: Mapping[Package, Path], upper: Path, work: Path, report: Report) -> None:
    """Install locked packages above the folders `lower` (lowest first); what they add is in `upper`."""
    repository = work / "repository"
    write_repository(places, repository)
    words = [f"{package.name}={package.version}" for package in sorted(places)]
    run([*_isolated(INSTALL, lower, upper, work), repository, *words], report, env=environment())
    for path in (upper / "mnt", upper / "proc", upper / "dev"):
        shutil.rmtree(path, ignore_errors=True)
    slim(upper)


def within(lower: Sequence[Path], upper: Path, work: Path, argv: Sequence[str], report: Report) -> None:
    """Run a command in a chroot of the folders `lower`; what it writes is in `upper`."""
    run([*_isolated(WITHIN, lower, upper, work), *argv], report, env=environment())
    for path in (upper / "proc", upper / "dev"):
        shutil.rmtree(path, ignore_errors=True)


def compile_python(lower: Sequence[Path], upper: Path, work: Path, report: Report) -> None:
    """Compile the Python files that a layer adds, with the interpreter of the image, so that programs start at once.

    The cache files are not checked against their sources at run time: times in a layer are all alike.
    """
    sources = [path for folder in PYTHON_FOLDERS for path in sorted(upper.glob(f"{folder}/**/*.py"))]
    if not sources:
        return
    report(f"compiling {len(sources)} Python files")
    listed = upper / "list-of-python-files"
    listed.write_text("\0".join(f"/{path.relative_to(upper)}" for path in sources))
    try:
        within(lower, upper, work, ["/usr/bin/python3", "-c", COMPILE], report)
    finally:
        listed.unlink()


def _isolated(script: str, lower: Sequence[Path], upper: Path, work: Path) -> list[str | Path]:
    overlay_work, root = work / "overlay", work / "merged"
    for folder in (upper, overlay_work, root):
        folder.mkdir(parents=True, exist_ok=True)
    lowers = ":".join(str(path) for path in reversed(lower))
    isolate = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh"]
    return [*isolate, lowers, upper, overlay_work, root]


def slim(root: Path) -> None:
    """Remove what no container reads and what differs from build to build."""
    for relative in NEVER_NEEDED:
        path = root / relative
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.is_file() or path.is_symlink():
            path.unlink()
    documents = root / "usr/share/doc"
    for path in sorted(documents.rglob("*")) if documents.exists() else []:
        if not path.is_dir() and path.name != "copyright":
            path.unlink()
    for path in root.rglob("*-old"):
        if path.parent.name == "dpkg":
            path.unlink()
    for name in ("passwd-", "group-", "shadow-", "gshadow-"):
        (root / "etc" / name).unlink(missing_ok=True)
    for cached in sorted(root.rglob("__pycache__")):
        shutil.rmtree(cached)


def keep_empty_folders(root: Path) -> None:
    """Make the folders anew that programs expect and `slim` emptied."""
    for relative in KEPT_EMPTY:
        (root / relative).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
