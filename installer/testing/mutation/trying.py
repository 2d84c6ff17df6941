"""A mutant is tried in a copy of the tree, behind a wall: broken code must not reach what else is on this machine.

With root, tests have mounts, processes and a network of their own: the disk is read-only but for the copy and a /tmp
beside it, no process outside is seen, and what they start ends with them. Without root there is no such wall; broken
code has no more rights than its user then.
"""

from __future__ import annotations

import os
import pwd
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from installer.cluster.places import cache_directory
from installer.testing.mutation.mutants import Mutant
from installer.testing.mutation.order import Order
from installer.testing.trees import copy_files, tracked

LEAST_S = 60.0
TIMES_SOUND = 4
MEMORY_BYTES = 6 << 30  # of each process: a loop that no longer ends would take all there is
TOLD_LINES = 15
# What the runner and the virtual environment of another tree say about themselves.
INHERITED = {"ATOLL_TEST_RESULTS", "ANSIBLE_CONFIG", "PYTEST_CURRENT_TEST", "PYTHONPATH", "TMPDIR"}
# Own processes, mounts and network are given by `unshare`. $1 is the folder of the copy, $2 where Ansible keeps files
# whatever $HOME says; what lies in memory (/dev, /sys) stays as it is.
WALL = """
set -e
mount --bind "$1" "$1"
mount --bind "$1/tmp" /tmp
mkdir -p "$HOME" "$2"
mount --bind "$HOME" "$2"
mount -o remount,bind,ro /
ip link set lo up
cd "$1/tree"
"""
# Who tries it may be killed at the end of a suite's time: `unshare` dies with it, and all inside with `unshare`.
UNSHARE = (
    "setpriv",
    "--pdeathsig",
    "KILL",
    "unshare",
    "--mount",
    "--pid",
    "--net",
    "--fork",
    "--kill-child",
    "--mount-proc",
)


@dataclass(frozen=True)
class Tried:
    """How the tests ended: `code` is pytest's, -1 where their time was over; `all_said` is the whole of `said`."""

    code: int
    seconds: float
    said: str
    all_said: str = ""

    @property
    def green(self) -> bool:
        """Whether all tests ran and passed."""
        return self.code == 0

    def is_verdict(self, mutant: Mutant) -> bool:
        """Whether this tells of the mutant: tests passed, one was red, time was over, or its own file is not read.

        Anything else (no tests there, pytest or the wall itself ended) is trouble of the gate, not a test that notices.
        """
        return self.code in (0, 1, -1) or (self.code == 2 and Path(mutant.file).name in self.all_said)


def limit_s(sound: Tried) -> float:
    """Return how long a mutant may take, by what the sound room took."""
    return max(LEAST_S, TIMES_SOUND * sound.seconds)


class Copy:
    """A copy of the tree with the tests of one room; `sound_tree` is another one, which nothing ever runs in."""

    def __init__(self, sound_tree: Path, tree: Path, tests: tuple[str, ...]) -> None:
        self.sound_tree = sound_tree
        self.tree = tree
        self.order = Order(sound_tree, tests)

    def sound(self, timeout_s: float) -> Tried:
        """Run the tests of the room as it is."""
        sound = run_tests(self.tree, ["--durations=0", "-vv", *self.order.files], timeout_s)
        self.order.learn_seconds(sound.all_said)
        return sound

    def tried(self, mutant: Mutant, timeout_s: float) -> Tried:
        """Run the tests with one mutant, and take away what it left.

        A run whose time was over is tried once more: something else may have been slow.
        """
        if first := self.order.first(mutant.file):
            looked = self._once(mutant, timeout_s, first)
            if looked.code == 1:
                return looked
        tried = self._once(mutant, timeout_s, self.order.files)
        if tried.code < 0:
            tried = self._once(mutant, timeout_s, self.order.files)
        if tried.code == 1:
            self.order.learn_red(mutant.file, tried.all_said)
        return tried

    def _once(self, mutant: Mutant, timeout_s: float, tests: list[str]) -> Tried:
        try:
            mutant.apply(self.tree)
            return run_tests(self.tree, tests, timeout_s)
        finally:
            self.mend()

    def mend(self) -> None:
        """Bring the copy, and the /tmp beside it, to where they were."""
        wanted = {path.relative_to(self.sound_tree) for path in files(self.sound_tree)}
        for path in files(self.tree):
            name = path.relative_to(self.tree)
            if name not in wanted or _stamp(path) != _stamp(self.sound_tree / name):
                path.unlink()
        copy_files(self.sound_tree, self.tree, [str(name) for name in wanted if not (self.tree / name).exists()])
        make_tmp(self.tree)


def files(tree: Path) -> list[Path]:
    """Return all files and links below a tree."""
    return [path for path in tree.rglob("*") if path.is_symlink() or path.is_file()]


def _stamp(path: Path) -> tuple[int, int, int]:
    """What differs when a file was written to; `copy_files` keeps all of it."""
    seen = path.lstat()
    return seen.st_size, seen.st_mtime_ns, seen.st_mode


def make_tmp(tree: Path) -> None:
    """Have an empty /tmp for what runs in a copy."""
    place = tree.parent / "tmp"
    if place.exists():
        rmtree(place)
    place.mkdir()
    place.chmod(0o1777)


@contextmanager
def copied(root: Path, names: list[str] | None = None) -> Iterator[Path]:
    """Lend a copy of these files of a tree (None: what is under version control), as they are now."""
    with TemporaryDirectory(prefix="atoll-mutation-", dir="/var/tmp") as place:  # /tmp is another one behind the wall
        tree = Path(place).resolve() / "tree"
        tree.parent.chmod(0o755)  # PostgreSQL does not run as root
        make_tmp(tree)
        copy_files(root, tree, tracked(root) if names is None else names)
        yield tree


def run_tests(tree: Path, tests: Sequence[str], timeout_s: float) -> Tried:
    """Run tests in a copy, those that every commit runs, until one is red, and end all that they left."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not long", *tests]
    log = tree.parent / "output.log"
    began = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            behind_wall(tree, command),
            cwd=tree,
            env=_environment(tree),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
        try:
            code = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    all_said = log.read_text("utf-8", errors="replace")
    return Tried(code, time.monotonic() - began, "\n".join(all_said.splitlines()[-TOLD_LINES:]), all_said)


def behind_wall(tree: Path, command: list[str]) -> list[str]:
    """Return the command as it runs behind the wall, where there are the rights to build one."""
    if os.geteuid():
        return command
    home = pwd.getpwuid(os.geteuid()).pw_dir
    return [*UNSHARE, "sh", "-c", WALL + shlex.join(command), "wall", str(tree.parent), f"{home}/.ansible"]


def _environment(tree: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in INHERITED}
    kept |= {"PYTHONDONTWRITEBYTECODE": "1", "ANSIBLE_CONFIG": str(tree / "ansible.cfg")}
    if os.geteuid() == 0:  # whose home lies behind the wall
        kept |= {"HOME": "/tmp/home", "ATOLL_CACHE": str(cache_directory())}  # noqa: S108 - it is another /tmp
    return kept
