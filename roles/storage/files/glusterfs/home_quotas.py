#!/usr/bin/python3
"""What the files of each user may take on a GlusterFS volume, and how many: homes have the limits of cluster.yaml.

Runs on every storage node as `atoll-home-quotas.service`; `--check` says what is not as it should be, and changes
nothing. What is there is read from the brick of this node, for `gluster volume quota VOLUME list` mounts the volume
each time, and keeps other commands of GlusterFS out while it goes on. What differs is set by the `gluster` command.
Whoever is first sets it for all storage nodes, so it does not matter on how many this runs.

It also looks after the quota daemon of this node, for which nothing else does: without it nobody writes to a home that
has a limit. Standard library only, Python >= 3.8.
"""

from __future__ import annotations

import errno
import json
import os
import re
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

SETTINGS = "/etc/atoll/home_quotas.json"
GLUSTERD = "/var/lib/glusterd"
DAEMON = "/run/gluster/quotad/quotad.pid"
TREE = "/home"  # the homes, as the volume names them
PAUSE_S = 5
COMMAND_S = 150  # `gluster` itself gives up after 120
SETS_S = 3  # a command mounts the volume: so long it may take for each limit of a home, after new settings
MIB = 1 << 20
# A volume whose size goes up and down by as little (ZFS, btrfs) does not set all limits anew.
STEADY_PERCENT = 2
NO_LIMIT = 0
# As the platform names accounts (tests/unit/contracts): what else lies there is nobody's home.
NAME = re.compile(r"[a-z][a-z0-9-]{0,30}[a-z0-9]")
_ROOM = re.compile(r"(\d+(?:\.\d+)?)(%|[kKMGTP]i?)?")


class Kind(NamedTuple):
    """What homes are limited in: the attribute that holds a limit, and the words of `gluster volume quota`."""

    attribute: str
    put: str
    take: str


ROOM = Kind("trusted.glusterfs.quota.limit-set", "limit-usage", "remove")  # bytes
FILES = Kind("trusted.glusterfs.quota.limit-objects", "limit-objects", "remove-objects")  # directories count, too


class Settings(NamedTuple):
    """What is wanted: for each user a size or a share of the volume, and a number of files; None for no limit."""

    volume: str
    homes: str  # on the brick of this node
    mount: str  # where this node has the volume mounted: its size is that of a share
    limit: Optional[str]
    limits: Dict[str, Optional[str]]
    files: Optional[int]
    files_of: Dict[str, Optional[int]]


class Seen(NamedTuple):
    """What glusterd of this node says of the volume."""

    started: bool
    quota: bool
    turn: str  # ends the names of the attributes


class Difference(NamedTuple):
    """A limit of a home that is another than the wanted one; of room in bytes."""

    name: str
    kind: Kind
    now: int
    limit: int


class QuotaError(Exception):
    """GlusterFS did not do something; the message says why."""


def settings_of(path: str) -> Settings:
    """Read the settings."""
    with open(path, encoding="utf-8") as file:
        return Settings(**json.load(file))


def seen(volume: str, glusterd: str) -> Seen:
    """Read what glusterd keeps of the volume; one that is not there yet is not started."""
    try:
        with open(os.path.join(glusterd, "vols", volume, "info"), encoding="utf-8") as file:
            found = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
    except FileNotFoundError:
        found = {}
    # Each time that quota is turned on, its attributes get other names, so that old ones count no more.
    turn = int(found.get("quota-version", "0"))
    return Seen(found.get("status") == "1", found.get("features.quota") == "on", ".%d" % turn if turn else "")


def daemon_runs(pid_file: str = DAEMON) -> bool:
    """Say whether the quota daemon of this node is alive."""
    try:
        with open(pid_file, encoding="utf-8") as file:
            pid = int(file.read())
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return b"gluster/quotad" in file.read()
    except (OSError, ValueError):
        return False


def size_of(mount: str) -> Optional[int]:
    """Return the bytes of the volume, None where it is not mounted."""
    try:
        if not os.path.ismount(mount):
            return None
        found = os.statvfs(mount)
    except OSError:
        return None
    return found.f_blocks * found.f_frsize


def room(text: str, size: int) -> int:
    """Return the bytes that a size (`200Gi`) or a share (`50%`) of `size` is."""
    match = _ROOM.fullmatch(text)
    if match is None:
        raise ValueError("`%s` is neither a size nor a share" % text)
    number, unit = float(match[1]), match[2] or ""
    if unit == "%":
        return int(size * number / 100)
    power = "kmgtp".find(unit[:1].lower()) + 1 if unit else 0
    return int(number * (1024 if unit.endswith("i") else 1000) ** power)


def wanted(settings: Settings, name: str, size: Optional[int]) -> Optional[Tuple[int, bool]]:
    """Return the limit of a home in bytes, and whether it follows the volume's size; None while that is not known.

    Nobody gets more than there is: the limit is what programs see as the size of their disk.
    """
    text = settings.limits.get(name, settings.limit)
    if text is None:
        return NO_LIMIT, False
    if size is None:
        return None if text.endswith("%") else (room(text, 0), False)
    bytes_wanted = room(text, size)
    follows = text.endswith("%") or bytes_wanted > size
    return max(min(bytes_wanted, size) // MIB, 1) * MIB, follows


def limit_of(path: str, attribute: str) -> int:
    """Return the limit that a directory of the brick has."""
    try:
        return int(struct.unpack(">q", os.getxattr(path, attribute, follow_symlinks=False)[:8])[0])
    except OSError as error:
        if error.errno == errno.ENODATA:
            return NO_LIMIT
        raise


def homes(folder: str) -> List[str]:
    """Return the names of the homes: directories with the name of an account, nothing that a link leads to."""
    if os.path.islink(folder):  # a client of the brick has made it
        return []
    try:
        with os.scandir(folder) as entries:
            return sorted(e.name for e in entries if NAME.fullmatch(e.name) and e.is_dir(follow_symlinks=False))
    except FileNotFoundError:  # nobody has signed in yet
        return []


def differing(settings: Settings, turn: str, size: Optional[int]) -> Iterator[Difference]:
    """Yield the limits of homes that are others than the wanted ones."""
    for name in homes(settings.homes):
        files = settings.files_of.get(name, settings.files)
        for kind, should in ((ROOM, wanted(settings, name, size)), (FILES, (files or NO_LIMIT, False))):
            if should is None:
                continue
            try:
                now = limit_of(os.path.join(settings.homes, name), kind.attribute + turn)
            except FileNotFoundError:  # removed meanwhile
                continue
            limit, follows = should
            near = follows and now and abs(now - limit) * 100 <= STEADY_PERCENT * limit
            if now != limit and not near:
                yield Difference(name, kind, now, limit)


def gluster(*words: str) -> None:
    """Run a command of GlusterFS. Raises QuotaError with what it says."""
    command = ["gluster", "--mode=script", "--xml", *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMMAND_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise QuotaError(str(error)) from error
    said = (done.stderr or done.stdout).strip()
    failed = done.returncode != 0
    if done.stdout.lstrip().startswith("<"):
        answer = ElementTree.fromstring(done.stdout)  # noqa: S314 (written by gluster on this node)
        failed = answer.findtext("opRet") != "0"
        said = answer.findtext("opErrstr") or said
    if failed:
        raise QuotaError("gluster %s: %s" % (" ".join(words), said or "failed"))


def put(volume: str, one: Difference) -> None:
    """Give a home its limit, or take it away."""
    place = "%s/%s" % (TREE, one.name)
    if one.limit == NO_LIMIT:
        gluster("volume", "quota", volume, one.kind.take, place)
    else:
        gluster("volume", "quota", volume, one.kind.put, place, str(one.limit))


class Keeper:
    """Keeps the limits as they should be, a turn at a time."""

    def __init__(self, settings: Settings, glusterd: str = GLUSTERD, daemon: str = DAEMON) -> None:
        self.settings, self.glusterd, self.daemon = settings, glusterd, daemon
        self._missed = 0
        self._told: Dict[str, str] = {}

    def turn(self) -> None:
        """Look once; of each home that is two attributes, as long as nothing differs."""
        volume = seen(self.settings.volume, self.glusterd)
        if not volume.started or not volume.quota:
            return
        self._keep_daemon()
        for one in list(differing(self.settings, volume.turn, size_of(self.settings.mount))):
            self._try("%s %s" % (one.kind.put, one.name), put, self.settings.volume, one)

    def _keep_daemon(self) -> None:
        # Twice: it is away for a moment when glusterd starts it anew.
        self._missed = 0 if daemon_runs(self.daemon) else self._missed + 1
        if self._missed >= 2:
            _say("the quota daemon is away: it is started")
            self._try("", gluster, "volume", "start", self.settings.volume, "force")
            self._missed = 0

    def _try(self, about: str, work: Any, *words: Any) -> None:
        """Do something; what fails is said once, and tried again by the next turn."""
        try:
            work(*words)
        except QuotaError as error:
            if self._told.get(about) != str(error):
                self._told[about] = str(error)
                _say(str(error))
            return
        self._told.pop(about, None)


def faults(settings: Settings, age_s: float, glusterd: str = GLUSTERD, daemon: str = DAEMON) -> Iterator[str]:
    """Yield in words what is not as it should be; limits that new settings ask for may still be on their way."""
    volume = seen(settings.volume, glusterd)
    if not volume.started or not volume.quota:
        yield "quota of the volume %s is off" % settings.volume
        return
    if not daemon_runs(daemon):
        yield "the quota daemon of GlusterFS does not run: nobody can write to a home that has a limit"
    size = size_of(settings.mount)
    if size is None:
        yield "%s is not mounted: how much a share of it is cannot be told" % settings.mount
    if age_s < SETS_S * len((ROOM, FILES)) * len(homes(settings.homes)):
        return
    for one in differing(settings, volume.turn, size):
        now, limit = (_words(one.kind, limit) for limit in (one.now, one.limit))
        yield "the home of %s has %s, wanted is %s" % (one.name, now, limit)


def _words(kind: Kind, limit: int) -> str:
    if kind == FILES:
        return "no limit of files" if limit == NO_LIMIT else "a limit of %d files" % limit
    return "no limit" if limit == NO_LIMIT else "a limit of %d MiB" % (limit // MIB)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def main(words: List[str]) -> int:
    """Entry point."""
    settings = settings_of(SETTINGS)
    if words == ["--check"]:
        found = list(faults(settings, time.time() - os.stat(SETTINGS).st_mtime))
        sys.stderr.write("".join(line + "\n" for line in found))
        return 1 if found else 0
    keeper = Keeper(settings)
    while True:
        keeper.turn()
        time.sleep(PAUSE_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
