"""The product's engine: JobSets, queued by Kueue, on Kubernetes."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from atoll.configuration import Configuration
from atoll.devices.limits import LOCAL_DISK
from atoll.devices.types import DeviceType
from atoll.engines.base import (
    Capability,
    ClusterProvision,
    Endpoint,
    Engine,
    LogGone,
    NodeObservation,
    Observation,
    Submission,
)
from atoll.engines.kubernetes import keeping, machines, manifests, names, observing, provisioning, removing
from atoll.engines.kubernetes.client import (
    JOB_SET,
    NETWORK_POLICY,
    NODE,
    POD,
    SECRET,
    WORKLOAD,
    ApiFailure,
    KubernetesClient,
    Object,
)
from atoll.engines.kubernetes.opening import OPENED_AT_ONCE, Opening
from atoll.engines.kubernetes.reflector import Key, Reflector, key
from atoll.networks import closed

# Beyond it, only shared storage surely has all. The kubelet keeps 16 MiB of its own lines before it begins anew, but
# puts 40 bytes in front of each: of a program that writes empty lines, that is some 400 KiB of output.
LIVE_LOG_BYTES = 256 << 10


class KubernetesEngine(Engine):
    """Keeps copies of JobSets, pods, workloads and nodes, and writes what tasks need."""

    capabilities = frozenset(Capability)

    def __init__(
        self,
        client: KubernetesClient,
        devices: Sequence[DeviceType],
        storage_root: Path,
        local_disk: str = LOCAL_DISK,
        landmarks: manifests.Landmarks = manifests.UNMARKED,
        *,
        user_namespaces: bool = True,
        lends: bool = True,
        networks: Sequence[str] = (),
    ) -> None:
        self._client = client
        self._devices = devices
        self._storage_root = storage_root
        self._local_disk = local_disk
        self._landmarks = landmarks
        self._user_namespaces = user_namespaces
        self._lends = lends
        self._networks = (*networks, *landmarks.gateways)
        self._entered: set[tuple[str, bool]] = set()  # virtual clusters, and whether their room of privileged jobs
        self._changes: asyncio.Queue[str | None] = asyncio.Queue()
        self._queued: set[str | None] = set()
        self._job_sets = Reflector(
            client, JOB_SET, self._attempt_changed, selector=names.ATTEMPT, keep=keeping.without_managed_fields
        )
        self._workloads = Reflector(client, WORKLOAD, self._workload_changed, keep=keeping.without_managed_fields)
        # All pods, not only ours: what is free on a node depends on every one.
        self._pods = Reflector(client, POD, self._pod_changed, keep=keeping.pod)
        self._nodes = Reflector(client, NODE, self._node_changed, keep=keeping.without_managed_fields)
        # What an attempt has from when the queue lets it go, and the last of it that is removed.
        self._policies = Reflector(
            client, NETWORK_POLICY, self._policy_changed, selector=names.ATTEMPT, keep=keeping.marker
        )
        self._pods_by_attempt: dict[str, dict[Key, Object]] = {}
        self._workloads_by_owner: dict[str, Object] = {}
        self._attempts_by_uid: dict[str, str] = {}
        self._job_sets_by_attempt: dict[str, Object] = {}
        self._opening = Opening(client, self._job_set)

    @classmethod
    async def connect(cls, configuration: Configuration) -> "KubernetesEngine":
        """An engine on the cluster that the configuration names. Raises ConfigurationError."""
        client = await KubernetesClient.connect(configuration.engine.kubeconfig)
        settings = configuration.engine
        return cls(
            client,
            configuration.devices,
            configuration.storage.root,
            settings.local_disk,
            manifests.Landmarks(tuple(settings.gateways), settings.name_service),
            user_namespaces=settings.user_namespaces == "auto",
            lends=settings.lends,
            networks=settings.networks,
        )

    @property
    def synced(self) -> bool:
        """Whether all kinds were listed."""
        return all(item.synced.is_set() for item in self._reflectors())

    async def run(self) -> AsyncGenerator[str | None, None]:
        """Watch until cancelled."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(item.run()) for item in self._reflectors()]
            tasks += [group.create_task(self._opening.run()) for _ in range(OPENED_AT_ONCE)]
            try:
                for item in self._reflectors():
                    await item.synced.wait()
                yield None
                while True:
                    changed = await self._changes.get()
                    self._queued.discard(changed)
                    yield changed
            except GeneratorExit:  # closed by whoever listened; a group would tell it as a failure of its own
                return
            finally:
                for task in tasks:
                    task.cancel()

    def observe(self, attempt_id: str) -> Observation:
        """What was last seen."""
        job_set = self._job_set(attempt_id)
        pods = self._pods_of(attempt_id)
        seen = observing.observation(
            attempt_id, job_set, pods, self._workload_of(job_set), datetime.now(UTC), self._devices
        )
        if observing.is_straggling(seen, job_set):
            asyncio.get_running_loop().call_later(
                observing.STRAGGLERS.total_seconds() + 0.5, self._announce, attempt_id
            )
        return seen

    def adopt(self) -> Sequence[str]:
        """All attempts that have a JobSet, or a network policy that outlived it."""
        return list(self._opening.marked.union(self._job_sets_by_attempt))

    async def submit(self, submission: Submission) -> None:
        """The JobSet, by which it is known that there is something of the attempt, and its secret variables.

        A pod that comes before those waits for them. Its network policy comes once the queue lets it go.
        """
        await self._keep_entry(submission.virtual_cluster, privileged=submission.specification.privileged)
        made = manifests.job_set(
            submission,
            self._local_disk,
            self._landmarks,
            user_namespace=self._user_namespaces
            and machines.have_user_namespaces(
                self._nodes.items.values(), submission.specification.devices.architecture
            ),
        )
        job_set = await self._client.create(made)
        self._job_sets.put(job_set)
        if (secret := manifests.secret(submission, job_set["metadata"]["uid"])) is not None:
            await self._client.apply(secret)

    async def stop(self, attempt_id: str) -> None:
        """Delete the JobSet; it is gone when its pods are. The grace is theirs."""
        job_set = self._job_set(attempt_id)
        if job_set is None or observing.has_ended(self.observe(attempt_id)):
            return
        if "deletionTimestamp" not in job_set["metadata"]:
            namespace, name = job_set["metadata"]["namespace"], job_set["metadata"]["name"]
            await self._client.delete(JOB_SET, namespace, name, propagation="Foreground")

    async def forget(self, attempt_id: str, virtual_cluster: str, *, privileged: bool = False) -> None:
        """Remove what is left by its name, seen or not: first what nobody would find without the rest."""
        namespace, name = names.namespace(virtual_cluster, privileged=privileged), names.job_set(attempt_id)
        self._opening.forget(attempt_id)
        for kind in (SECRET, JOB_SET, NETWORK_POLICY):
            await self._client.delete(kind, namespace, name)

    async def logs(self, attempt_id: str, rank: int, offset: int) -> AsyncGenerator[bytes, None]:
        """The pod's output by way of the Kubernetes API; the bytes before `offset` are skipped."""
        replica = next((item for item in self.observe(attempt_id).replicas if item.rank == rank), None)
        job_set = self._job_set(attempt_id)
        if replica is None or replica.pod is None or replica.state in ("waiting", "starting") or job_set is None:
            raise LogGone(attempt_id)
        if offset > LIVE_LOG_BYTES:
            raise LogGone(attempt_id)
        position = 0
        try:
            source = self._client.log(job_set["metadata"]["namespace"], replica.pod, names.CONTAINER)
            async with contextlib.aclosing(source) as chunks:
                async for chunk in chunks:
                    fresh = chunk[max(0, offset - position) :]
                    position += len(chunk)
                    if fresh:
                        yield fresh
                    if position > LIVE_LOG_BYTES:
                        # The kubelet may soon throw the beginning away and a reconnect would lose count.
                        return
        except ApiFailure as error:
            raise LogGone(str(error)) from error

    def endpoints(self, attempt_id: str) -> Sequence[Endpoint]:
        """The pods' own addresses; their network policy lets the gateway in and nobody else."""
        job_set = self._job_set(attempt_id)
        return observing.endpoints(job_set, self._pods_of(attempt_id)) if job_set is not None else ()

    def nodes(self) -> Sequence[NodeObservation]:
        """All machines."""
        return machines.observe(self._nodes.items.values(), self._pods.items.values(), self._devices)

    def capacity(self) -> tuple[int | str, ...]:
        """CPU and memory of the machines that take tasks: quotas follow them. Addresses of all: what is opened does."""
        return (*machines.task_capacity(self.nodes()), *machines.addresses(self._nodes.items.values()))

    async def _keep_entry(self, virtual_cluster: str, *, privileged: bool) -> None:
        """The entry point is that of this version: provisioning may not have come to this virtual cluster yet."""
        if (virtual_cluster, privileged) not in self._entered:
            await self._client.apply(provisioning.entry(virtual_cluster, privileged=privileged))
            self._entered.add((virtual_cluster, privileged))

    async def provision(self, wanted: ClusterProvision) -> bool:
        """Remove what former members had, and apply all objects of a virtual cluster.

        In this order: whoever comes back while all is applied, which may take a while, is not taken for gone any more.
        """
        complete = await removing.former_members(self._client, wanted)
        if not wanted.privileged:
            self._entered.discard((wanted.name, True))
            complete = await removing.room(self._client, wanted.name, privileged=True) and complete
        cpu_cores, memory_bytes, count = machines.task_capacity(self.nodes())
        made = provisioning.manifests(
            wanted,
            cpu_cores=cpu_cores,
            memory_bytes=memory_bytes,
            machines=count,
            storage_root=self._storage_root,
            lends=self._lends,
            shut=closed([*self._networks, *machines.addresses(self._nodes.items.values())]),
        )
        if not any(manifest["metadata"]["name"] == names.ALLOW_LIST for manifest in made):
            await removing.openings(self._client, wanted.name)
        for manifest in made:
            stands = await self._client.apply(manifest)
            # The queue of who came back before it was gone is not there to stay.
            complete = complete and "deletionTimestamp" not in stands["metadata"]
        return complete

    async def remove_cluster(self, virtual_cluster: str) -> bool:
        """Delete all objects until there are none."""
        self._entered -= {(virtual_cluster, False), (virtual_cluster, True)}
        return await removing.everything(self._client, virtual_cluster)

    async def close(self) -> None:
        """Give connections back."""
        await self._client.close()

    def _reflectors(self) -> tuple[Reflector, ...]:
        return self._job_sets, self._workloads, self._pods, self._nodes, self._policies

    def _announce(self, changed: str | None) -> None:
        if changed not in self._queued:
            self._queued.add(changed)
            self._changes.put_nowait(changed)

    def _job_set(self, attempt_id: str) -> Object | None:
        return self._job_sets_by_attempt.get(attempt_id)

    def _pods_of(self, attempt_id: str) -> list[Object]:
        return list(self._pods_by_attempt.get(attempt_id, {}).values())

    def _workload_of(self, job_set: Object | None) -> Object | None:
        return None if job_set is None else self._workloads_by_owner.get(job_set["metadata"]["uid"])

    def _attempt_changed(self, before: Object | None, after: Object | None) -> None:
        item = after or before
        if item is None:
            return
        attempt_id = _label(item, names.ATTEMPT)
        if before is not None:
            self._job_sets_by_attempt.pop(attempt_id, None)
            self._attempts_by_uid.pop(before["metadata"]["uid"], None)
        if after is not None:
            self._job_sets_by_attempt[attempt_id] = after
            self._attempts_by_uid[after["metadata"]["uid"]] = attempt_id
            self._opening.consider(attempt_id)
        else:
            self._opening.forgotten.discard(attempt_id)
        self._announce(attempt_id)

    def _workload_changed(self, before: Object | None, after: Object | None) -> None:
        if before is not None:
            self._workloads_by_owner.pop(_owner(before), None)
        if after is not None:
            self._workloads_by_owner[_owner(after)] = after
        attempt_id = self._attempts_by_uid.get(_owner(after or before or {}))
        if attempt_id is not None:
            self._announce(attempt_id)

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        item = after or before
        if item is not None and (attempt_id := _label(item, names.ATTEMPT)):
            pods = self._pods_by_attempt.setdefault(attempt_id, {})
            if after is not None:
                pods[key(after)] = after
            else:
                pods.pop(key(item), None)
            if not pods:
                del self._pods_by_attempt[attempt_id]
            self._announce(attempt_id)
        self._announce(None)

    def _policy_changed(self, before: Object | None, after: Object | None) -> None:
        """Nothing is announced: it says nothing of how the attempt is, and one alone is for whoever adopts."""
        if before is not None:
            self._opening.marked.discard(_label(before, names.ATTEMPT))
        if after is not None:
            self._opening.marked.add(_label(after, names.ATTEMPT))
        elif before is not None:
            self._opening.consider(_label(before, names.ATTEMPT))

    def _node_changed(self, _before: Object | None, _after: Object | None) -> None:
        self._announce(None)


def _label(item: Object, name: str) -> str:
    return str(item["metadata"].get("labels", {}).get(name, ""))


def _owner(item: Object) -> str:
    for reference in item.get("metadata", {}).get("ownerReferences", ()):
        if reference.get("kind") == JOB_SET.kind:
            return str(reference["uid"])
    return ""
