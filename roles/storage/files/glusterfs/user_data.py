#!/usr/bin/python3
"""User data on this node: the GlusterFS volume at a place of its own, and its directories from there to /mnt/atoll.

Tasks get these directories by their paths, and whoever starts a container follows links in a path. What lies at the top
of the volume is for root of any node to change, so a link there would show files of this node to a task. Here each
directory is opened once, never through a link, and what was opened is bound to its place: what happens to its name
afterwards happens to nobody here. The places lie in memory, so that none is left where nothing is bound to it, be it
after a power cut: what tasks write there would be lost from sight.

Usage (`atoll-user-data.service`): user_data up NAME... | user_data down NAME...
Standard library only, Python >= 3.8.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import subprocess
import sys
from typing import List, Tuple

CLIENT = "/usr/sbin/glusterfs"
VOLFILE = "/etc/atoll/atoll.vol"
LOG = "/var/log/glusterfs/atoll.log"
RUN = "/run/atoll-user-data"
TREE = "/mnt/atoll"
MOUNTS = "/proc/self/mountinfo"
NAMES = "atoll"  # what the file system of the places says that it is
ANSWERS_WITHIN_S = 45

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND = 2, 4, 8, 4096
MNT_DETACH = 2
_LIBC = ctypes.CDLL(None, use_errno=True)


class UserDataError(Exception):
    """User data cannot be at their place; the message says why."""


def volume() -> str:
    """Return where the whole volume is mounted."""
    return os.path.join(RUN, "volume")


def up(names: List[str]) -> None:
    """Mount the volume, and bind its directories of these names to their places."""
    down(names)
    os.makedirs(RUN, mode=0o700, exist_ok=True)
    os.chmod(RUN, 0o700)
    os.makedirs(volume(), exist_ok=True)
    _places()
    _client()
    root = os.open(volume(), os.O_RDONLY | os.O_DIRECTORY)
    try:
        opened = [(name, _directory(root, name)) for name in names]
    finally:
        os.close(root)
    for name, directory in opened:
        place = os.path.join(TREE, name)
        os.makedirs(place, exist_ok=True)
        _mount("/proc/self/fd/{}".format(directory), place, None, MS_BIND, None)
        os.close(directory)


def down(names: List[str]) -> None:
    """Take all away that is bound and mounted; who still has files of it keeps them for as long as its client runs."""
    places = [os.path.join(TREE, name) for name in names]
    for place in [*places, volume()]:
        while place in {at for at, _ in mounted()}:
            _unmount(place)
    if (TREE, "tmpfs") not in mounted():
        return
    for place in places:
        with contextlib.suppress(FileNotFoundError):
            os.rmdir(place)


def mounted() -> List[Tuple[str, str]]:
    """Return places and types of all mounts, the uppermost of a place last."""
    found = []
    with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as stream:
        for line in stream:
            before, _, after = line.partition(" - ")
            found.append((before.split()[4], after.split()[0]))
    return found


def _places() -> None:
    """Have an empty file system in memory for the places; it stays, for others see in it what is bound later."""
    at_tree = [kind for at, kind in mounted() if at == TREE]
    if at_tree[-1:] == ["tmpfs"]:
        return
    for _ in at_tree:  # as an earlier version had it: the volume itself
        _unmount(TREE)
    os.makedirs(TREE, exist_ok=True)
    _mount(NAMES, TREE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=64k,nr_inodes=32,mode=0755")


def _client() -> None:
    """Start the client of the volume; it comes back when it has mounted."""
    words = ["--process-name", "fuse", "--volfile=" + VOLFILE, "--log-level=WARNING", "--log-file=" + LOG]
    words += ["--pid-file=" + os.path.join(RUN, "client.pid"), "--fuse-mountopts=nosuid,nodev", volume()]
    try:
        subprocess.run([CLIENT, *words], stdin=subprocess.DEVNULL, timeout=ANSWERS_WITHIN_S, check=True)
        # By a program, which can be ended when no server answers.
        subprocess.run(["stat", volume() + "/."], stdout=subprocess.DEVNULL, timeout=ANSWERS_WITHIN_S, check=True)
    except subprocess.TimeoutExpired:
        raise UserDataError("no storage server answered within {} s; see {}".format(ANSWERS_WITHIN_S, LOG)) from None
    except subprocess.CalledProcessError as error:
        raise UserDataError("the volume cannot be mounted ({}); see {}".format(error.cmd[0], LOG)) from None
    if volume() not in {at for at, _ in mounted()}:
        raise UserDataError("{} has mounted nothing; see {}".format(CLIENT, LOG))


def _directory(root: int, name: str) -> int:
    """Open a directory at the top of the volume, made where it is missing; never what a link leads to."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, mode=0o711, dir_fd=root)
    try:
        return os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=root)
    except NotADirectoryError:
        kind = stat.S_IFMT(os.stat(name, dir_fd=root, follow_symlinks=False).st_mode)
        raise UserDataError(
            "`{}` at the top of the volume is {}, which only root of a node can have put there: find out whose, and "
            'put the directory back (docs/operate.md, "Who may mount the user data")'.format(
                name, "a symbolic link" if kind == stat.S_IFLNK else "no directory"
            )
        ) from None


def _mount(source: str, place: str, kind: str | None, flags: int, options: str | None) -> None:
    def word(text: str | None) -> bytes | None:
        return None if text is None else os.fsencode(text)

    if _LIBC.mount(word(source), word(place), word(kind), ctypes.c_ulong(flags), word(options)):
        raise UserDataError("{} cannot be mounted: {}".format(place, os.strerror(ctypes.get_errno())))


def _unmount(place: str) -> None:
    if _LIBC.umount2(os.fsencode(place), MNT_DETACH):
        raise UserDataError("{} cannot be unmounted: {}".format(place, os.strerror(ctypes.get_errno())))


def main() -> None:
    """Run as the service's program."""
    verb, names = sys.argv[1], sys.argv[2:]
    try:
        {"up": up, "down": down}[verb](names)
    except (UserDataError, OSError) as error:
        sys.exit("user data: {}".format(error))


if __name__ == "__main__":
    main()
