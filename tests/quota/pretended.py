"""Machines that are not there: nodes of the lab's API server whose kubelet is kwok (`of_tests` of the bundle's lock).

Everything above a kubelet is the cluster's own: API, `jobs`, Kueue, JobSet, scheduler, admission policies. A pod there
"runs" for as many seconds as its start file is called (`7.py`). Real workers are closed meanwhile, so that no task of
the suite lands on one.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from atoll.engines.kubernetes.machines import takes_tasks

from installer.bundle import building
from installer.cluster import cache_directory
from installer.progress.stages import progress_for
from installer.progress.timings import Timings
from tests.quota.shares import condition
from tests.system.harness import Atoll, wait_for

MARK, CLOSED = "tests.atoll.io/pretended", "tests.atoll.io/closed"
NAMES = "pretended-"
STAGES = Path(__file__).parent / "stages.yaml"
GPU, NPU = "nvidia.com/gpu", "huawei.com/Ascend910"
CARDS = 8
LEASE_S = 40


def program() -> Path:
    """kwok, built when it is missing."""
    with progress_for("text", Timings(cache_directory() / "timings.json")) as progress:
        return building.of_tests("kwok", progress)


def node(number: int, resource: str) -> dict[str, Any]:
    """One machine with eight cards. It has an address that nobody has (RFC 5737)."""
    name = f"{NAMES}{number:02}"
    there = {
        "cpu": "96",
        "memory": "768Gi",
        "pods": "200",
        "ephemeral-storage": "2Ti",
        resource: str(CARDS),
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                MARK: "true",
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/os": "linux",
                "kubernetes.io/hostname": name,
                "node-role.kubernetes.io/worker": "",
            },
        },
        "status": {
            "allocatable": there,
            "capacity": there,
            "addresses": [{"type": "InternalIP", "address": f"192.0.2.{number + 1}"}],
            "nodeInfo": {"architecture": "amd64", "operatingSystem": "linux", "kubeletVersion": "v0.0.0-pretended"},
        },
    }


class Machines:
    """Those that are not there, among those that are."""

    def __init__(self, atoll: Atoll, folder: Path) -> None:
        self._atoll, self._folder = atoll, folder
        self._kwok: subprocess.Popen[bytes] | None = None

    def come(self, wanted: list[dict[str, Any]]) -> None:
        """Start kwok, let them join, and close the real workers; what a killed run left goes first."""
        self._leave()
        argv = [
            str(program()),
            f"--kubeconfig={self._atoll.state / 'admin.conf'}",
            f"--config={STAGES}",
            f"--manage-nodes-with-label-selector={MARK}=true",
            f"--node-lease-duration-seconds={LEASE_S}",
            "--cidr=198.18.0.0/16",
        ]
        environment = {**os.environ, "HOME": str(self._folder)}  # where it would look for settings of somebody's own
        with (self._folder / "kwok.log").open("wb") as log:
            self._kwok = subprocess.Popen(argv, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        for name in self._real():
            self._atoll.kubectl("label", "node", name, f"{CLOSED}=true")
            self._atoll.kubectl("cordon", name)
        listed = self._folder / "nodes.json"
        listed.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": wanted}), encoding="utf-8")
        self._atoll.kubectl("create", "-f", str(listed))
        wait_for("the pretended machines ready", lambda: self._ready() == len(wanted), 120)

    def go(self) -> None:
        """As if they had never been there."""
        try:
            self._leave()
        finally:
            if self._kwok is not None:
                self._kwok.kill()
                self._kwok.wait()

    def said(self) -> str:
        """What kwok told last."""
        return (self._folder / "kwok.log").read_text("utf-8", "replace")[-3000:]

    def _ready(self) -> int:
        assert self._kwok is not None
        assert self._kwok.poll() is None, self.said()
        told = self._atoll.kubectl("get", "nodes", "-l", f"{MARK}=true", "-o", "json").json["items"]
        return sum(condition(one, "Ready") is not None for one in told)

    def _leave(self) -> None:
        """The nodes go, then the pods that were said to be on them, and real workers are open again."""
        self._atoll.kubectl("delete", "nodes", "-l", f"{MARK}=true", "--ignore-not-found", "--wait=false")
        for one in self._atoll.kubectl("get", "nodes", "-l", f"{CLOSED}=true", "-o", "json").json["items"]:
            name = one["metadata"]["name"]
            self._atoll.kubectl("uncordon", name)
            self._atoll.kubectl("label", "node", name, f"{CLOSED}-")
        wait_for("nothing on pretended machines", lambda: not self._pods(), 180)

    def _real(self) -> list[str]:
        told = self._atoll.kubectl("get", "nodes", "-o", "json").json["items"]
        return [str(one["metadata"]["name"]) for one in told if takes_tasks(one)]

    def _pods(self) -> list[str]:
        told = self._atoll.kubectl("get", "pods", "-A", "-o", "json").json["items"]
        names = ((one["metadata"]["name"], one["spec"].get("nodeName", "")) for one in told)
        return [str(name) for name, where in names if where.startswith(NAMES)]


@contextlib.contextmanager
def pretended(atoll: Atoll, gpu_nodes: int, npu_nodes: int) -> Iterator[Machines]:
    """So many machines of each kind, for as long as it lasts."""
    wanted = [node(number, GPU if number < gpu_nodes else NPU) for number in range(gpu_nodes + npu_nodes)]
    with tempfile.TemporaryDirectory() as folder:
        machines = Machines(atoll, Path(folder))
        try:
            machines.come(wanted)
            yield machines
        finally:
            machines.go()
