#!/usr/bin/python
# Apache-2.0
"""Name, swap and data disks of a host."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_host
short_description: Name, swap and data disks of a host
description:
  - Sets the host name, switches swap off now and at the next boot where the host lets it be switched off, and mounts
    data disks by mount units. A disk is formatted only if nothing at all is on it.
options:
  phase:
    description: The phase that these belong to.
    type: str
    required: true
  name:
    description: Host name.
    type: str
    required: true
  disks:
    description: Disks to mount, each with C(device), C(mount) and C(filesystem) (C(ext4) or C(xfs)).
    type: list
    elements: dict
    default: []
extends_documentation_fragment:
  - atoll
author:
  - Atoll
"""

EXAMPLES = r"""
- name: Name, swap and data disks are as wanted
  atoll_host:
    phase: host
    name: worker1
    disks:
      - {device: /dev/disk/by-id/nvme-1, mount: /srv, filesystem: xfs}
"""

RETURN = r"""
actions:
  description: What was done, in words.
  returned: always
  type: list
  elements: str
swap_stays:
  description: Whether swap is on and can't be switched off here.
  returned: always
  type: bool
"""

import os
import re
import stat
from typing import Any, Dict, List

from ansible.module_utils.atoll_node import (
    COMMON_ARGUMENTS,
    Book,
    NodeError,
    digest_of_bytes,
    file_record,
    guarded,
    lines,
    locked,
    run,
    write_atomically,
)
from ansible.module_utils.atoll_recording import begun
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "phase": {"type": "str", "required": True},
    "name": {"type": "str", "required": True},
    "disks": {
        "type": "list",
        "elements": "dict",
        "default": [],
        "options": {
            "device": {"type": "path", "required": True},
            "mount": {"type": "path", "required": True},
            "filesystem": {"type": "str", "choices": ["ext4", "xfs"], "default": "ext4"},
        },
    },
    **COMMON_ARGUMENTS,
}
UNITS = "/etc/systemd/system"
BY_UUID = "/dev/disk/by-uuid"
PROBED_BYTES = 1 << 20
MOUNT_UNIT = """# Written by Atoll.
[Unit]
Description=Data disk at {mount}

[Mount]
What=UUID={uuid}
Where={mount}
Type={filesystem}
Options=defaults,noatime

[Install]
WantedBy=local-fs.target
"""


class Host:
    """What is done, and whether it is only rehearsed."""

    def __init__(self, module: Any) -> None:
        self.dry = module.check_mode
        self.actions: List[str] = []
        self.swap_stays = False
        self.book = Book(module.params["state_directory"], module.params["phase"])

    def do(self, what: str) -> bool:
        """Note an action; say whether it is to be done for real."""
        self.actions.append(what)
        return not self.dry

    def hostname(self, name: str) -> None:
        """Set the host name."""
        if os.uname().nodename != name and self.do("host name is {}".format(name)):
            run(["hostnamectl", "hostname", name])

    def swap(self) -> None:
        """Switch swap off, now and at boot: a kubelet's memory limits mean nothing with it."""
        with open("/proc/swaps", encoding="utf-8") as stream:
            devices = [line.split()[0] for line in stream.read().splitlines()[1:]]
        if devices and self.do("swap is off"):
            run(["swapoff", "--all"], accept=range(256), timeout_s=600)
            with open("/proc/swaps", encoding="utf-8") as stream:
                self.swap_stays = len(stream.read().splitlines()) > 1
            if self.swap_stays:  # a container's swap is its machine's; kubeadm is told so
                self.actions.pop()
        table = "/etc/fstab"
        text = ""
        if os.path.exists(table):
            with open(table, encoding="utf-8") as stream:
                text = stream.read()
        mended = re.sub(r"(?m)^([^#\s]\S*\s+\S+\s+swap\s.*)$", r"# Switched off by Atoll: \1", text)
        if mended != text and self.do("no swap in {}".format(table)):
            write_atomically(table, mended.encode(), 0o644)

    def disk(self, wanted: Dict[str, Any]) -> None:
        """Mount a disk, formatted if it is empty."""
        device, mount, filesystem = wanted["device"], wanted["mount"], wanted["filesystem"]
        if not os.path.exists(device) or not stat.S_ISBLK(os.stat(device).st_mode):
            raise NodeError("data disk {} is not there or not a disk. See `lsblk` on the node.".format(device))
        name = run(["systemd-escape", "--path", "--suffix=mount", mount]).strip()
        unit = os.path.join(UNITS, name)
        old = b""
        if os.path.exists(unit):
            with open(unit, "rb") as stream:
                old = stream.read()
        found = self._signature(device)
        self._refuse_another(device, mount, old, found)
        if not found:
            if not self.do("{} is formatted as {}".format(device, filesystem)):
                return
            run(["mkfs." + filesystem, device], timeout_s=1800)
            found = self._signature(device)
        if found.get("TYPE") != filesystem:
            raise NodeError(
                "data disk {} holds {}, not {}. Atoll overwrites nothing: empty it (`wipefs`) or change `filesystem`."
                "".format(device, found.get("TYPE") or found.get("PTTYPE"), filesystem)
            )
        content = MOUNT_UNIT.format(mount=mount, uuid=found["UUID"], filesystem=filesystem).encode()
        if (old != content or not os.path.ismount(mount)) and self.do("{} is mounted at {}".format(device, mount)):
            os.makedirs(mount, exist_ok=True)
            write_atomically(unit, content, 0o644)
            run(["systemctl", "daemon-reload"])
            run(["systemctl", "enable", "--now", name])
        if not self.dry:
            self.book.section("files")[unit] = file_record(unit, digest_of_bytes(content))
            self.book.section("units")[name] = {"state": "started", "enabled": True}

    def _refuse_another(self, device: str, mount: str, old: bytes, found: Dict[str, str]) -> None:
        """Raise NodeError if the disk that belongs here is another: the kernel numbers /dev/sdX anew at each boot."""
        known = re.search(r"(?m)^What=UUID=(\S+)$", old.decode("utf-8", "replace"))
        if known is None or known.group(1) == found.get("UUID"):
            return
        if os.path.ismount(mount) or os.path.exists(os.path.join(BY_UUID, known.group(1))):
            raise NodeError(
                "{} is not the disk that belongs at {}: that one has the UUID {} and is in this machine. Nothing was "
                "formatted. Write a name from /dev/disk/by-id in `data_disks`; if the disk is to be replaced, take the "
                "old one out first, or empty it (`umount {}`, `wipefs`).".format(device, mount, known.group(1), mount)
            )

    def _signature(self, device: str) -> Dict[str, str]:
        # blkid ends alike on an empty disk and on one that can't be read.
        try:
            with open(device, "rb", buffering=0) as stream:
                readable = len(stream.read(PROBED_BYTES) or b"")
        except OSError as error:
            raise NodeError("data disk {} can't be read: {}. See `dmesg`.".format(device, error.strerror)) from None
        if not readable:
            raise NodeError("data disk {} has no room at all. See `lsblk` on the node.".format(device))
        said = run(["blkid", "--probe", "--output", "export", device], accept=(0, 2))
        return dict(line.split("=", 1) for line in lines(said) if "=" in line and not line.startswith("DEVNAME"))


def work(module: Any) -> Dict[str, Any]:
    """Set all of it."""
    with locked(module.params["state_directory"], wanted=not module.check_mode):
        host = Host(module)
        host.hostname(module.params["name"])
        host.swap()
        for disk in module.params["disks"]:
            host.disk(disk)
        if not module.check_mode:
            host.book.save()
    diff = {"prepared": "\n".join(host.actions)} if host.actions else {}
    return {"changed": bool(host.actions), "actions": host.actions, "swap_stays": host.swap_stays, "diff": diff}


def main() -> None:
    """Run as a module."""
    guarded(begun(work), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
