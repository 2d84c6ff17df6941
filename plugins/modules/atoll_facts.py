#!/usr/bin/python
# Apache-2.0
"""What a host can do."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_facts
short_description: What a host can do
description:
  - Roles ask what a host can do, never what kind of host it is. Each answer is found by trying
    where that does no harm.
options:
  sysctls:
    description: Kernel settings to try, in addition to those that Atoll itself sets.
    type: list
    elements: str
    default: []
author:
  - Atoll
"""

EXAMPLES = r"""
- name: What this host can do is known
  atoll_facts:
  when: "'atoll_host' not in ansible_facts"
"""

RETURN = r"""
ansible_facts:
  description: Facts.
  returned: always
  type: dict
  contains:
    atoll_host:
      description: >-
        C(architecture), C(can_lower_oom_score), C(can_set_time), C(cgroup_version) (1 or 2), C(cpus), C(has_ipip),
        C(kernel) (C(release), C(modules_loadable), C(filesystems)), C(memory_bytes), C(name_servers) (without
        local ones), C(os) (C(id), C(version),
        C(directory) in the bundle), C(root_disk) (C(bytes), C(free_bytes) of /var/lib), C(swap_bytes), C(sysctls)
        (value by name) and C(writable_sysctls), C(systemd_version), C(time_synchronised).
      type: dict
"""

import os
import platform
import shutil
import subprocess
from typing import Any, Dict, List, Optional

from ansible.module_utils.atoll_node import guarded, run
from ansible.module_utils.basic import AnsibleModule

# What roles of Atoll set.
SYSCTLS = (
    "fs.inotify.max_user_instances",
    "fs.inotify.max_user_watches",
    "kernel.keys.root_maxkeys",
    "kernel.panic",
    "kernel.panic_on_oops",
    "net.bridge.bridge-nf-call-ip6tables",
    "net.bridge.bridge-nf-call-iptables",
    "net.core.somaxconn",
    "net.ipv4.ip_forward",
    "net.ipv4.neigh.default.gc_thresh3",
    "net.netfilter.nf_conntrack_max",
    "vm.max_map_count",
    "vm.overcommit_memory",
    "vm.swappiness",
)
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CAP_SYS_TIME = 25


def _text(path: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return None


def _in_child(work: Any) -> bool:
    """Say whether `work` succeeds in a child, so that this process stays as it is."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def can_lower_oom_score() -> bool:
    """Say whether a process may protect itself from the out-of-memory killer."""

    def lower() -> None:
        with open("/proc/self/oom_score_adj", "r+", encoding="ascii") as stream:
            score = int(stream.read())
            stream.seek(0)
            stream.write(str(max(score - 1, -1000)))

    return _in_child(lower)


def sysctls(names: List[str]) -> Dict[str, str]:
    """Return the values of those settings that can be written here: the same value is written back."""
    found = {}
    for name in names:
        path = "/proc/sys/" + name.replace(".", "/")
        value = _text(path)
        if value is None:
            continue

        def write_back(path: str = path, value: str = value) -> None:
            with open(path, "w", encoding="ascii") as stream:
                stream.write(value)

        if _in_child(write_back):
            found[name] = " ".join(value.split())
    return found


def has_ipip() -> bool:
    """Say whether the kernel makes IP-in-IP tunnels, tried in a network name space of its own."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return False
    argv = [
        "unshare",
        "--net",
        "ip",
        "link",
        "add",
        "atoll0",
        "type",
        "ipip",
        "local",
        "127.0.0.1",
        "remote",
        "127.0.0.2",
    ]
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=20)
    return done.returncode == 0


def memory_bytes() -> int:
    """Return the memory that processes here may have: the machine's, or less where a cgroup says so."""
    known = [
        int(line.split()[1]) << 10
        for line in (_text("/proc/meminfo") or "").splitlines()
        if line.startswith("MemTotal:")
    ]
    for path in ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max"):
        limit = (_text(path) or "").strip()
        if limit.isdigit():
            known.append(int(limit))
    return min(known) if known else 0


def cpus() -> int:
    """Return the CPUs that processes here may use."""
    count = len(os.sched_getaffinity(0))
    quota, period = _text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), _text("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
    if quota and period and int(quota) > 0:
        return max(1, min(count, int(quota) // int(period)))
    return count


def os_release() -> Dict[str, str]:
    """Return which distribution this is, and where its packages lie in the bundle."""
    fields = dict(line.split("=", 1) for line in (_text("/etc/os-release") or "").splitlines() if "=" in line)
    name, version = fields.get("ID", "").strip('"'), fields.get("VERSION_ID", "").strip('"')
    return {"id": name, "version": version, "directory": "{}-{}".format(name, version)}


def kernel() -> Dict[str, Any]:
    """Return what the kernel has."""
    release = platform.release()
    filesystems = [line.split()[-1] for line in (_text("/proc/filesystems") or "").splitlines() if line.strip()]
    loadable = os.path.isdir(os.path.join("/lib/modules", release)) and shutil.which("modprobe") is not None
    return {"release": release, "modules_loadable": loadable, "filesystems": sorted(filesystems)}


def can_set_time() -> bool:
    """Say whether this host may set its clock; in a container the clock is somebody else's."""
    for line in (_text("/proc/self/status") or "").splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> CAP_SYS_TIME & 1)
    return False


def name_servers() -> List[str]:
    """Return the name servers of the host that pods reach too: systemd-resolved's own address is no use to them."""
    for path in ("/run/systemd/resolve/resolv.conf", "/etc/resolv.conf"):
        words = [line.split() for line in (_text(path) or "").splitlines()]
        servers = [word[1] for word in words if len(word) > 1 and word[0] == "nameserver"]
        found = [server for server in servers if not server.startswith("127.")]
        if found:
            return found[:3]
    return []


def work(module: Any) -> Dict[str, Any]:
    """Collect the facts."""
    swaps = (_text("/proc/swaps") or "").splitlines()[1:]
    disk = shutil.disk_usage("/var/lib")
    settings = sysctls(sorted(set(SYSCTLS) | set(module.params["sysctls"])))
    time_sync = run(["timedatectl", "show", "--property", "NTPSynchronized", "--value"], accept=range(256))
    facts = {
        "architecture": ARCHITECTURES.get(platform.machine(), platform.machine()),
        "cgroup_version": 2 if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else 1,
        "can_lower_oom_score": can_lower_oom_score(),
        "can_set_time": can_set_time(),
        "cpus": cpus(),
        "has_ipip": has_ipip(),
        "kernel": kernel(),
        "memory_bytes": memory_bytes(),
        "name_servers": name_servers(),
        "os": os_release(),
        "root_disk": {"bytes": disk.total, "free_bytes": disk.free},
        "swap_bytes": sum(int(line.split()[2]) << 10 for line in swaps),
        "sysctls": settings,
        "systemd_version": int(run(["systemctl", "--version"]).split()[1]),
        "time_synchronised": time_sync.strip() == "yes",
        "writable_sysctls": sorted(settings),
    }
    return {"changed": False, "ansible_facts": {"atoll_host": facts}}


def main() -> None:
    """Run as a module."""
    guarded(
        work,
        AnsibleModule(
            argument_spec={"sysctls": {"type": "list", "elements": "str", "default": []}}, supports_check_mode=True
        ),
    )


if __name__ == "__main__":
    main()
