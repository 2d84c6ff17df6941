"""A cgroup per node in every hierarchy: keeps the kubelets apart, gives a node its size, finds its processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from installer.lab.errors import LabError

_MOUNTED = Path("/sys/fs/cgroup")
_V2_CONTROLLERS = ("cpuset", "cpu", "io", "memory", "pids")
_CPU_PERIOD_US = 100_000
# Each session of whoever works beside the lab has 1024 shares, and a folder of nodes would have no more: a cluster got
# the processor of one shell. So each folder above nodes has the shares of eight machines.
_WEIGHTS = {"cpu.shares": "8192", "cpu.weight": "800"}


def hierarchies() -> list[Path]:
    """Return where this machine's cgroup hierarchies are mounted: one (v2), or one per v1 controller and `unified`."""
    if (_MOUNTED / "cgroup.controllers").exists():
        return [_MOUNTED]
    seen: dict[int, Path] = {}
    for line in Path("/proc/self/mounts").read_text("utf-8").splitlines():
        _, where, kind, *_ = line.split()
        path = Path(where)
        # Controllers mounted together (cpu,cpuacct) have links beside them: the same device, wanted once.
        if kind in ("cgroup", "cgroup2") and path.is_relative_to(_MOUNTED):
            seen.setdefault(path.stat().st_dev, path)
    if not seen:
        raise LabError("no cgroup hierarchy is mounted below /sys/fs/cgroup", "mount cgroup2 there")
    return list(seen.values())


def make(cgroup: str, memory_bytes: int | None, cpus: float | None) -> list[Path]:
    """Make the cgroup in every hierarchy, with its limits; return the files to which a first process writes its pid."""
    made = []
    for hierarchy in hierarchies():
        path = hierarchy
        for part in Path(cgroup).parts:
            if hierarchy == _MOUNTED:
                _pass_controllers_down(path)
            if path != hierarchy:
                _write(path, _WEIGHTS)
            path = path / part
            path.mkdir(exist_ok=True)
            _fill_cpuset(path)
        _limit(path, memory_bytes, cpus)
        made.append(path / "cgroup.procs")
    return made


def entrances(cgroup: str) -> list[Path]:
    """Return the files to which a process writes its pid to join the cgroup, in every hierarchy."""
    # On v2 a cgroup with children takes no process: systemd-nspawn keeps the node in `payload`.
    leaves = (next((p for p in (h / cgroup / "payload", h / cgroup) if p.is_dir()), None) for h in hierarchies())
    return [leaf / "cgroup.procs" for leaf in leaves if leaf is not None]


def processes(cgroup: str) -> set[int]:
    """Return every process in the cgroup and below it, in any hierarchy."""
    found: set[int] = set()
    for path in _folders(cgroup):
        try:
            found.update(int(pid) for pid in (path / "cgroup.procs").read_text("utf-8").split())
        except (FileNotFoundError, OSError):  # it ended between the listing and the reading
            continue
    found.discard(0)
    return found


def kill(cgroup: str, timeout_s: float = 20) -> None:
    """End every process of the cgroup, and wait until none is left. Raises LabError naming those that stay."""
    deadline = time.monotonic() + timeout_s
    while left := processes(cgroup):
        _thaw(cgroup)
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if time.monotonic() > deadline:
            raise LabError(
                f"processes of {cgroup} do not end: {', '.join(map(str, sorted(left)))}",
                "they hang in the kernel, mostly in a file system whose server is gone: see `ps -o pid,wchan,cmd`",
            )
        time.sleep(0.02)  # the kernel tells nobody when a cgroup of several hierarchies is empty


def remove(cgroup: str) -> None:
    """Remove the cgroup and all below it; it must hold no process."""
    for path in _folders(cgroup):
        _remove_folder(path)


def remove_if_empty(cgroup: str) -> None:
    """Remove a parent of nodes' cgroups when no node's is left in it."""
    for hierarchy in hierarchies():
        path = hierarchy / cgroup
        if path.is_dir() and not any(child.is_dir() for child in path.iterdir()):
            _remove_folder(path)


def children(cgroup: str) -> set[str]:
    """Return the names of the cgroups directly below this one, in any hierarchy."""
    found: set[str] = set()
    for hierarchy in hierarchies():
        path = hierarchy / cgroup
        if path.is_dir():
            found.update(child.name for child in path.iterdir() if child.is_dir())
    return found


def _thaw(cgroup: str) -> None:
    """Wake what is frozen below (a container that was paused): on v1 nothing frozen can die."""
    for path in _folders(cgroup):
        for name, value in (("freezer.state", "THAWED"), ("cgroup.freeze", "0")):
            # A folder may go at any moment, and the file of a v1 hierarchy's top cannot be written.
            with suppress(OSError):
                if (path / name).exists():
                    (path / name).write_text(value, encoding="utf-8")


def _folders(cgroup: str) -> Iterator[Path]:
    """Yield the folders of the cgroup, the deepest first."""
    for hierarchy in hierarchies():
        for folder, _, _ in os.walk(hierarchy / cgroup, topdown=False):
            yield Path(folder)


def _remove_folder(path: Path, timeout_s: float = 5) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:  # busy for a moment after its last process ended
            if time.monotonic() > deadline:
                raise LabError(f"{path} can't be removed: {error.strerror}") from error
            time.sleep(0.02)
        else:
            return


def _pass_controllers_down(path: Path) -> None:
    there = set((path / "cgroup.controllers").read_text("utf-8").split())
    wanted = [f"+{name}" for name in _V2_CONTROLLERS if name in there]
    (path / "cgroup.subtree_control").write_text(" ".join(wanted), encoding="utf-8")


def _fill_cpuset(path: Path) -> None:
    """On v1 a new cpuset is empty and takes no process before it has CPUs and memory nodes."""
    for name in ("cpuset.cpus", "cpuset.mems"):
        own = path / name
        parent = path.parent / name
        if own.exists() and parent.exists() and not own.read_text("utf-8").strip():
            value = parent.read_text("utf-8").strip()
            if value:  # on v2 the root has no such file and an empty value means all
                own.write_text(value, encoding="utf-8")


def _limit(path: Path, memory_bytes: int | None, cpus: float | None) -> None:
    quota = str(round(cpus * _CPU_PERIOD_US)) if cpus else None
    values = {
        "memory.limit_in_bytes": str(memory_bytes or -1),
        "cpu.cfs_quota_us": quota or "-1",
        "memory.max": str(memory_bytes or "max"),
        "cpu.max": f"{quota or 'max'} {_CPU_PERIOD_US}",
    }
    _write(path, values)


def _write(path: Path, values: dict[str, str]) -> None:
    """Write those files that the hierarchy has."""
    for name, value in values.items():
        if (path / name).exists():
            (path / name).write_text(value, encoding="utf-8")
