"""The bundle's Kueue beside the API server, machines that are only written down, and the engine that asks for tasks.

There is no kubelet: a task "runs" from when Kueue lets it go until the test says that it has ended. Kueue, the engine,
their rights and the policies are those of a cluster; what has an owner goes with it, by Kubernetes' own controller.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import yaml
from atoll.engines.base import ClusterProvision, Member, Share, UserShare
from atoll.engines.kubernetes import names
from atoll.engines.kubernetes.client import JOB_SET, WORKLOAD, KubernetesClient
from atoll.engines.kubernetes.engine import KubernetesEngine
from atoll.virtual_clusters.changes import Quota, Terms, only_grows

from tests.apiserver.server import ADMINISTRATOR, ANSWER_S, JOBS_TOKEN, KUEUE_TOKEN, STORAGE, ApiServer, Object, process
from tests.apiserver.shares import Grant, Ledger, Watcher, of_workload
from tests.ports import free_ports
from tests.system.harness import wait_for
from tests.unit.platform.engines.test_kubernetes import submission

GPU, NPU = "nvidia.com/gpu", "huawei.com/Ascend910"
TYPES = {GPU: "nvidia_gpu_amd64", NPU: "huawei_npu_amd64"}
MACHINES, CARDS = 10, 8
ROOT = ("ResourceFlavor", "Cohort")
CERTIFICATES = "etc/kueue/metrics/certs"  # a place that no setting of Kueue's changes, so it has a root of its own
# The suite has what others leave of the cores.
PATIENCE_S = 120


def kubeconfig(server: ApiServer, token: str) -> Path:
    """How a program asks the server, as whom that token is."""
    file = server.folder / f"{token}.yaml"
    authority = base64.b64encode(server.authority.read_bytes()).decode()
    there = {"server": f"https://127.0.0.1:{server.port}", "certificate-authority-data": authority}
    told = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "here", "cluster": there}],
        "users": [{"name": "this", "user": {"token": token}}],
        "contexts": [{"name": "this", "context": {"cluster": "here", "user": "this"}}],
        "current-context": "this",
    }
    file.write_text(yaml.safe_dump(told), "utf-8")
    return file


def configuration(installed: list[Object], folder: Path, health: int, webhook: int) -> None:
    """Write Kueue's, as the role `queue` does, at addresses of this machine."""
    (written,) = [
        item["data"]["controller_manager_config.yaml"]
        for item in installed
        if (item["kind"], item["metadata"]["name"]) == ("ConfigMap", "kueue-manager-config")
    ]
    own = {
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": webhook, "certDir": f"/{CERTIFICATES}"},
        "leaderElection": {"leaderElect": False},
    }
    (folder / "kueue.yaml").write_text(yaml.safe_dump({**yaml.safe_load(written), **own}), "utf-8")


@contextmanager
def queueing(server: ApiServer, bundle: Path, installed: list[Object]) -> Iterator[None]:
    """Kueue goes round, and what has an owner goes with it."""
    folder = server.folder / "queue"
    (folder / CERTIFICATES).mkdir(parents=True)
    for name, wanted in (("apiserver.crt", "tls.crt"), ("apiserver.key", "tls.key")):
        shutil.copyfile(server.folder / "pki" / name, folder / CERTIFICATES / wanted)
    health, webhook, secure = free_ports(3)
    for item in [each for each in installed if each["kind"] in ROOT] + [machine(number) for number in range(MACHINES)]:
        answer = server.apply(item, keep=True)
        assert answer.is_success, answer.text
        if "status" in item:
            path = f"{server.collection(item)}/{item['metadata']['name']}/status"
            headers = {"Content-Type": "application/merge-patch+json"}
            assert server.ask("PATCH", path, json={"status": item["status"]}, headers=headers).is_success
    programs = bundle / "bin/amd64"
    configuration(installed, folder, health, webhook)
    shutil.copyfile(kubeconfig(server, KUEUE_TOKEN), folder / "kubeconfig")
    shutil.copy(programs / "kueue", folder / "manager")
    kueue = ["chroot", str(folder), "/manager", "--config=/kueue.yaml", "--kubeconfig=/kubeconfig"]
    kueue += ["--feature-gates=VisibilityOnDemand=false"]
    collector = ["kube-controller-manager", f"--kubeconfig={kubeconfig(server, ADMINISTRATOR)}"]
    collector += ["--controllers=garbage-collector-controller", "--leader-elect=false"]
    collector += ["--bind-address=127.0.0.1", f"--secure-port={secure}", f"--cert-dir={folder}"]
    try:
        with ExitStack() as stack:
            stack.enter_context(process(collector, programs / "kubernetes", folder / "collector.log"))
            stack.enter_context(process(kueue, Path(str(shutil.which("chroot"))), folder / "kueue.log"))
            wait_for("Kueue", lambda: is_well(health), PATIENCE_S)
            yield
    finally:
        for number in range(MACHINES):
            server.ask("DELETE", f"/api/v1/nodes/{machine(number)['metadata']['name']}")


def machine(number: int) -> Object:
    """One that is written down and ready."""
    has = {"cpu": "128", "memory": "1Ti", "pods": "110", (GPU if number % 2 else NPU): str(CARDS)}
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"pretended-{number}", "labels": {"kubernetes.io/arch": "amd64"}},
        "status": {"allocatable": has, "capacity": has, "conditions": [ready]},
    }


def is_well(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200
    except httpx.TransportError:
        return False


@asynccontextmanager
async def watching(server: ApiServer, ledger: Ledger) -> AsyncIterator[Watcher]:
    """Look on at each event of workloads; raises AssertionError when the eye closed before the end."""
    watcher = Watcher(ledger)
    headers = {"Authorization": f"Bearer {ADMINISTRATOR}"}
    client = httpx.AsyncClient(
        base_url=str(server.client.base_url), headers=headers, verify=server.trusted, timeout=ANSWER_S
    )

    listing = asyncio.Event()

    async def all_there_is() -> Object:
        """A server that has begun to serve the kind a moment ago may refuse at first."""
        deadline = time.monotonic() + PATIENCE_S
        while not (answer := await client.get(WORKLOAD.path())).is_success:
            assert time.monotonic() < deadline, f"{answer.status_code} {answer.text}"
            print(f"workloads are not told yet: {answer.status_code} {answer.text}")
            await asyncio.sleep(1)
        found: Object = answer.json()
        return found

    async def look() -> None:
        listed = await all_there_is()
        for item in listed["items"]:
            if of_workload(item) is not None:  # what ended before is nothing to this watcher
                watcher.see("ADDED", item)
        listing.set()
        since = {"watch": "1", "resourceVersion": listed["metadata"]["resourceVersion"], "timeoutSeconds": "3600"}
        async with client.stream("GET", WORKLOAD.path(), params=since) as events:
            assert events.is_success, f"{events.status_code} {(await events.aread()).decode()}"
            async for line in events.aiter_lines():
                event = json.loads(line)
                assert event["type"] in ("ADDED", "MODIFIED", "DELETED"), event
                watcher.see(event["type"], event["object"])

    async with client:
        eye = asyncio.create_task(look())
        eye.add_done_callback(watcher.close)
        eye.add_done_callback(lambda _: listing.set())
        try:
            await listing.wait()
            watcher.assert_open()
            yield watcher
            watcher.assert_open()
        finally:
            eye.cancel()
            await asyncio.wait([eye])


@asynccontextmanager
async def asking(server: ApiServer) -> AsyncIterator[KubernetesEngine]:
    """The engine as `jobs` has it, with the rights of `jobs`."""
    engine = KubernetesEngine(await KubernetesClient.connect(kubeconfig(server, JOBS_TOKEN)), [], STORAGE)

    async def run() -> None:
        async for _ in engine.run():
            pass

    running = asyncio.create_task(run())
    try:
        await eventually(lambda: engine.synced, "the engine has read everything")
        yield engine
    finally:
        running.cancel()
        await asyncio.wait([running])
        await engine.close()


async def eventually(ready: object, what: str, within_s: float = PATIENCE_S) -> None:
    """Wait until it is so."""
    assert callable(ready)
    deadline = time.monotonic() + within_s
    while not ready():
        assert time.monotonic() < deadline, f"{what}: not within {within_s} s"
        await asyncio.sleep(0.05)


def terms(grant: Grant) -> Terms:
    """A grant in the words of the rule of edits."""
    quotas = {name: Quota(count, grant.most_per_user[name]) for name, count in grant.devices.items()}
    return Terms(quotas, None, grant.borrows)


@dataclass
class Company:
    """Virtual clusters, their members and what these do, as the platform would have the engine do it."""

    server: ApiServer
    engine: KubernetesEngine
    watcher: Watcher
    members: dict[str, set[str]] = field(default_factory=dict)
    tasks: dict[str, tuple[str, str]] = field(default_factory=dict)
    submitted: int = 0

    @property
    def ledger(self) -> Ledger:
        return self.watcher.ledger

    async def make(self, cluster: str, grant: Grant, *members: str) -> str:
        """A virtual cluster; its name."""
        self.members[cluster] = {*members}
        self.ledger.note(cluster, grant, time.time())
        await self.provision(cluster)
        return cluster

    async def provision(self, cluster: str) -> None:
        """Have the engine do as is wanted, until it has."""
        grant = self.ledger.now(cluster)
        wanted = ClusterProvision(
            name=cluster,
            shares=tuple(
                Share(device_type=TYPES[name], resource=name, count=count, max_per_user=grant.most_per_user[name])
                for name, count in grant.devices.items()
            ),
            members=tuple(Member(name=name, uid=30007) for name in sorted(self.members[cluster])),
            user_share=UserShare(percent=100, usual_cpu="2", usual_memory="8Gi"),
            borrows=grant.borrows,
        )
        deadline = time.monotonic() + PATIENCE_S
        while not await self.engine.provision(wanted):
            assert time.monotonic() < deadline, f"{cluster}: {self.members[cluster]}"
            await asyncio.sleep(0.1)
        self.ledger.settle(cluster, time.time())

    async def edit(self, cluster: str, grant: Grant) -> bool:
        """Grant something else, where the platform takes the edit; whether it does."""
        grows = only_grows(terms(self.ledger.now(cluster)), terms(grant))
        if not grows and any(place == cluster for place, _ in self.tasks.values()):
            return False
        self.ledger.note(cluster, grant, time.time())
        await self.provision(cluster)
        return True

    async def submit(self, cluster: str, user: str, resource: str, devices: int, nodes: int = 1) -> str:
        """A task; its id."""
        self.submitted += 1
        attempt = f"{cluster}-{self.submitted:04}"
        asked = submission(
            attempt_id=attempt, devices=devices, nodes=nodes, of={"type": TYPES[resource], "resource": resource}
        )
        await self.engine.submit(asked.model_copy(update={"virtual_cluster": cluster, "user_name": user}))
        self.tasks[attempt] = (cluster, user)
        return attempt

    async def end(self, attempt: str) -> None:
        """Its program has ended."""
        cluster, _ = self.tasks.pop(attempt)
        path = f"{JOB_SET.path(names.namespace(cluster), names.job_set(attempt))}/status"
        completed = {"type": "Completed", "status": "True", "reason": "AllJobsCompleted", "message": "done"}
        completed["lastTransitionTime"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        status = {"status": {"conditions": [completed], "terminalState": "Completed"}}
        headers = {"Content-Type": "application/merge-patch+json"}
        answer = await asyncio.to_thread(self.server.ask, "PATCH", path, json=status, headers=headers)
        assert answer.is_success, answer.text

    async def stop(self, attempt: str) -> None:
        """Its owner stops it."""
        await self.engine.stop(attempt)
        del self.tasks[attempt]

    def runs(self, *attempts: str) -> bool:
        """Whether all of these have what they asked for."""
        return {names.job_set(each) for each in attempts} <= self.watcher.held.jobs

    async def all_run(self, *attempts: str) -> None:
        """Wait until they do."""
        await eventually(lambda: self.runs(*attempts), f"{attempts} run")

    async def finish_all(self) -> None:
        """Let all tasks end one after the other, as they come to run."""
        deadline = time.monotonic() + PATIENCE_S
        while self.tasks:
            there = [attempt for attempt in self.tasks if self.runs(attempt)]
            for attempt in there:
                await self.end(attempt)
            deadline = time.monotonic() + PATIENCE_S if there else deadline
            assert time.monotonic() < deadline, f"these never come to run: {self.tasks}"
            await asyncio.sleep(0.05)
