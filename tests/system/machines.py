"""Labs of the tests' own, beside whatever else runs on this machine: a name, a bridge and a network for each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def shell(*argv: str | Path, ok: tuple[int, ...] = (0,), timeout_s: int = 60) -> str:
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, timeout=timeout_s, check=False)
    assert done.returncode in ok, f"{argv}: exit {done.returncode}: {done.stderr}"
    return done.stdout


@dataclass
class Machines:
    """A cluster.yaml with lab nodes, and the command line on it."""

    folder: Path
    name: str = "labtest"
    bridge: str = "atolllabtest"
    network: str = "10.78.0"
    memory: str | None = None
    nodes: list[str] = field(default_factory=lambda: ["one", "two"])
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return self.folder / f"{self.name}.yaml"

    @property
    def state(self) -> Path:
        return self.folder / "clusters" / self.name

    @property
    def known_hosts(self) -> Path:
        return self.state / "ssh" / "known_hosts"

    def address(self, node: str) -> str:
        return f"{self.network}.{11 + self.nodes.index(node)}"

    def write(self) -> None:
        roles = [["master"], ["worker", "storage"], ["worker"], ["worker"]]
        cluster = {
            "name": self.name,
            "lab": {"bridge": self.bridge, "address": f"{self.network}.1/24", "memory": self.memory},
            "nodes": [
                {"name": name, "address": self.address(name), "roles": roles[index]}
                for index, name in enumerate(self.nodes)
            ],
            **self.extra,
        }
        self.file.write_text(yaml.safe_dump(cluster), encoding="utf-8")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        self.write()
        at = 2 if arguments[0] == "lab" else 1
        return subprocess.Popen(
            [sys.executable, "-m", "installer", *arguments[:at], "-f", str(self.file), *arguments[at:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "ATOLL_STATE": str(self.folder / "clusters")},
            cwd=ROOT,
            start_new_session=True,
        )

    def __call__(self, *arguments: str, ok: tuple[int, ...] = (0,), timeout_s: int = 300) -> str:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=timeout_s)
        assert process.returncode in ok, f"{arguments}: exit {process.returncode}\n{out[-3000:]}\n{err[-3000:]}"
        return out if process.returncode == 0 else out + err

    def json(self, *arguments: str, ok: tuple[int, ...] = (0,)) -> Any:
        return json.loads(self(*arguments, "-o", "json", ok=ok))

    def started(self) -> list[str]:
        """Bring the lab up; return the nodes that were started."""
        last = json.loads(self("lab", "up", "-o", "json").splitlines()[-1])
        assert last["event"] == "finished"
        assert last["ok"]
        started: list[str] = last["started"]
        return started

    def status(self) -> dict[str, dict[str, Any]]:
        return {node["name"]: node for node in self.json("lab", "status", ok=(0, 1))["nodes"]}

    def states(self) -> dict[str, str]:
        return {name: str(node["state"]) for name, node in self.status().items()}

    def run(self, node: str, *command: str, ok: tuple[int, ...] = (0,)) -> str:
        return self("lab", "exec", node, "--", *command, ok=ok)

    def ssh(self, node: str, command: str, ok: tuple[int, ...] = (0,)) -> str:
        options = ["-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o", "ConnectTimeout=5"]
        options += ["-o", f"UserKnownHostsFile={self.known_hosts}", "-i", str(self.state / "ssh" / "id_ed25519")]
        return shell("ssh", *options, f"root@{self.address(node)}", command, ok=ok)

    def supervisors(self, node: str) -> list[int]:
        wanted = f"--machine=atoll-{self.name}-{node}".encode()
        found = []
        for pid in shell("pgrep", "-x", "systemd-nspawn", ok=(0, 1)).split():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except FileNotFoundError:
                continue  # it ended meanwhile
            if wanted in words:
                found.append(int(pid))
        return found


def _lines(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if line.strip())


def left_on_this_machine() -> dict[str, list[str]]:
    """Return everything of the kinds that labs make, so that two snapshots can be compared."""

    mounts = "\n".join(line.split()[1] for line in Path("/proc/mounts").read_text("utf-8").splitlines())
    # Not deeper than nodes: what lies below comes and goes with the pods of a lab that works beside the tests.
    cgroups = shell("find", "/sys/fs/cgroup", "-maxdepth", "4", "-type", "d", "-path", "*atoll-lab*")
    return {
        "links": _lines("\n".join(link["ifname"] for link in json.loads(shell("ip", "-json", "link")))),
        "name spaces": _lines("\n".join(path.name for path in Path("/run/netns").glob("*"))),
        "mounts": _lines(mounts),
        "cgroups": _lines(cgroups),
        "tables": _lines(shell("nft", "list", "tables")),
        "rules": _lines(shell("iptables", "-S", ok=(0, 1, 3)) if Path("/usr/sbin/iptables").exists() else ""),
        "settings": [Path("/proc/sys/net/ipv4/ip_forward").read_text("utf-8").strip()],
        "containers": _lines("\n".join(str(path) for path in Path("/run/systemd/nspawn").glob("*/*"))),
        "processes": _lines(shell("pgrep", "-fa", "systemd-nspawn", ok=(0, 1))),
        "folders": _lines("\n".join(str(path) for path in Path("/var/lib/atoll/lab").glob("*"))),
    }


def settled(snapshot: dict[str, list[str]], timeout_s: float = 10) -> dict[str, list[str]]:
    """Wait until this machine looks like the snapshot (the kernel and init clean up on their own time); return it."""
    deadline = time.monotonic() + timeout_s
    while (now := left_on_this_machine()) != snapshot and time.monotonic() < deadline:
        time.sleep(0.2)
    return now
