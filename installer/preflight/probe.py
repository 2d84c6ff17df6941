"""Runs on a node as `python3 -` (3.8 or later, standard library only): reads, changes nothing, prints JSON.

Its argument is a JSON object: `directories` and `devices` to look at, `peers` (address, port) to reach.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CLOCK = time.time()


def text(path: str | Path) -> str:
    """Return what is in a file, or nothing."""
    try:
        return Path(path).read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def names(folder: str, pattern: str) -> list[str]:
    """Return the paths below a folder that fit."""
    return sorted(str(path) for path in Path(folder).glob(pattern))


def os_release() -> dict[str, str]:
    """Return the distribution and its version."""
    found = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text("/etc/os-release"), re.MULTILINE))
    return {"id": found.get("ID", ""), "version": found.get("VERSION_ID", ""), "name": found.get("PRETTY_NAME", "")}


def directory(path: str) -> dict[str, Any]:
    """Return the disk below a folder that is or will be there."""
    there = Path(path)
    while not there.is_dir():
        there = there.parent
    seen = os.statvfs(there)
    return {
        "path": path,
        "device": there.stat().st_dev,
        "bytes": seen.f_blocks * seen.f_frsize,
        "free_bytes": seen.f_bavail * seen.f_frsize,
        "free_files": seen.f_favail if seen.f_files else None,
        "read_only": bool(seen.f_flag & os.ST_RDONLY),
    }


def memory_bytes() -> int:
    """Return the memory that this machine may use: a container has less than its kernel says."""
    found = re.search(r"^MemTotal:\s+(\d+)", text("/proc/meminfo"), re.MULTILINE)
    limits = [text("/sys/fs/cgroup/memory/memory.limit_in_bytes"), text("/sys/fs/cgroup/memory.max")]
    return min([int(found.group(1)) * 1024 if found else 0] + [int(limit) for limit in limits if limit.isdigit()])


def ssh_client() -> str:
    """Return the address that this node's SSH server was reached from; asked of the parents, since sudo drops it."""
    process = os.getpid()
    while process > 1:
        found = re.search(r"(?:^|\0)SSH_CONNECTION=(\S+)", text(f"/proc/{process}/environ"))
        if found:
            return found.group(1)
        parent = text(f"/proc/{process}/stat").rpartition(")")[2].split()
        process = int(parent[1]) if parent else 0
    return ""


def listening() -> dict[int, str]:
    """Return the TCP ports on which something listens, each with the name of its process."""
    sockets: dict[str, int] = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in text(table).splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                sockets[words[9]] = int(words[1].rsplit(":", 1)[1], 16)
    ports = dict.fromkeys(sockets.values(), "")
    for process in names("/proc", "[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            for link in Path(process, "fd").iterdir():
                inode = str(link.readlink() if hasattr(link, "readlink") else os.readlink(link))  # noqa: PTH115
                if inode.startswith("socket:[") and inode[8:-1] in sockets:
                    ports[sockets[inode[8:-1]]] = text(process + "/comm")
    return ports


def kernel_has(module: str, *signs: str) -> bool:
    """Say whether the kernel has a feature: a sign of it is there, or its module can be loaded."""
    tree = Path("/lib/modules", platform.release())
    files = text(tree / "modules.builtin") + text(tree / "modules.dep")
    return any(Path(sign).exists() for sign in signs) or bool(re.search(r"/" + module + r"\.ko", files))


def nftables() -> bool:
    """Ask the kernel for the generation of its nftables rules: only one that has nftables knows it."""
    request = struct.pack("=IHHII", 20, 10 << 8 | 16, 1, 1, 0) + b"\0\0\0\0"
    with contextlib.suppress(OSError), socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12) as netlink:
        netlink.settimeout(3)
        netlink.send(request)
        answer = netlink.recv(4096)
        return int(struct.unpack_from("=H", answer, 4)[0]) == (10 << 8 | 15)
    return False


def connlimit() -> bool:
    """Say whether nftables can count connections: only a kernel that tells its parts can be known to lack one."""
    if kernel_has("nft_connlimit", "/sys/module/nft_connlimit"):
        return True
    symbols = text("/proc/kallsyms")
    return not symbols or "nft_connlimit" in symbols


def cgroups() -> dict[str, Any]:
    """Return the version of cgroups and the controllers that can be used."""
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return {"version": 2, "controllers": text("/sys/fs/cgroup/cgroup.controllers").split()}
    listed = [line.split()[0] for line in text("/proc/cgroups").splitlines()[1:]]
    return {"version": 1, "controllers": [name for name in listed if Path("/sys/fs/cgroup", name).is_dir()]}


def ip(*arguments: str) -> list[dict[str, Any]]:
    """Return what iproute2 says."""
    program = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if program is None:
        return []
    done = subprocess.run([program, "-json", "-4", *arguments], stdout=subprocess.PIPE, check=True, timeout=10)
    found: list[dict[str, Any]] = json.loads(done.stdout or b"[]")
    return found


def networks() -> list[str]:
    """Return the addresses of this machine as `address/prefix`."""
    addresses = [address for link in ip("address", "show") for address in link.get("addr_info", ())]
    return [f"{address['local']}/{address['prefixlen']}" for address in addresses if "local" in address]


def unreachable(peers: list[tuple[str, int]]) -> list[list[str]]:
    """Return those of the peers that don't take a TCP connection, each with the reason."""
    bad = []
    for address, port in peers:
        try:
            socket.create_connection((address, port), timeout=3).close()
        except OSError as error:
            bad.append([f"{address}:{port}", error.strerror or "no answer within 3 s"])
    return bad


def cards() -> dict[str, dict[str, int]]:
    """Return how many accelerators of each vendor are on the PCI bus, and how many its driver offers."""
    seen = {"nvidia": 0, "ascend": 0}
    for device in names("/sys/bus/pci/devices", "*"):
        vendor, kind = text(device + "/vendor"), text(device + "/class")[:4]
        seen["nvidia"] += vendor == "0x10de" and kind == "0x03"
        seen["ascend"] += vendor == "0x19e5" and kind == "0x12"
    ready = {
        "nvidia": len(names("/proc/driver/nvidia/gpus", "*")),
        "ascend": len(names("/dev", "davinci[0-9]*")),
    }
    return {"seen": seen, "ready": ready}


def probe(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return everything that the checks look at."""
    return {
        "clock": CLOCK,
        "arch": platform.machine(),
        "kernel": platform.release(),
        "os": os_release(),
        "python": list(sys.version_info[:3]),
        "uid": os.geteuid(),
        "init": text("/proc/1/comm"),
        "container": Path("/run/host/container-manager").exists() or Path("/run/systemd/container").exists(),
        "hostname": socket.gethostname(),
        "machine_id": text("/etc/machine-id"),
        "product_uuid": text("/sys/class/dmi/id/product_uuid").lower(),
        "memory_bytes": memory_bytes(),
        "cpus": len(os.sched_getaffinity(0)),
        "swaps": [line.split()[0] for line in text("/proc/swaps").splitlines()[1:]],
        "directories": [directory(path) for path in wanted["directories"]],
        "missing_devices": [path for path in wanted["devices"] if not Path(path).is_block_device()],
        "listening": listening(),
        "ssh_client": ssh_client(),
        "cgroup": cgroups(),
        "features": {
            "overlay": "overlay" in text("/proc/filesystems").split() or kernel_has("overlay"),
            "fuse": kernel_has("fuse", "/dev/fuse"),
            "nftables": nftables(),
            "nft_connlimit": connlimit(),
            "br_netfilter": kernel_has("br_netfilter", "/proc/sys/net/bridge/bridge-nf-call-iptables"),
            "ipip": kernel_has("ipip", "/sys/module/ipip", "/proc/sys/net/ipv4/conf/tunl0"),
        },
        "processes": sorted({text(path) for path in names("/proc", "[0-9]*/comm")}),
        "kubernetes": names("/etc/kubernetes", "*.conf") + names("/etc/rancher", "*/*.yaml"),
        "ours": names("/var/lib/atoll/records", "*.json") + names("/var/lib/atoll/managed", "*.json"),
        "clusters": [Path(path).name for path in names("/var/lib/atoll/clusters", "*")],
        "networks": networks(),
        "routes": [route["dst"] for route in ip("route", "show") if route["dst"] != "default"],
        "unreachable": unreachable([(address, port) for address, port in wanted["peers"]]),
        "cards": cards(),
    }


print(json.dumps(probe(json.loads(sys.argv[1]))))  # noqa: T201 - its output is its result
