"""The control plane of a master runs with its settings.

kubeadm writes the pods of API server, controller manager and scheduler when it makes a master and never again. Here it
writes them anew, into a directory of their own; one that differs takes its place, is started and waited for. One that
does not come up, or ends again and again, gives its place back to the one that ran, and its last lines are told. A
master keeps its version of Kubernetes.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import glob
import http.client
import os
import re
import socket
import ssl
import tempfile
import time
from typing import Dict, List, Optional, Set

from ansible.module_utils.atoll_node import NodeError, run, write_atomically

MANIFESTS = "/etc/kubernetes/manifests"
AUTHORITY = "/etc/kubernetes/pki/ca.crt"
PROC = "/proc"
API_SERVER = "kube-apiserver"
PORTS = {API_SERVER: 6443, "kube-controller-manager": 10257, "kube-scheduler": 10259}
IMAGE = re.compile(r"^ +image: .*$", re.MULTILINE)
CONTENT = re.compile(r"^ +atoll\.io/image: .*\n", re.MULTILINE)  # the digest that the tag had
PAUSE_S = 0.5
LOGS = "/var/log/pods"
ENOUGH_STARTS = 3  # what needs a sibling may end once or twice before that is up
LAST_LINES = 15
LONGEST_LINE = 200
LOG_LINE = re.compile(r"^\S+ std(?:out|err) [FP] ")  # the container runtime's words in front of the program's own


def manifests(config: str) -> Dict[str, str]:
    """Return what kubeadm would write now, by part."""
    with tempfile.TemporaryDirectory(prefix="atoll-") as folder:
        argv = ["kubeadm", "init", "phase", "control-plane", "all", "--dry-run", "--config", config]
        run(argv, env={"KUBEADM_INIT_DRYRUN_DIR": folder})
        return {name: read(os.path.join(folder, name + ".yaml")) or "" for name in PORTS}


def read(path: str) -> Optional[str]:
    """Return a file's text, None if there is none."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def with_image_of(old: str, new: str) -> str:
    """Return `new` with the image of `old`: another version is an upgrade, which is more than other settings."""
    image, other = IMAGE.search(old), IMAGE.search(new)
    if not image or not other or image.group() == other.group():
        return new
    content = CONTENT.search(old)
    kept = CONTENT.sub(lambda _: content.group() if content else "", new, count=1)
    return IMAGE.sub(lambda _: image.group(), kept, count=1)


def processes(name: str) -> Set[str]:
    """Return the processes of a part."""
    found = set()
    for pid in filter(str.isdigit, os.listdir(PROC)):
        try:
            with open(os.path.join(PROC, pid, "cmdline"), "rb") as stream:
                program = stream.read().split(b"\0")[0].decode(errors="replace")
        except OSError:
            continue  # it ended meanwhile
        if os.path.basename(program) == name:
            found.add(pid)
    return found


def answers(name: str) -> bool:
    """Say whether a part takes requests: the API server is ready, the others listen."""
    try:
        if name != API_SERVER:
            socket.create_connection(("127.0.0.1", PORTS[name]), timeout=2).close()
            return True
        context = ssl.create_default_context(cafile=AUTHORITY)
        connection = http.client.HTTPSConnection("127.0.0.1", PORTS[name], timeout=10, context=context)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        finally:
            connection.close()
    except (OSError, http.client.HTTPException):
        return False


class Starts:
    """How often the kubelet has started a part since: it keeps a log of each start."""

    def __init__(self, name: str) -> None:
        """Remember what was there before."""
        self._pattern = os.path.join(LOGS, "kube-system_{0}-*_*".format(name), name, "*.log")
        self._before = set(glob.glob(self._pattern))
        self._seen = set()  # type: Set[str]

    def count(self) -> int:
        """Return how many there were; those whose logs the kubelet has removed again count too."""
        self._seen |= set(glob.glob(self._pattern)) - self._before
        return len(self._seen)

    def last_lines(self) -> str:
        """Return what the last one that said something said last."""
        self.count()
        logs = [log for log in self._seen if os.path.exists(log)]
        for log in sorted(logs, key=os.path.getmtime, reverse=True):
            lines = (read(log) or "").splitlines()[-LAST_LINES:]
            if lines:
                return "\n".join("  " + LOG_LINE.sub("", line)[:LONGEST_LINE] for line in lines)
        return "  (it said nothing)"


def started(name: str, before: Set[str], starts: Starts, timeout_s: float) -> str:
    """Wait until a part's process has given way to another one, which answers; return "" or why that will not be."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        now = processes(name)
        if now - before and (not before or before - now) and answers(name):
            return ""
        if starts.count() >= ENOUGH_STARTS and not now - before:
            return "ends again and again with its new settings"
        time.sleep(PAUSE_S)  # nothing tells when the kubelet has seen the file
    return "did not come up with its new settings within {} s".format(timeout_s)


def keep_settings(config: str, timeout_s: float, *, dry: bool) -> List[str]:
    """Replace what differs from the settings, one part after the other; return the names of those parts."""
    there = {name: read(os.path.join(MANIFESTS, name + ".yaml")) for name in PORTS}
    missing = [name for name, old in there.items() if old is None]
    if missing:
        raise NodeError(
            "this master has no {} in {}. Make it again (`kubeadm init phase control-plane all --config {}`), "
            "then apply again.".format(", ".join(missing), MANIFESTS, config)
        )
    made, replaced = manifests(config), []
    for name, old in there.items():
        new = with_image_of(old or "", made[name])
        if new == old:
            continue
        replaced.append(name)
        if not dry:
            replace(name, old or "", new, timeout_s)
    return replaced


def replace(name: str, old: str, new: str, timeout_s: float) -> None:
    """Start a part with other settings; one that does not come up gives its place back."""
    path, before, starts = os.path.join(MANIFESTS, name + ".yaml"), processes(name), Starts(name)
    write_atomically(path, new.encode())
    why = started(name, before, starts, timeout_s)
    if why:
        last = starts.last_lines()
        write_atomically(path, old.encode())
        raise NodeError("{} {}, so the ones of before are back. Its last lines:\n{}".format(name, why, last))
