"""Looks on while tasks come and go: each event of a workload and a pod, in the order in which they were written.

Its eyes are `kubectl get --watch`, with the administrator's rights: what the platform tells of itself is not asked.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from installer.running import kubectl
from tests.quota.shares import Held, Ledger, Object, beyond, of_pod, of_workload, reserved_at

WORKLOADS, PODS = "workloads.kueue.x-k8s.io", "pods"
# A pod comes once its workload was admitted: what was granted somewhat earlier holds for it, too.
PODS_LATER_S = 20.0


class Watcher:
    """Notes whoever holds more than is granted at that moment."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.workloads, self.pods = Held(), Held()
        self.beyond: list[str] = []
        self.events = {WORKLOADS: 0, PODS: 0}
        self.admitted: set[str] = set()
        self.interrupted: dict[str, str] = {}
        self._lock = threading.Lock()

    def see(self, kind: str, change: str, item: Object) -> None:
        """One event."""
        with self._lock:
            self.events[kind] += 1
            gone = change == "DELETED"
            if kind == WORKLOADS:
                self._see_workload(item, gone=gone)
            else:
                self._see_pod(item, gone=gone)

    def _see_workload(self, item: Object, *, gone: bool) -> None:
        uid = item["metadata"]["uid"]
        holding = None if gone else of_workload(item)
        if holding is not None:
            self.admitted.add(uid)
        for entry in item.get("status", {}).get("conditions", ()):
            if entry["type"] == "Preempted" and entry["status"] == "True":
                self.interrupted[uid] = str(entry.get("reason", ""))
        if self.workloads.become(uid, holding):
            at = reserved_at(item)
            self.beyond += [f"workloads: {told}" for told in beyond(self.workloads, self.ledger, at)]

    def _see_pod(self, item: Object, *, gone: bool) -> None:
        if self.pods.become(item["metadata"]["uid"], None if gone else of_pod(item)):
            now = time.time()
            told = [set(beyond(self.pods, self.ledger, at)) for at in (now, now - PODS_LATER_S)]
            self.beyond += [f"pods: {each}" for each in sorted(told[0] & told[1])]


def objects(lines: Iterable[str]) -> Iterator[Any]:
    """The objects that `kubectl -o json` prints one after the other, each over many lines."""
    kept: list[str] = []
    for line in lines:
        kept.append(line)
        if line.startswith("}"):
            yield json.loads("".join(kept))
            kept.clear()


@contextlib.contextmanager
def watching(kubeconfig: Path, ledger: Ledger) -> Iterator[Watcher]:
    """Look on; raises AssertionError when an eye closed before the end."""
    watcher = Watcher(ledger)
    eyes = {kind: _eye(kubeconfig, kind) for kind in (WORKLOADS, PODS)}
    looking = [threading.Thread(target=_look, args=(eye, kind, watcher.see)) for kind, eye in eyes.items()]
    for thread in looking:
        thread.start()
    try:
        yield watcher
        closed = [kind for kind, eye in eyes.items() if eye.poll() is not None]
        assert not closed, f"nobody looked at {' and '.join(closed)} any more: the proof has a hole"
    finally:
        for eye in eyes.values():
            eye.kill()
        for thread in looking:
            thread.join()
        for eye in eyes.values():
            eye.wait()


def _eye(kubeconfig: Path, kind: str) -> subprocess.Popen[str]:
    argv = ["kubectl", "get", kind, "-A", "--watch", "--output-watch-events", "-o", "json"]
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
    return subprocess.Popen(
        argv, executable=kubectl.program(), env=environment, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
    )


def _look(eye: subprocess.Popen[str], kind: str, see: Callable[[str, str, Object], None]) -> None:
    assert eye.stdout is not None
    with eye.stdout:
        for event in objects(eye.stdout):
            see(kind, event["type"], event["object"])
