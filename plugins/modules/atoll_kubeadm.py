#!/usr/bin/python
# Apache-2.0
"""Make the first master, or join a node."""

from __future__ import annotations

DOCUMENTATION = r"""
module: atoll_kubeadm
short_description: Make the first master, or join a node
description:
  - Runs C(kubeadm init) or C(kubeadm join) once. What it was doing is written down before and after, so an attempt that
    was killed half-way is cleaned up and made again; one that still runs is waited for.
  - A member whose Node object is gone (it was shut out, or somebody deleted it) registers again, as its kubelet is
    restarted.
  - A master's API server, controller manager and scheduler run with its settings, also where it was made with others.
options:
  verb:
    description: What to do.
    type: str
    choices: [init, join]
    required: true
  config:
    description: Configuration of kubeadm on the node.
    type: path
    required: true
  node:
    description: With C(join), the name under which the node is registered.
    type: str
  ignore_preflight:
    description: Checks of kubeadm that this host can't pass and that do no harm here.
    type: list
    elements: str
    default: []
  keep:
    description: Files below C(/etc/kubernetes) that a clean-up puts back, such as the authorities.
    type: list
    elements: path
    default: []
  settings:
    description: >-
      On a master, the configuration of kubeadm with which its control plane has to run. A part that runs with other
      settings is replaced, and put back if it does not answer; it keeps its version of Kubernetes.
    type: path
  timeout_s:
    description: Most seconds that kubeadm may take.
    type: int
    default: 600
  part_timeout_s:
    description: Most seconds until a part of the control plane that was replaced answers again.
    type: int
    default: 300
extends_documentation_fragment:
  - atoll
author:
  - Atoll
"""

EXAMPLES = r"""
- name: The first master is made
  atoll_kubeadm:
    verb: init
    config: /etc/atoll/kubeadm/init.yaml
    keep: [/etc/kubernetes/pki/ca.crt, /etc/kubernetes/pki/ca.key]
    settings: /etc/atoll/kubeadm/init.yaml
"""

RETURN = r"""
cleaned:
  description: Whether a half-done attempt was removed first.
  returned: always
  type: bool
registered:
  description: Whether the kubelet had to register the node again.
  returned: always
  type: bool
replaced:
  description: The parts of the control plane that were started with other settings.
  returned: always
  type: list
  elements: str
"""

import json
import os
import shutil
import signal
import time
from typing import Any, Dict, List, Optional, Sequence

from ansible.module_utils import atoll_control_plane as control_plane
from ansible.module_utils.atoll_node import (
    COMMON_ARGUMENTS,
    NodeError,
    guarded,
    locked,
    read_json,
    run,
    write_atomically,
)
from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "verb": {"type": "str", "choices": ["init", "join"], "required": True},
    "config": {"type": "path", "required": True},
    "node": {"type": "str"},
    "ignore_preflight": {"type": "list", "elements": "str", "default": []},
    "keep": {"type": "list", "elements": "path", "default": []},
    "settings": {"type": "path"},
    "timeout_s": {"type": "int", "default": 600},
    "part_timeout_s": {"type": "int", "default": 300},
    **COMMON_ARGUMENTS,
}
ROOT = "/etc/kubernetes"
# kubeadm leaves these to the person who resets.
LEFTOVERS = ("/etc/cni/net.d", "/var/lib/etcd")
REGISTERS_WITHIN_S = 60
# Of the pods' network on a node: what its program wrote there, which addresses it gave away, and its bridge.
NETWORKS = ("/etc/cni/net.d", "/var/lib/cni/networks")
BRIDGE = "kube-bridge"
ROUTER = "kube-router"
DONE_BY = {"init": "admin.conf", "join": "kubelet.conf"}


def state_of(marker: Optional[Dict[str, Any]], verb: str, root: str = ROOT) -> str:
    """Return where a node stands with its cluster.

    `new`, `half` (an attempt of ours was cut off), `done`, `damaged` (a member that lost a file, but not what it holds)
    or `foreign` (somebody else's cluster).
    """
    there = os.path.exists(os.path.join(root, DONE_BY[verb]))
    manifests = os.path.join(root, "manifests")
    pods = bool(
        os.path.isdir(manifests) and [name for name in os.listdir(manifests) if name.startswith(("kube-", "etcd"))]
    )
    if marker is None:
        return "foreign" if there or pods else "new"
    if marker.get("state") != "done":
        return "half"
    if there:
        return "done"
    return "damaged" if pods else "half"


def clean(keep: List[str], lock: Optional[int], leftovers: Sequence[str] = LEFTOVERS) -> None:
    """Remove a half-done attempt; `keep` is put back, as kubeadm takes its whole directory away."""
    kept = {}
    for path in keep:
        if os.path.isfile(path):
            with open(path, "rb") as stream:
                kept[path] = (stream.read(), os.stat(path).st_mode & 0o7777)
    run(["kubeadm", "reset", "--force", "--cleanup-tmp-dir"], timeout_s=300, pass_fds=[lock] if lock else [])
    for path in leftovers:
        if os.path.isdir(path):
            empty(path)
    for path, (content, mode) in kept.items():
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        write_atomically(path, content, mode)


def end(program: str) -> None:
    """Kill the processes of a program, by the kernel's name for it. Who has to run again is started by the kubelet."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(os.path.join("/proc", pid, "comm"), encoding="utf-8") as stream:
                if stream.read().strip() == program:
                    os.kill(int(pid), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue


def empty(path: str) -> None:
    """Remove what is in a directory."""
    for name in os.listdir(path):
        inside = os.path.join(path, name)
        shutil.rmtree(inside) if os.path.isdir(inside) and not os.path.islink(inside) else os.unlink(inside)


def work(module: Any) -> Dict[str, Any]:
    """Do what is left to do."""
    params, dry = module.params, module.check_mode
    marker_path = os.path.join(params["state_directory"], "kubeadm.json")
    with locked(params["state_directory"], wanted=not dry, timeout_s=params["timeout_s"] + 300) as lock:
        state = state_of(read_json(marker_path), params["verb"])
        if state == "foreign":
            raise NodeError(
                "this node belongs to a Kubernetes cluster that Atoll did not make ({} exists). If it may go: "
                "`kubeadm reset` on the node, then apply again.".format(os.path.join(ROOT, DONE_BY[params["verb"]]))
            )
        if state == "damaged":
            raise NodeError(
                "this node is a member of the cluster, but {} is gone. Cleaning up would throw its etcd away, so "
                "nothing was done. Make the file again (`kubeadm init phase kubeconfig all --config {}` on a master, "
                "or copy it from another one), then apply again.".format(
                    os.path.join(ROOT, DONE_BY[params["verb"]]), params["config"]
                )
            )
        result = {
            "changed": state != "done",
            "cleaned": state == "half",
            "state_before": state,
            "registered": False,
            "replaced": [],
        }
        if state != "done":
            if dry:
                return result
            if state == "half":
                clean(params["keep"], lock)
            make(params, marker_path, lock)
        elif params["node"] and not is_registered(params["node"]):
            result.update(changed=True, registered=True)
            if not dry:
                register(params["node"])
        if params["settings"]:
            replaced = control_plane.keep_settings(params["settings"], params["part_timeout_s"], dry=dry)
            result.update(changed=result["changed"] or bool(replaced), replaced=replaced)
    return result


def is_registered(node: str) -> bool:
    """Say whether the cluster has a Node object of this name, as the kubelet sees it."""
    kubeconfig = os.path.join(ROOT, DONE_BY["join"])
    argv = ["kubectl", "--kubeconfig", kubeconfig, "get", "node", node, "--output", "name", "--ignore-not-found"]
    return bool(run(argv, timeout_s=60).strip())


def register(node: str) -> None:
    """Let the kubelet make the Node object: it does so when it starts, and never again.

    The node gets other addresses for its pods: what gave them the old ones would reach nobody, so it goes first.
    """
    run(["systemctl", "stop", "kubelet.service"], timeout_s=120)
    end(ROUTER)  # it would make the bridge again
    for path in NETWORKS:
        if os.path.isdir(path):
            empty(path)
    if run(["ip", "-oneline", "link", "show", BRIDGE], accept=(0, 1)):
        run(["ip", "link", "delete", BRIDGE])
    run(["systemctl", "start", "kubelet.service"])
    ends = time.monotonic() + REGISTERS_WITHIN_S
    while not is_registered(node):
        if time.monotonic() > ends:
            raise NodeError(
                "the kubelet did not register `{}` within {} s. What it says: `journalctl -u kubelet` there.".format(
                    node, REGISTERS_WITHIN_S
                )
            )
        time.sleep(1)


def make(params: Dict[str, Any], marker_path: str, lock: Optional[int]) -> None:
    """Run kubeadm; what it was doing stays behind if it is cut off."""
    write_atomically(marker_path, json.dumps({"verb": params["verb"], "state": "running"}).encode())
    # From here on a power cut must not leave a member of etcd behind that does not come back: the others of a small
    # cluster would wait for it for ever. The unit starts only once kubeadm has written its configuration.
    run(["systemctl", "--quiet", "enable", "kubelet.service"])
    argv = ["kubeadm", params["verb"], "--config", params["config"]]
    if params["ignore_preflight"]:
        argv.append("--ignore-preflight-errors=" + ",".join(params["ignore_preflight"]))
    # kubeadm holds the lock too: if this module is killed, the next run waits for kubeadm's own end.
    run(argv, timeout_s=params["timeout_s"], pass_fds=[lock] if lock else [])
    write_atomically(marker_path, json.dumps({"verb": params["verb"], "state": "done"}).encode())


def main() -> None:
    """Run as a module."""
    guarded(work, AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True))


if __name__ == "__main__":
    main()
