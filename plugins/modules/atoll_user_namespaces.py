#!/usr/bin/python
# Apache-2.0
"""Whether containers of tasks can have a user namespace of their own on a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_user_namespaces
short_description: Whether pods can have a user namespace on this node
description:
  - Starts a container as containerd starts one of a pod with C(hostUsers) false, with idmapped mounts of the trees
    that volumes of tasks come from, and removes it. The answer becomes the label C(atoll.io/user-namespaces) of the
    node, the reason of a no the annotation C(atoll.io/no-user-namespaces). Both are written with the kubelet's own
    credentials, with which a node can change nothing but itself.
options:
  node:
    description: Name of this node in the cluster.
    type: str
    required: true
  trees:
    description: Directories whose file systems must have idmapped mounts. A tmpfs is always tried beside them.
    type: list
    elements: str
    default: [/mnt/atoll/home, /var/lib/kubelet, /var/lib/containerd]
extends_documentation_fragment:
  - atoll
  - atoll.record
author:
  - Atoll
"""

EXAMPLES = r"""
- name: It is known whether tasks have user namespaces here
  atoll_user_namespaces:
    node: worker1
"""

RETURN = r"""
possible:
  description: Whether a container could be started.
  returned: always
  type: bool
reason:
  description: Why not, in words for a person.
  returned: always
  type: str
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from typing import Any, Dict, List, Optional

from ansible.module_utils.atoll_node import COMMON_ARGUMENTS, NodeError, guarded, run
from ansible.module_utils.atoll_recording import RECORD_ARGUMENTS, recorded
from ansible.module_utils.basic import AnsibleModule

LABEL = "atoll.io/user-namespaces"
WHY_NOT = "atoll.io/no-user-namespaces"
KUBELET = "/etc/kubernetes/kubelet.conf"
RUNC = "/opt/atoll/bin/runc"
# A tmpfs under systemd, like the one that shared memory of a task is.
SCRATCH = "/run"
MOST = "/proc/sys/user/max_user_namespaces"
MOUNTS = "/proc/self/mountinfo"
# The kubelet gives each pod so many ids, and none of the first so many (those of the host's own users).
IDS = 65536
# Any range that is not the host's: there are no files in it.
FIRST = 100 * IDS
# As a task, of which `platform/atoll` makes the least uid.
USER = 30001
NAME = "atoll-user-namespaces"
TRIAL_S = 60

ARGUMENTS = {
    "node": {"type": "str", "required": True},
    "trees": {
        "type": "list",
        "elements": "str",
        "default": ["/mnt/atoll/home", "/var/lib/kubelet", "/var/lib/containerd"],
    },
    **COMMON_ARGUMENTS,
    **RECORD_ARGUMENTS,
}


def why_not(trees: List[str]) -> str:
    """Return why no container with idmapped mounts of these trees can be started here, nothing where one can."""
    try:
        with open(MOST, encoding="ascii") as stream:
            most = int(stream.read())
    except OSError:
        return "the kernel has no user namespaces"
    if most == 0:
        return "the kernel is told to make no user namespaces (sysctl user.max_user_namespaces is 0)"
    if not os.path.exists(RUNC):
        return "there is no {}".format(RUNC)
    folder = tempfile.mkdtemp(prefix=NAME + "-", dir=SCRATCH)
    try:
        return _tried(folder, [*trees, folder])
    finally:
        shutil.rmtree(folder)


def _tried(folder: str, trees: List[str]) -> str:
    """Start a container from a bundle made in this folder; it ends by itself."""
    os.chmod(folder, 0o711)  # noqa: S103 - the container's user goes through it
    mounts = container_mounts(trees)
    _places(os.path.join(folder, "rootfs"), mounts)
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as stream:
        json.dump(configuration(mounts, os.path.exists("/sys/fs/cgroup/cgroup.controllers")), stream)
    runc = [RUNC, "--root", os.path.join(folder, "state")]
    name = "{}-{}".format(NAME, os.getpid())
    try:
        done = subprocess.run(
            [*runc, "run", "--bundle", folder, name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            errors="replace",
            timeout=TRIAL_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        run([*runc, "delete", "--force", name])
        return "a container in a user namespace did not end within {} s".format(TRIAL_S)
    return "" if done.returncode == 0 else in_words(done.stderr)


def container_mounts(trees: List[str]) -> List[Dict[str, Any]]:
    """Return what containerd mounts into every container, the program that it runs, and the trees."""
    safe = ["nosuid", "noexec", "nodev"]
    mounts: List[Dict[str, Any]] = [
        {"destination": "/proc", "type": "proc", "source": "proc", "options": safe},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755", "size=65536k"]},
        {
            "destination": "/dev/pts",
            "type": "devpts",
            "source": "devpts",
            "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"],
        },
        {"destination": "/dev/mqueue", "type": "mqueue", "source": "mqueue", "options": safe},
        {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": [*safe, "ro"]},
        {"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": [*safe, "ro"]},
        {"destination": "/runc", "type": "bind", "source": RUNC, "options": ["bind", "ro"]},
    ]
    for number, tree in enumerate(trees):
        mounts.append(
            {
                "destination": "/tree{}".format(number),
                "type": "bind",
                "source": tree,
                # With what is mounted in it: a part of a tree is refused.
                "options": ["rbind", "ro", "rprivate"],
                "uidMappings": _ids(),
                "gidMappings": _ids(),
            }
        )
    return mounts


def configuration(mounts: List[Dict[str, Any]], has_cgroup_v2: bool) -> Dict[str, Any]:
    """Return the container's configuration, with the namespaces that containerd gives one of a pod."""
    namespaces = ["pid", "network", "ipc", "uts", "mount", "user", *(["cgroup"] if has_cgroup_v2 else [])]
    return {
        "ociVersion": "1.2.0",
        "process": {
            "user": {"uid": USER, "gid": USER},
            "args": ["/runc", "--version"],
            "cwd": "/",
            "env": ["PATH=/"],
            "noNewPrivileges": True,
            "capabilities": {},
        },
        "root": {"path": "rootfs"},
        "mounts": mounts,
        "linux": {
            "uidMappings": _ids(),
            "gidMappings": _ids(),
            "namespaces": [{"type": name} for name in namespaces],
            "cgroupsPath": "/" + NAME,
            "maskedPaths": ["/proc/kcore", "/proc/keys", "/proc/timer_list", "/sys/firmware"],
            "readonlyPaths": ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
        },
    }


def in_words(said: str) -> str:
    """Return what runc said last, for a person."""
    message = re.findall(r'msg="(.*)"\s*$', said, re.MULTILINE)
    last = message[-1] if message else (said.strip().splitlines() or ["it says nothing"])[-1]
    refused = re.search(r"MOUNT_ATTR_IDMAP on (\S+): ", last)
    if refused is None:
        return "a container in a user namespace does not start: {}".format(last)
    return "{} has no idmapped mounts ({}) under this kernel".format(file_system(refused.group(1)), refused.group(1))


def file_system(path: str) -> str:
    """Return the type of the file system at a path, as the kernel names it."""
    there = os.path.realpath(path)
    found, length = "its file system", -1
    with open(MOUNTS, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            before, _, after = line.partition(" - ")
            place = before.split()[4]
            if os.path.commonpath([place, there]) == place and len(place) >= length:
                found, length = after.split()[0], len(place)
    return found


def _ids() -> List[Dict[str, int]]:
    return [{"containerID": 0, "hostID": FIRST, "size": IDS}]


def _places(root: str, mounts: List[Dict[str, Any]]) -> None:
    """Make the places of mounts: what runc makes in the namespace, it makes as nobody to this disk."""
    os.makedirs(root, mode=0o755)
    for mount in mounts:
        place = root + mount["destination"]
        if os.path.isdir(mount["source"]) or mount["type"] != "bind":
            os.makedirs(place, mode=0o755, exist_ok=True)
        else:
            with open(place, "w", encoding="ascii"):
                pass
        os.chown(place, FIRST, FIRST)
    os.chown(root, FIRST, FIRST)


def _node(name: str) -> Optional[Dict[str, Any]]:
    """Return this node as the cluster has it, none before it has joined."""
    if not os.path.exists(KUBELET):
        return None
    node: Dict[str, Any] = json.loads(_kubectl("get", "node", name, "--output", "json"))
    return node


def _kubectl(*words: str) -> str:
    return run(["kubectl", "--kubeconfig", KUBELET, *words])


def work(module: Any) -> Dict[str, Any]:
    """Try, compare and patch."""
    reason = why_not(module.params["trees"])
    wanted: Dict[str, Dict[str, Any]] = {
        "labels": {LABEL: "false" if reason else "true"},
        "annotations": {WHY_NOT: reason or None},
    }
    node = _node(module.params["node"])
    seen = {} if node is None else node["metadata"]
    changed = any(
        seen.get(kind, {}).get(name) != value for kind, values in wanted.items() for name, value in values.items()
    )
    if changed and not module.check_mode:
        if node is None:
            raise NodeError("{} has not joined the cluster: there is no {}".format(module.params["node"], KUBELET))
        patch = json.dumps({"metadata": wanted})
        _kubectl("patch", "node", module.params["node"], "--type=merge", "--patch", patch)
    return {"changed": changed, "possible": not reason, "reason": reason}


def main() -> None:
    """Run as a module."""
    guarded(recorded(work), AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
