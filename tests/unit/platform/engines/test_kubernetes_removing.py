"""What is left of a virtual cluster, or of a member of it, on Kubernetes: nothing. The API server is a dictionary.

It lets go as a real one does: a name space when its content is gone, a volume when its claim is, a queue when no
workload holds quota in it. That a real one and Kueue do, tests/engines and tests/system try.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from atoll.engines.base import ClusterProvision, EngineError, Member
from atoll.engines.kubernetes import names, provisioning
from atoll.engines.kubernetes.client import (
    CLUSTER_QUEUE,
    COHORT,
    CONFIG_MAP,
    KINDS,
    LOCAL_QUEUE,
    NAMESPACE,
    VOLUME,
    ApiFailure,
    Kind,
    KubernetesClient,
    Object,
)
from atoll.engines.kubernetes.engine import KubernetesEngine

from tests.unit.platform.engines.test_kubernetes import CLUSTER, submission

ADA, BOB = Member(name="ada", uid=30007), Member(name="bob", uid=30008)
DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}


class Killed(EngineError):
    """`jobs` ended in between."""


class Server(KubernetesClient):
    """Objects by kind, name space and name. `busy`: names of queues in which workloads hold quota."""

    def __init__(self) -> None:
        super().__init__(None)
        self.objects: dict[tuple[str, str | None, str], Object] = {}
        self.busy: set[str] = set()
        self.calls_left: int | None = None

    def all(self) -> set[tuple[str, str | None, str]]:
        return {*self.objects}

    def _count(self) -> None:
        if self.calls_left is not None:
            self.calls_left -= 1
            if self.calls_left < 0:
                raise Killed("killed")

    async def apply(self, wanted: Object) -> Object:
        self._count()
        kind = KINDS[wanted["apiVersion"], wanted["kind"]]
        metadata = wanted["metadata"]
        where = (kind.plural, metadata.get("namespace"), metadata["name"])
        going = {name: value for name, value in self._metadata(where).items() if name in DELETED}
        self.objects[where] = {**wanted, "metadata": {**metadata, **going}}
        return self.objects[where]

    def _metadata(self, where: tuple[str, str | None, str]) -> Object:
        found: Object = self.objects.get(where, {}).get("metadata", {})
        return found

    async def list(self, kind: Kind, *, selector: str = "") -> Object:
        self._count()
        label, _, value = selector.partition("=")
        found = [item for (plural, _, _), item in self.objects.items() if plural == kind.plural]
        return {"items": [item for item in found if item["metadata"].get("labels", {}).get(label) == value]}

    async def delete(self, kind: Kind, namespace: str | None, name: str, *, propagation: str = "Background") -> bool:
        self._count()
        where = (kind.plural, namespace, name)
        if where not in self.objects:
            return True
        self.objects[where]["metadata"] |= DELETED
        self.settle()
        return False

    def settle(self) -> None:
        """Who has let go meanwhile."""
        for where, item in list(self.objects.items()):
            plural, _, name = where
            if "deletionTimestamp" not in item["metadata"] or name in self.busy:
                continue
            if plural == NAMESPACE.plural:
                for inner in [each for each in self.objects if each[1] == name]:
                    del self.objects[inner]
            del self.objects[where]


def cluster(name: str, *members: Member) -> ClusterProvision:
    return CLUSTER.model_copy(update={"name": name, "members": members})


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def engine(server: Server) -> KubernetesEngine:
    return KubernetesEngine(server, [], Path("/mnt/atoll"))


def of_member(server: Server, name: str, cluster: str = "lab") -> set[tuple[str, str | None, str]]:
    namespace = names.namespace(cluster)
    return server.all() & {
        (CLUSTER_QUEUE.plural, None, names.cluster_queue(cluster, name)),
        (LOCAL_QUEUE.plural, namespace, names.local_queue(name)),
        (CONFIG_MAP.plural, namespace, names.identity(name)),
    }


async def gone(engine: KubernetesEngine, name: str, times: int = 4) -> bool:
    """Whether it is, asked as often as that."""
    return any([await engine.remove_cluster(name) for _ in range(times)])


async def test_a_virtual_cluster_leaves_nothing_and_takes_nothing_of_others(
    server: Server, engine: KubernetesEngine
) -> None:
    """Also of those whose names begin or end alike."""
    others = ("lab-2", "la", "a-lab", "lab-homes")
    for name in others:
        assert await engine.provision(cluster(name, ADA, BOB))
    stays = server.all()
    assert await engine.provision(cluster("lab", ADA, BOB))
    assert len(server.all() - stays) == len(provisioning_of("lab"))
    assert not await engine.remove_cluster("lab"), "it is called gone though its queues were there a moment ago"
    assert await gone(engine, "lab")
    assert server.all() == stays, "something of it is left, or of others is gone"
    assert await engine.remove_cluster("lab"), "what is gone is not gone"


def provisioning_of(name: str) -> list[Object]:
    return provisioning.manifests(
        cluster(name, ADA, BOB), cpu_cores=1, memory_bytes=1, machines=1, storage_root=Path("/mnt/atoll")
    )


async def test_of_what_never_was_nothing_is_left(engine: KubernetesEngine) -> None:
    assert await engine.remove_cluster("lab")


@pytest.mark.parametrize("busy", ["vc-lab--ada", "vc-lab", "vc-lab-homes"], ids=["a queue", "name space", "a volume"])
async def test_it_is_gone_only_when_the_last_part_has_let_go(
    server: Server, engine: KubernetesEngine, busy: str
) -> None:
    await engine.provision(cluster("lab", ADA))
    server.busy = {busy}
    assert not await gone(engine, "lab"), "it is called gone and its name given away"
    server.busy = set()
    server.settle()
    assert await gone(engine, "lab")
    assert server.all() == set()


async def test_what_its_members_borrow_from_goes_after_them(server: Server, engine: KubernetesEngine) -> None:
    await engine.provision(cluster("lab", ADA))
    server.busy = {"vc-lab--ada"}
    await engine.remove_cluster("lab")
    assert (COHORT.plural, None, "vc-lab") in server.all()


async def test_a_removal_that_breaks_off_anywhere_is_gone_on_with(server: Server, engine: KubernetesEngine) -> None:
    for calls in itertools.count():
        await engine.provision(cluster("lab", ADA, BOB))
        server.calls_left = calls
        try:
            await engine.remove_cluster("lab")
        except Killed:
            server.calls_left = None
            assert await gone(engine, "lab"), f"killed after {calls} calls"
            assert server.all() == set(), f"killed after {calls} calls"
        else:
            break
    assert calls > 6


async def test_who_left_leaves_nothing_and_who_stays_keeps_all(server: Server, engine: KubernetesEngine) -> None:
    assert await engine.provision(cluster("lab", ADA, BOB))
    assert await engine.provision(cluster("other", ADA, BOB))
    kept = server.all() - of_member(server, "bob")
    assert len(of_member(server, "bob")) == 3
    assert not await engine.provision(cluster("lab", ADA)), "the queue of who left is not looked for again"
    assert await engine.provision(cluster("lab", ADA))
    assert of_member(server, "bob") == set(), "who left still has a queue there"
    assert server.all() == kept, "somebody who stayed has lost something"


async def test_who_left_and_has_a_task_that_ends_is_asked_about_again(server: Server, engine: KubernetesEngine) -> None:
    await engine.provision(cluster("lab", ADA, BOB))
    server.busy = {"vc-lab--bob"}
    for _ in range(3):
        assert not await engine.provision(cluster("lab", ADA)), "a queue that is ending is taken for gone"
    server.busy = set()
    server.settle()
    assert await engine.provision(cluster("lab", ADA))
    assert of_member(server, "bob") == set()


async def test_who_comes_back_while_their_queue_is_going_has_one_in_the_end(
    server: Server, engine: KubernetesEngine
) -> None:
    await engine.provision(cluster("lab", ADA, BOB))
    server.busy = {"vc-lab--bob"}
    await engine.provision(cluster("lab", ADA))
    assert not await engine.provision(cluster("lab", ADA, BOB)), "a queue that is going is taken for theirs"
    server.busy = set()
    server.settle()
    assert await engine.provision(cluster("lab", ADA, BOB))
    assert len(of_member(server, "bob")) == 3


async def test_leaving_that_breaks_off_anywhere_is_gone_on_with(server: Server, engine: KubernetesEngine) -> None:
    for calls in itertools.count():
        await engine.provision(cluster("lab", ADA, BOB))
        await engine.provision(cluster("lab", ADA, BOB))
        server.calls_left = calls
        try:
            await engine.provision(cluster("lab", ADA))
        except Killed:
            server.calls_left = None
            await engine.provision(cluster("lab", ADA))
            assert await engine.provision(cluster("lab", ADA))
            assert of_member(server, "bob") == set(), f"killed after {calls} calls"
        else:
            break
    assert calls > 10


async def test_joining_that_breaks_off_anywhere_leaves_nothing_that_is_not_found_when_they_leave(
    server: Server, engine: KubernetesEngine
) -> None:
    for calls in itertools.count():
        server.calls_left = calls
        try:
            await engine.provision(cluster("lab", ADA, BOB))
        except Killed:
            server.calls_left = None
            await engine.provision(cluster("lab", ADA))
            await engine.provision(cluster("lab", ADA))
            assert of_member(server, "bob") == set(), f"killed after {calls} calls"
            server.objects.clear()
        else:
            break
    assert calls > 10


async def test_a_queue_that_is_none_of_ours_by_its_name_is_left_alone(server: Server, engine: KubernetesEngine) -> None:
    await engine.provision(cluster("lab", ADA))
    foreign = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue"}
    await server.apply({**foreign, "metadata": {"name": "of-somebody", "labels": {names.CLUSTER_NAME: "lab"}}})
    assert await engine.provision(cluster("lab", ADA))
    assert await gone(engine, "lab")
    assert server.all() == {("clusterqueues", None, "of-somebody")}


async def test_one_that_is_made_anew_has_the_entry_point_again(server: Server, engine: KubernetesEngine) -> None:
    attempt = submission().model_copy(update={"virtual_cluster": "lab"})
    await engine._keep_entry(attempt.virtual_cluster, privileged=False)
    await gone(engine, "lab")
    server.objects.clear()
    await engine._keep_entry(attempt.virtual_cluster, privileged=False)
    assert ("configmaps", "vc-lab", names.ENTRY) in server.all(), "its tasks have nothing that starts them"


@pytest.mark.parametrize(
    ("status", "none"), [(404, True), (409, False), (None, False)], ids=["not there", "going already", "taken away"]
)
async def test_an_object_is_gone_once_the_server_knows_of_none(
    monkeypatch: pytest.MonkeyPatch, status: int | None, none: bool
) -> None:
    asked: list[Any] = []

    async def answer(_self: KubernetesClient, *asking: str, **more: Any) -> Object:
        asked.append((asking, more))
        if status is not None:
            raise ApiFailure(status, "no")
        return {}

    monkeypatch.setattr(KubernetesClient, "_json", answer)
    assert await KubernetesClient(None).delete(NAMESPACE, None, "vc-lab") is none
    ((asking, more),) = asked
    assert asking == ("DELETE", "/api/v1/namespaces/vc-lab")
    assert more == {"body": {"kind": "DeleteOptions", "propagationPolicy": "Background"}}


async def test_what_the_server_refuses_to_remove_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(*_: Any, **_more: Any) -> Object:
        raise ApiFailure(403, "jobs may not")

    monkeypatch.setattr(KubernetesClient, "_json", answer)
    with pytest.raises(ApiFailure):
        await KubernetesClient(None).delete(VOLUME, None, "pvc-of-somebody")
