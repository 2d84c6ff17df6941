#!/usr/bin/python3
"""User data on this node: the GlusterFS volume at a place of its own, and its directories from there to /mnt/atoll.

Tasks get these directories by their paths, and whoever starts a container follows links in a path. What lies at the top
of the volume is for root of any node to change, so a link there would show files of this node to a task. Here each
directory is opened once, never through a link, and what was opened is bound to its place: what happens to its name
afterwards happens to nobody here.

All places come at once, and go at once: below them is an empty file system in which nobody makes anything, for whoever
starts a container makes what is missing. What a task or a service wrote there would be lost from sight.

Usage (`atoll-user-data.service`): user_data up NAME... | user_data down | user_data check NAME...
`check` says what is not as `up` left it, and ends with 1; with 2 where `up` could not bring it back, so that whoever
still has the directories keeps them. Standard library only, Python >= 3.8.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import subprocess
import sys
from typing import List, Optional, Tuple

CLIENT = "/usr/sbin/glusterfs"
VOLFILE = "/etc/atoll/atoll.vol"
LOG = "/var/log/glusterfs/atoll.log"
RUN = "/run/atoll-user-data"
TREE = "/mnt/atoll"
MOUNTS = "/proc/self/mountinfo"
NOTHING = "atoll-nothing"  # what the empty file system says that it is
ANSWERS_WITHIN_S = 45

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1,
    2,
    4,
    8,
    32,
    4096,
    16384,
    1 << 18,
)
SAFE = MS_NOSUID | MS_NODEV | MS_NOEXEC
MNT_DETACH = 2
_LIBC = ctypes.CDLL(None, use_errno=True)


class UserDataError(Exception):
    """User data cannot be at their place; the message says why."""


class Spoilt(UserDataError):
    """Something else than a directory lies at the top of the volume."""


def volume() -> str:
    """Return where the whole volume is mounted."""
    return os.path.join(RUN, "volume")


def places() -> str:
    """Return where the tree is put together before it is shown."""
    return os.path.join(RUN, "places")


def up(names: List[str]) -> None:
    """Mount the volume, and show its directories of these names at their places."""
    os.makedirs(RUN, mode=0o700, exist_ok=True)
    os.chmod(RUN, 0o700)
    down()
    for place in (volume(), places()):
        os.makedirs(place, exist_ok=True)
    _client()
    _mount("atoll", places(), "tmpfs", SAFE, "size=64k,nr_inodes=32,mode=0755")
    _mount(None, places(), None, MS_PRIVATE, None)
    root = os.open(volume(), os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in names:
            directory = _directory(root, name)
            os.mkdir(os.path.join(places(), name))
            _mount("/proc/self/fd/{}".format(directory), os.path.join(places(), name), None, MS_BIND, None)
            os.close(directory)
    finally:
        os.close(root)
    _mount(None, places(), None, MS_REMOUNT | MS_BIND | MS_RDONLY | SAFE, None)
    _mount(places(), TREE, None, MS_BIND | MS_REC, None)
    _unmount(places())


def down() -> None:
    """Take all away that is mounted; who still has files of it keeps them for as long as its client runs."""
    at_tree = [source for at, source in mounted() if at == TREE]
    # Of an earlier version it is the volume itself.
    for _ in at_tree[1:] if at_tree[:1] == [NOTHING] else at_tree:
        _unmount(TREE)
    if at_tree[:1] != [NOTHING]:
        os.makedirs(TREE, exist_ok=True)
        _mount(NOTHING, TREE, "tmpfs", SAFE | MS_RDONLY, "size=4k,nr_inodes=2,mode=0755")
    for place in (places(), volume()):
        while place in {at for at, _ in mounted()}:
            _unmount(place)


def check(names: List[str]) -> None:
    """Raise UserDataError where a place is not the directory that the volume has now, Spoilt where that is none."""
    for name in names:
        place = os.path.join(TREE, name)
        try:
            here, there = os.stat(place), os.stat(os.path.join(volume(), name), follow_symlinks=False)
        except OSError as error:
            raise UserDataError("{}: {}".format(place, error.strerror)) from None
        if not stat.S_ISDIR(there.st_mode):
            raise _spoilt(name, there.st_mode)
        if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
            raise UserDataError("{} is another directory than the volume has at its top now".format(place))


def mounted() -> List[Tuple[str, str]]:
    """Return places and sources of all mounts, the uppermost of a place last."""
    found = []
    with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as stream:
        for line in stream:
            before, _, after = line.partition(" - ")
            found.append((before.split()[4], after.split()[1]))
    return found


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
        raise _spoilt(name, os.stat(name, dir_fd=root, follow_symlinks=False).st_mode) from None


def _spoilt(name: str, mode: int) -> Spoilt:
    return Spoilt(
        "`{}` at the top of the volume is {}, which only root of a node can have put there: find out whose, and put "
        'the directory back (docs/operate.md, "Who may mount the user data")'.format(
            name, "a symbolic link" if stat.S_ISLNK(mode) else "no directory"
        )
    )


def _mount(source: Optional[str], place: str, kind: Optional[str], flags: int, options: Optional[str]) -> None:
    def word(text: Optional[str]) -> Optional[bytes]:
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
        if verb == "down":
            down()
        else:
            {"up": up, "check": check}[verb](names)
    except (UserDataError, OSError) as error:
        sys.stderr.write("user data: {}\n".format(error))
        sys.exit(2 if isinstance(error, Spoilt) else 1)


if __name__ == "__main__":
    main()
