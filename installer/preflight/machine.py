"""What must hold on this machine, the one that installs: found all at once, each with the way to mend it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from installer import packages
from installer.cluster import Cluster, bundle_directory, cache_directory, state_directory
from installer.cluster.drivers import STORAGE
from installer.cluster.given import given
from installer.cluster.sign_in import AUTHORITY, secret_files
from installer.lab import cgroups, network, state
from installer.lab.errors import LabError
from installer.lab.topology import LABS, lab_directory, lab_of
from installer.preflight.checks import Check, Finding, Problem, gibibytes, run_all

GIB = 1 << 30
WHERE = "this machine"
BUNDLE_BUILD_BYTES = 20 * GIB
LAB_NODE_DISK_BYTES = 2 * GIB
LAB_NODE_MEMORY_BYTES = 3 * GIB // 2
CONTROLLERS = {"cpu", "cpuset", "memory", "pids"}


@dataclass(frozen=True)
class Wish:
    """What this machine is to do: install a cluster, and be its nodes too if that is a lab."""

    cluster: Cluster | None

    @property
    def lab_nodes(self) -> int:
        """How many nodes are to run here."""
        return len(self.cluster.nodes) if self.cluster and self.cluster.lab else 0

    @property
    def parts(self) -> list[str]:
        """The parts of this project that will run here, as the table of packages names them."""
        return ["nodes", *(["lab"] if self.lab_nodes else []), *([] if _bundle_is_there() else ["bundle"])]


def check_machine(cluster: Cluster | None) -> list[Finding]:
    """Return everything that this machine lacks to install `cluster` (None: any cluster of servers)."""
    return run_all(CHECKS, WHERE, Wish(cluster))


def _root(wish: Wish) -> Iterator[Problem]:
    if wish.lab_nodes and os.geteuid() != 0:
        yield Problem("the nodes of a lab are made on this machine, and that needs root", "Run the command with sudo.")


def _packages(wish: Wish) -> Iterator[Problem]:
    try:
        lacking = sorted({package.name for part in wish.parts for package in packages.missing(part)})
    except packages.PackageError as error:
        yield Problem(error.message, error.remedy)
        return
    if lacking:
        yield Problem(
            f"these Debian packages are missing: {', '.join(lacking)}",
            f"`./atoll up` installs them as root; by hand: apt-get install {' '.join(lacking)}",
        )


def _disk(wish: Wish) -> Iterator[Problem]:
    wanted = {state_directory("x").parent: 1 * GIB}
    if not _bundle_is_there():
        wanted[cache_directory()] = BUNDLE_BUILD_BYTES
    if wish.cluster and wish.cluster.lab:
        made = lab_directory(wish.cluster.name) / "nodes"
        wanted[LABS] = sum(LAB_NODE_DISK_BYTES for node in wish.cluster.nodes if not (made / node.name).is_dir())
    disks: dict[int, list[Path]] = {}
    for path in wanted:
        disks.setdefault(_existing(path).stat().st_dev, []).append(path)
    for paths in disks.values():
        free, need = shutil.disk_usage(_existing(paths[0])).free, sum(wanted[path] for path in paths)
        if free < need:
            yield Problem(
                f"the disk of {', '.join(map(str, paths))} has {gibibytes(free)} free, {gibibytes(need)} are needed",
                "Free some space, or choose other folders: ATOLL_CACHE (builds) and ATOLL_STATE (clusters).",
            )


def _memory(wish: Wish) -> Iterator[Problem]:
    need = GIB + wish.lab_nodes * LAB_NODE_MEMORY_BYTES
    have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if have < need:
        yield Problem(
            f"it has {gibibytes(have)} of memory, {gibibytes(need)} are needed",
            "Use fewer nodes in `nodes`, or a larger machine." if wish.lab_nodes else "Use a larger machine.",
        )


def _cpus(wish: Wish) -> Iterator[Problem]:
    have = len(os.sched_getaffinity(0))
    if wish.lab_nodes and have < 2:
        yield Problem(f"it has {have} CPU", "The master of a lab needs 2.")


def _name_spaces(wish: Wish) -> Iterator[Problem]:
    """Try in name spaces that end with the trial what the lab will do: the only honest test of a kernel."""
    if not wish.lab_nodes or os.geteuid() != 0:
        return
    enter = ["unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--"]
    if shutil.which("unshare") and (said := _fails([*enter, "true"])):
        remedy = "Run on the machine itself, not in a container; else use a machine with a full Debian kernel."
        yield Problem(f"no name spaces can be made here: {said}", remedy)
        return  # the other trials need them
    trials = {
        "bridges": (["ip", "link", "add", "trial", "type", "bridge"], "bridge"),
        "virtual cables (veth)": (["ip", "link", "add", "trial", "type", "veth", "peer", "name", "other"], "veth"),
        "nftables": (["nft", "add", "table", "inet", "trial"], "nf_tables"),
    }
    for title, (command, module) in trials.items():
        if None in (shutil.which("unshare"), shutil.which(command[0])):
            continue  # its package is missing, which is a finding of its own
        said = _fails([*enter, *command])
        if said:
            yield Problem(
                f"the kernel has no {title} for us: {said}",
                f"modprobe {module}, or use a machine with a full Debian kernel.",
            )


def _overlay(wish: Wish) -> Iterator[Problem]:
    if not wish.lab_nodes or os.geteuid() != 0 or shutil.which("unshare") is None:
        return
    with tempfile.TemporaryDirectory(dir=_existing(LABS), prefix=".atoll-trial-") as folder:
        for name in ("lower", "upper", "work", "root"):
            Path(folder, name).mkdir()
        layers = "lowerdir=lower,upperdir=upper,workdir=work"
        said = _fails(
            ["unshare", "--mount", "--", "mount", "-t", "overlay", "overlay", "-o", layers, "root"], cwd=folder
        )
        if said:
            yield Problem(
                f"no overlay can be mounted over folders of {_existing(LABS)}: {said}",
                "Let /var/lib/atoll lie on ext4 or xfs, not on an overlay or a network disk; see `modprobe overlay`.",
            )


def _fuse(wish: Wish) -> Iterator[Problem]:
    if (
        wish.cluster
        and wish.lab_nodes
        and "fuse" in STORAGE[wish.cluster.storage.driver].kernel
        and not Path("/dev/fuse").exists()
    ):
        yield Problem("there is no /dev/fuse, which the nodes' shared storage needs", "modprobe fuse")


def _cgroups(wish: Wish) -> Iterator[Problem]:
    if not wish.lab_nodes:
        return
    try:
        hierarchies = cgroups.hierarchies()
    except LabError as error:
        yield Problem(error.message, error.remedy)
        return
    there = {path.name for path in hierarchies}
    for path in hierarchies:
        listed = path / "cgroup.controllers"
        there |= set(listed.read_text("utf-8").split()) if listed.exists() else set()
    missing = sorted(CONTROLLERS - there)
    if missing:
        yield Problem(
            f"cgroup controllers are missing: {', '.join(missing)}",
            "Mount them below /sys/fs/cgroup, or boot without `cgroup_disable=`.",
        )


def _lab_network(wish: Wish) -> Iterator[Problem]:
    if wish.cluster is None or not wish.lab_nodes or shutil.which("ip") is None:
        return
    try:
        network.check(lab_of(wish.cluster))
        state.check_names(lab_of(wish.cluster))
    except LabError as error:
        yield Problem(error.message, error.remedy)


def _sign_in(wish: Wish) -> Iterator[Problem]:
    """Look at the files of ways to sign in; of a secret nothing is told but that it is none."""
    if wish.cluster is None:
        return
    for name, written in secret_files(wish.cluster.sign_in).items():
        try:
            content = given(wish.cluster, written).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            yield Problem(f"{written} cannot be read ({why})", "`sign_in` names it: make it, or name another file.")
            continue
        if name == AUTHORITY:
            if "-----BEGIN CERTIFICATE-----" not in content:
                yield Problem(f"{written} holds no certificate", "Write the authority into it, as PEM.")
        elif not content or len(content.split()) > 1:
            yield Problem(
                f"{written} holds {'several words' if content else 'nothing'}, and no secret",
                "Write the application's secret into it, and nothing else.",
            )


def _bundle_is_there() -> bool:
    return (bundle_directory() / "index.json").exists()


def _existing(path: Path) -> Path:
    return next(place for place in (path, *path.parents) if place.is_dir())


def _fails(command: Sequence[str], cwd: str | None = None) -> str:
    """Return what a trial says when it fails, or nothing."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=30, check=False)
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


CHECKS: tuple[Check[Wish], ...] = (
    Check("machine.root", "root", "error", _root),
    Check("machine.packages", "Debian packages", "note" if os.geteuid() == 0 else "error", _packages),
    Check("machine.disk", "disk", "error", _disk),
    Check("machine.memory", "memory", "error", _memory),
    Check("machine.cpus", "CPUs", "error", _cpus),
    Check("machine.kernel", "kernel features", "error", _name_spaces),
    Check("machine.overlay", "overlay", "error", _overlay),
    Check("machine.fuse", "FUSE", "error", _fuse),
    Check("machine.cgroups", "cgroups", "error", _cgroups),
    Check("machine.lab_network", "network of the lab", "error", _lab_network),
    Check("machine.sign_in", "files of ways to sign in", "error", _sign_in),
)
