"""A node: its boot and its end. Its processes are found by its cgroup, so that a killed installer loses none."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from installer.lab import cgroups, disks, network
from installer.lab.commanding import start
from installer.lab.errors import LabError
from installer.lab.topology import LabNode
from installer.ssh.keys import banner

DEVICES = ("/dev/fuse", "/dev/kmsg")
BOOT_S = 90.0
# On a busy machine the first process of a node takes its time: only after this long without any, the node has ended.
ENDED_S = 10.0
_NSPAWN_RUN = Path("/run/systemd/nspawn")

# A process must be in the node's cgroups before systemd-nspawn starts: the cgroup name space begins where it is then.
_IN_CGROUPS = 'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1" || exit 1; shift; n=$((n-1)); done; exec "$@"'

# A node that reboots ends its systemd-nspawn with this code, and whoever keeps it has to start it again. This shell
# stays outside of the node's cgroups: on v2 one with children must not hold processes.
_REBOOTS = ("/bin/sh", "-c", 'while "$@"; [ $? -eq 133 ]; do :; done', "sh")


def init_of(node: LabNode) -> int | None:
    """Return the pid, on this machine, of the node's init; None when it is off."""
    return next((pid for pid in sorted(cgroups.processes(node.cgroup)) if _is_init(pid)), None)


def state_of(node: LabNode) -> str:
    """Return `running`, `stopped`, `abandoned` (its systemd-nspawn was killed, its init goes on) or `absent`."""
    there = cgroups.processes(node.cgroup)
    if any(_is_init(pid) for pid in there):
        return "running" if any(_is_supervisor(pid) for pid in there) else "abandoned"
    return "stopped" if node.directory.is_dir() else "absent"


def boot(node: LabNode, bridge: str, base: Path) -> None:
    """Boot the node with the disk it has or a new one, until its SSH answers; what a killed run left is ended first."""
    stop(node)
    disks.attach(node, base)
    network.connect(node, bridge)
    procs = cgroups.make(node.cgroup, node.memory_bytes, node.cpus)
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "SYSTEMD_SECCOMP": "0",
        "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1",
    }
    start([*_REBOOTS, *_in_cgroups(procs, _nspawn(node))], log=_console(node), env=environment)
    wait_for_ssh(node)


def stop(node: LabNode) -> None:
    """Cut the node's power: kill its init and all else of it; its disk stays."""
    for pid in cgroups.processes(node.cgroup):
        if _is_init(pid):
            with suppress(ProcessLookupError):  # it ended meanwhile
                os.kill(pid, signal.SIGKILL)  # with it the kernel ends its whole process name space
    cgroups.kill(node.cgroup)
    cgroups.remove(node.cgroup)
    network.disconnect(node)
    _forget_container(node)
    disks.detach(node.directory)


def remove(node: LabNode) -> None:
    """Stop the node and throw its disk away."""
    stop(node)
    # Out of its place first: after a kill in between, no node starts with half of its disk.
    gone = node.directory.with_name(f".{node.name}.gone")
    for _ in range(2):
        if gone.exists():
            shutil.rmtree(gone)
        if node.directory.exists():
            node.directory.rename(gone)


def inside(node: LabNode, argv: Sequence[str]) -> list[str]:
    """Return the command that runs `argv` as root inside the node, also where its SSH is broken."""
    pid = init_of(node)
    if pid is None:
        raise LabError(f"node `{node.name}` is {state_of(node)}", f"start it: `./atoll lab start {node.name}`")
    path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    clean = ["env", "-i", path, "HOME=/root", "LANG=C.UTF-8", f"TERM={os.environ.get('TERM', 'dumb')}"]
    enter = ["nsenter", f"--target={pid}", "--all", "--root", "--wdns=/root", "--", *clean, *argv]
    return _in_cgroups(cgroups.entrances(node.cgroup), enter)


def _nspawn(node: LabNode) -> list[str]:
    binds = [f"--bind={folder}:{place}" for folder, place in disks.binds(node).items()]
    devices = [f"--bind={device}" for device in DEVICES if Path(device).exists()]
    return [
        *("systemd-nspawn", "--quiet", "--boot", f"--directory={node.root}"),
        *(f"--machine={node.machine}", f"--hostname={node.name}"),
        *(f"--network-namespace-path={node.name_space}", "--register=no", "--keep-unit"),
        # All nodes share one clock with this machine: `date -s` in a node would move it.
        *("--capability=all", "--drop-capability=CAP_SYS_TIME", "--system-call-filter=@known"),
        *("--resolv-conf=off", "--timezone=off", "--link-journal=no", "--console=pipe"),
        *binds,
        *devices,
    ]


def _forget_container(node: LabNode) -> None:
    """Remove what a systemd-nspawn that was killed could not take away itself."""
    if node.root.is_dir():
        root = node.root.stat()
        (_NSPAWN_RUN / "locks" / f"inode-{root.st_dev}:{root.st_ino}").unlink(missing_ok=True)
    for leftover in _NSPAWN_RUN.glob(f"*/{node.machine}"):
        shutil.rmtree(leftover)


def _in_cgroups(procs: Sequence[Path], argv: Sequence[str]) -> list[str]:
    return ["/bin/sh", "-c", _IN_CGROUPS, "sh", str(len(procs)), *map(str, procs), *argv]


def wait_for_ssh(node: LabNode) -> None:
    """Return when SSH answers. Raises LabError with the end of the console when the node died or takes too long."""
    began = last_alive = time.monotonic()
    while not banner(node.address, node.port, timeout_s=1):
        now = time.monotonic()
        waited = now - began
        alive = bool(cgroups.processes(node.cgroup))
        if alive:
            last_alive = now
        if waited > BOOT_S or now - last_alive > ENDED_S:
            how = f"does not answer on port {node.port} after {waited:.0f} s" if alive else "ended while it started"
            said = "\n".join(_console(node).read_text("utf-8", "replace").splitlines()[-15:])
            raise LabError(f"node `{node.name}` {how}; its console said last:\n{said}", f"all of it: {_console(node)}")
        time.sleep(0.1)  # a booting machine announces nothing


def _console(node: LabNode) -> Path:
    return node.directory / "console.log"


def _is_init(pid: int) -> bool:
    """Say whether this is pid 1 of a name space directly below this machine's (a pod's lies one deeper)."""
    return _name_space_pids(pid)[1:] == ["1"]


def _is_supervisor(pid: int) -> bool:
    return len(_name_space_pids(pid)) == 1 and _name(pid) == "systemd-nspawn"


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8").strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _name_space_pids(pid: int) -> list[str]:
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
        return []
    return next((line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:")), [])
