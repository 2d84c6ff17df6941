"""What was made for a lab, written down before it is made, so that `down` finds it after a kill or a reboot."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from installer.lab import cgroups
from installer.lab.topology import LABS, Lab, LabNode, lab_cgroup, lab_directory

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_LOCKS = Path("/run/atoll-lab")
_MACHINE = LABS / ".machine.json"
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
    """Return what was made for the lab, or None if nothing was."""
    path = lab_directory(cluster) / "state.json"
    return Made(**json.loads(path.read_text("utf-8"))) if path.exists() else None


def write(cluster: str, made: Made) -> None:
    """Write down what is about to be made."""
    _write(lab_directory(cluster) / "state.json", asdict(made))


def forget(cluster: str) -> None:
    """Remove what is left of the lab's folder; its nodes are gone."""
    if lab_directory(cluster).is_dir():
        shutil.rmtree(lab_directory(cluster))


def nodes(cluster: str) -> list[LabNode]:
    """Return every node of which anything is there: a folder, a process, a name space, or a line in the state."""
    made = read(cluster)
    found = dict(made.nodes) if made else {}
    folders = lab_directory(cluster) / "nodes"
    names = {folder.name for folder in folders.iterdir()} if folders.is_dir() else set()
    names |= cgroups.children(lab_cgroup(cluster))
    for name in names:
        found.setdefault(name, "")
    return [LabNode(cluster, name, address, prefix=0) for name, address in sorted(found.items())]


def labs() -> list[str]:
    """Return the labs of this machine."""
    return sorted(path.name for path in LABS.iterdir() if path.is_dir()) if LABS.is_dir() else []


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Let one process at a time work on a lab (or on what all labs share); the lock of a killed one is free."""
    _LOCKS.mkdir(parents=True, exist_ok=True)
    with (_LOCKS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
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
