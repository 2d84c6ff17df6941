"""What was made for a lab, written down before it is made, so that `down` finds it after a kill or a reboot."""

from __future__ import annotations

import fcntl
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from installer.lab import cgroups, network
from installer.lab.errors import LabError
from installer.lab.topology import LAB_CGROUPS, LABS, Lab, LabNode, lab_cgroup, lab_directory, removal

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_LOCKS = Path("/run/atoll-lab")
_MACHINE = LABS / ".machine.json"
MACHINE_NAME_LENGTH = 64  # of a container, says systemd-nspawn
# Bridged packets of nodes pass the nodes' own rules only if both are on; a new name space takes them from this machine.
_SETTINGS = {"/proc/sys/net/ipv4/ip_forward": "1", "/proc/sys/net/bridge/bridge-nf-call-iptables": "1"}


@dataclass(frozen=True)
class Made:
    """What was made, or was about to be made, for one lab."""

    bridge: str
    known_hosts: str
    nodes: Mapping[str, str]

    @property
    def known_hosts_file(self) -> Path:
        """The file in which the nodes' host keys are pinned."""
        return Path(self.known_hosts)

    @classmethod
    def of(cls, lab: Lab, before: Made | None) -> Made:
        """Return what stands once `lab` is up, with the nodes that were there before."""
        nodes = dict(before.nodes) if before else {}
        return cls(lab.bridge, str(lab.known_hosts), {**nodes, **{node.name: node.address for node in lab.nodes}})


def read(cluster: str) -> Made | None:
    """Return what was made for the lab, or None if nothing was or nobody can tell any more."""
    path = lab_directory(cluster) / "state.json"
    try:
        return Made(**json.loads(path.read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):  # cut short by a power cut: what stands is found by its marks
        return None


def write(cluster: str, made: Made) -> None:
    """Write down what is about to be made."""
    _write(lab_directory(cluster) / "state.json", asdict(made))


def forget(cluster: str) -> None:
    """Remove what is left of the lab's folder; its nodes are gone."""
    if lab_directory(cluster).is_dir():
        shutil.rmtree(lab_directory(cluster))


def nodes(cluster: str) -> list[LabNode]:
    """Return every node of which anything is there: a folder, a process, a cable, or a line in the state."""
    made = read(cluster)
    found = dict(made.nodes) if made else {}
    folders = lab_directory(cluster) / "nodes"
    names = set(_folders(folders)) | cgroups.children(lab_cgroup(cluster)) | network.cables(cluster)
    for name in names:
        found.setdefault(name, "")
    return [LabNode(cluster, name, address, prefix=0) for name, address in sorted(found.items())]


def labs() -> list[str]:
    """Return the labs of which anything is there on this machine, also those whose folder somebody removed."""
    return sorted({*_folders(LABS), *cgroups.children(LAB_CGROUPS), *network.labs()})


def check_names(lab: Lab) -> None:
    """See that no node's container has a name that another lab's has, or one that is too long. Raises LabError."""
    for node in lab.nodes:
        if len(node.machine) > MACHINE_NAME_LENGTH:
            raise LabError(
                f"node `{node.name}`: the name of its container, `{node.machine}`, has {len(node.machine)} characters, "
                f"and the system takes {MACHINE_NAME_LENGTH}",
                "give the node or the cluster a shorter `name` in cluster.yaml",
            )
    mine = {node.machine: node.name for node in lab.nodes}
    for other in labs():
        for node in nodes(other) if other != lab.name else ():
            if node.machine in mine:
                raise LabError(
                    f"node `{mine[node.machine]}` of this lab `{lab.name}` and node `{node.name}` of the lab `{other}` "
                    f"would both be the container `{node.machine}`",
                    f"rename the node or the cluster, or {removal(other)}",
                )


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Let one process at a time work on a lab (or on what all labs share); the lock of a killed one is free."""
    _LOCKS.mkdir(parents=True, exist_ok=True)
    with (_LOCKS / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not name.startswith("."):
                sys.stderr.write(f"Another command works on the lab `{name}`; this one waits for its end.\n")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def claiming() -> Iterator[None]:
    """Let one lab at a time see which names, links and networks are free, and take its own."""
    with locked(".claims"):
        yield


def set_machine() -> None:
    """Set the machine's switches that labs need, and remember those that were different."""
    with locked(".machine"):
        remembered = _remembered()
        for name, wanted in _SETTINGS.items():
            path = Path(name)
            if not path.exists():
                continue
            seen = path.read_text("utf-8").strip()
            if seen != wanted:
                remembered.setdefault(name, seen)
                _write(_MACHINE, {"boot": _boot(), "settings": remembered})
                path.write_text(wanted, encoding="utf-8")


def reset_machine() -> None:
    """Set the switches back when the last lab is gone."""
    with locked(".machine"):
        if labs():
            return
        for name, value in _remembered().items():
            Path(name).write_text(value, encoding="utf-8")
        _MACHINE.unlink(missing_ok=True)


def _folders(path: Path) -> list[str]:
    """Return the folders in one; those with a dot are nobody's: a trial, or a disk that was being removed."""
    there = path.iterdir() if path.is_dir() else ()
    return [folder.name for folder in there if folder.is_dir() and not folder.name.startswith(".")]


def _remembered() -> dict[str, str]:
    """Return the values of before; after a reboot they are what the machine says anyway."""
    if not _MACHINE.exists():
        return {}
    kept = json.loads(_MACHINE.read_text("utf-8"))
    settings: dict[str, str] = kept["settings"] if kept["boot"] == _boot() else {}
    return settings


def _boot() -> str:
    return _BOOT_ID.read_text("utf-8").strip()


def _write(path: Path, content: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
