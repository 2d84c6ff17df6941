"""The Kubernetes engine on the cluster that the suite `system` leaves running.

It is the code that `jobs` runs, with the administrator's kubeconfig, on a virtual cluster of the suite's own, which is
removed afterwards; the user is the platform's administrator, whose home `files` has made.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from atoll.engines.base import Endpoint, Engine, EngineError
from atoll.engines.kubernetes.client import SECRET, KubernetesClient, Object
from atoll.engines.kubernetes.engine import KubernetesEngine
from atoll.engines.kubernetes.manifests import Landmarks

from tests.engines.bench import CLUSTER, TYPE, Bench
from tests.system.harness import CLUSTER_FILE, Atoll, Portal

STORAGE = Path("/mnt/atoll")
NAMESPACE = f"vc-{CLUSTER}"
VOLUMES = ("homes", "datasets", "models")


@cache
def _framework() -> tuple[str, str]:
    """The administrator's name, and the image of the first framework."""
    portal = Portal(Atoll(CLUSTER_FILE))
    try:
        assert portal.signed_in.is_success, portal.signed_in.text
        answer = portal.client.get("/trainings/options")
        assert answer.is_success, answer.text
        assert portal.client.get("/home/files").is_success  # makes the home
        return portal.user, str(answer.json()["frameworks"][0]["image"])
    finally:
        portal.client.close()


class KubernetesBench(Bench):
    """Pods of the lab."""

    patience_s = 120
    knows_indices = False

    def __init__(self) -> None:
        super().__init__()
        self.atoll = Atoll(CLUSTER_FILE)
        self.user, self.image = _framework()
        identity = json.loads(
            self.atoll.kubectl("get", "configmap", f"user-{self.user}", "-n", "vc-default", "-o", "json").out
        )
        told = json.loads(self.atoll.kubectl("get", "configmap", "jobs-config", "-n", "atoll-system", "-o", "json").out)
        engine = yaml.safe_load(told["data"]["config.yaml"])["engine"]
        self.runtime = engine["runtime"]
        self.landmarks = Landmarks(tuple(engine["gateways"]), engine["name_service"])
        entries = (line.split(":") for line in identity["data"]["passwd"].splitlines())
        self.uid = next(int(entry[2]) for entry in entries if entry[0] == self.user)
        roles = {node["name"]: node["roles"] for node in yaml.safe_load(CLUSTER_FILE.read_text("utf-8"))["nodes"]}
        self.worker = next(name for name, held in roles.items() if "worker" in held)

    async def make(self) -> Engine:
        client = await KubernetesClient.connect(self.atoll.state / "admin.conf")
        return KubernetesEngine(client, [TYPE], STORAGE, landmarks=self.landmarks)

    def place(self, source: str) -> str:
        kind, _, rest = source.partition("/")
        return f"/home/{rest}" if kind == "home" else f"/{source}"

    async def put(self, source: str, name: str, text: str) -> None:
        directory = STORAGE / source
        script = f"umask 022; mkdir -p {directory}; printf %s '{text}' > {directory / name}"
        await asyncio.to_thread(self.atoll.node, self.worker, "sh", "-c", script)

    async def left_of(self, attempt_id: str) -> list[str]:
        kinds = "jobsets,jobs,pods,secrets,networkpolicies,services,workloads"
        ran = await asyncio.to_thread(self.atoll.kubectl, "get", kinds, "-n", NAMESPACE, "-o", "name")
        return [name for name in ran.out.split() if attempt_id in name]

    async def left_of_cluster(self, virtual_cluster: str) -> list[str]:
        kinds, mine = "namespaces,persistentvolumes,clusterqueues,cohorts", f"vc-{virtual_cluster}"
        ran = await asyncio.to_thread(self.atoll.kubectl, "get", kinds, "-o", "name")
        volumes = {f"{mine}-{name}" for name in VOLUMES}
        found = [line.rpartition("/")[2] for line in ran.out.split()]
        return [name for name in found if name in {mine, *volumes} or name.startswith(f"{mine}--")]

    async def left_of_member(self, virtual_cluster: str, name: str) -> list[str]:
        kinds, namespace = "localqueues,configmaps", f"vc-{virtual_cluster}"
        inside = await asyncio.to_thread(self.atoll.kubectl, "get", kinds, "-n", namespace, "-o", "name")
        found = [line.rpartition("/")[2] for line in inside.out.split()]
        queues = [each for each in await self.left_of_cluster(virtual_cluster) if each == f"{namespace}--{name}"]
        return queues + [each for each in found if each in (name, f"user-{name}")]

    @contextlib.contextmanager
    def cut_off(self) -> Iterator[None]:
        apply = KubernetesClient.apply

        async def killed(client: KubernetesClient, wanted: Object) -> Object:
            if wanted["kind"] == SECRET.kind:
                raise EngineError("cut off")
            return await apply(client, wanted)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(KubernetesClient, "apply", killed)
            yield

    async def written(self) -> str:
        kinds = "jobsets,jobs,pods,configmaps,networkpolicies,workloads,events"
        ran = await asyncio.to_thread(self.atoll.kubectl, "get", kinds, "-n", NAMESPACE, "-o", "yaml")
        return ran.out

    async def reach(self, endpoint: Endpoint, path: str) -> str:
        """Ask from the gateway's network; kube-router may need a moment to let it in to a new pod."""
        url = f"http://{endpoint.host}:{endpoint.number}{path}"
        asks = f"import urllib.request; print(urllib.request.urlopen({url!r}, timeout=10).read().decode(), end='')"
        script = f'nsenter --target="$(pgrep -o -x nginx)" --net -- python3 -c "{asks}"'
        for _ in range(10):
            ran = await asyncio.to_thread(self.atoll.node, "master1", "sh", "-c", script, ok=(0, 1))
            if ran.code == 0:
                return ran.out
            await asyncio.sleep(1)
        raise AssertionError(f"not reached from the gateway: {ran.err[-300:]}")


def leave_nothing() -> None:
    """Remove the suite's virtual clusters: their volumes and quotas are of the cluster, not of the name spaces.

    Whoever comes next, perhaps this suite again, finds them gone and not going.
    """
    atoll, (user, _) = Atoll(CLUSTER_FILE), _framework()
    spaces = (NAMESPACE, f"{NAMESPACE}-second")
    for kind, names in (
        ("namespace", [*spaces]),
        ("persistentvolume", [f"{space}-{name}" for space in spaces for name in VOLUMES]),
        ("clusterqueue", [f"{space}--{name}" for space in spaces for name in (user, "bob")]),
        ("cohort", [*spaces]),
    ):
        atoll.kubectl("delete", kind, *names, "--ignore-not-found", "--wait=true", "--timeout=120s")


@contextlib.asynccontextmanager
async def kubernetes_bench(_directory: Path) -> AsyncIterator[Bench]:
    """The engine on the installed cluster, with the suite's virtual cluster."""
    made = await asyncio.to_thread(KubernetesBench)
    await made.begin()
    try:
        await made.engine.provision(made.provision())
        yield made
    finally:
        await made.end()
