"""What the Kubernetes engine leaves of an attempt: nothing. On an API server that is a dictionary."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from atoll.engines.base import EngineError, Phase, Submission
from atoll.engines.kubernetes import provisioning
from atoll.engines.kubernetes.client import (
    CONFIG_MAP,
    JOB_SET,
    KINDS,
    NETWORK_POLICY,
    SECRET,
    ApiFailure,
    Kind,
    KubernetesClient,
    Object,
)
from atoll.engines.kubernetes.engine import KubernetesEngine

from tests.unit.platform.conftest import eventually
from tests.unit.platform.engines.test_kubernetes import submission


class Server(KubernetesClient):
    """Objects and those who watch them. `refuses`: kinds that cannot be written now.

    `late`: kinds whose watchers learn nothing for now. `slow`: kinds whose writing takes until it is set.
    """

    def __init__(self) -> None:
        super().__init__(None)
        self.objects: dict[tuple[Kind, str], Object] = {}
        self.watchers: list[tuple[Kind, asyncio.Queue[tuple[str, Object]]]] = []
        self.refuses: set[Kind] = set()
        self.late: set[Kind] = set()
        self.untold: list[tuple[str, Kind, Object]] = []
        self.slow: dict[Kind, asyncio.Event] = {}
        self.under_way: set[Kind] = set()

    def names(self, kind: Kind) -> list[str]:
        return [name for found, name in self.objects if found == kind]

    def tell(self, event: str, kind: Kind, item: Object) -> None:
        if kind in self.late:
            self.untold.append((event, kind, item))
            return
        for watched, queue in self.watchers:
            if watched == kind:
                queue.put_nowait((event, {**item, "metadata": {**item["metadata"]}}))

    def catch_up(self) -> None:
        """The late ones learn all."""
        self.late, untold, self.untold = set(), self.untold, []
        for each in untold:
            self.tell(*each)

    async def list(self, kind: Kind, *, selector: str = "") -> Object:
        found = [item for (of, _), item in self.objects.items() if of == kind]
        kept = [item for item in found if not selector or selector in item["metadata"].get("labels", {})]
        return {"metadata": {"resourceVersion": "1"}, "items": kept}

    async def apply(self, wanted: Object) -> Object:
        kind = KINDS[wanted["apiVersion"], wanted["kind"]]
        if kind in self.refuses:
            raise ApiFailure(500, "not now")
        if kind in self.slow:
            self.under_way.add(kind)
            await self.slow[kind].wait()
        name = wanted["metadata"]["name"]
        made = {**wanted, "metadata": {**wanted["metadata"], "resourceVersion": "2", "uid": f"uid-{name}"}}
        self.objects[kind, f"{wanted['metadata']['namespace']}/{name}"] = made
        self.tell("ADDED", kind, made)
        return made

    async def create(self, wanted: Object) -> Object:
        return await self.apply(wanted)

    async def let_go(self, attempt_id: str) -> None:
        """What the queue does with a JobSet."""
        job_set = self.objects[JOB_SET, f"vc-default/t-{attempt_id}"]
        await self.apply({**job_set, "spec": {**job_set["spec"], "suspend": False}})

    async def opened(self, attempt_id: str) -> None:
        """Until its network policy is there."""

        async def look() -> bool:
            return (NETWORK_POLICY, f"vc-default/t-{attempt_id}") in self.objects

        await eventually(look)

    def of_attempts(self) -> dict[tuple[Kind, str], Object]:
        """What there is but for the entry point, which is one for all."""
        return {key: item for key, item in self.objects.items() if key[0] != CONFIG_MAP}

    async def delete(self, kind: Kind, namespace: str | None, name: str, *, propagation: str = "Background") -> bool:
        if kind in self.refuses:
            raise ApiFailure(500, "not now")
        if (gone := self.objects.pop((kind, f"{namespace}/{name}"), None)) is not None:
            self.tell("DELETED", kind, gone)
        return gone is None

    async def watch(
        self, kind: Kind, resource_version: str, *, selector: str = ""
    ) -> AsyncIterator[tuple[str, Object]]:
        queue: asyncio.Queue[tuple[str, Object]] = asyncio.Queue()
        self.watchers.append((kind, queue))
        while True:
            yield await queue.get()

    async def close(self) -> None:
        pass


@contextlib.asynccontextmanager
async def watching(server: Server) -> AsyncIterator[KubernetesEngine]:
    """An engine that has listed everything, as after a start of `jobs`."""
    engine = KubernetesEngine(server, [], Path("/mnt/atoll"))

    async def watch() -> None:
        async for _ in engine.run():
            pass

    running = asyncio.create_task(watch())

    async def synced() -> bool:
        return engine.synced and len(server.watchers) >= 5

    await eventually(synced)
    try:
        yield engine
    finally:
        running.cancel()
        (ended,) = await asyncio.gather(running, return_exceptions=True)
        assert isinstance(ended, asyncio.CancelledError), ended
        server.watchers.clear()


SUBMISSION = submission(secrets={"TOKEN": "hunter2"})
ID = SUBMISSION.attempt_id


async def begin(server: Server, engine: KubernetesEngine, submission: Submission = SUBMISSION) -> None:
    """Submit it, let it go as the queue does, and wait for its network policy."""
    await engine.submit(submission)
    await server.let_go(submission.attempt_id)
    await server.opened(submission.attempt_id)


async def adopted(engine: KubernetesEngine, expected: list[str]) -> None:
    async def look() -> bool:
        return sorted(engine.adopt()) == expected

    await eventually(look)


async def test_an_attempt_is_forgotten_with_its_secret_and_its_network_policy() -> None:
    server = Server()
    async with watching(server) as engine:
        await begin(server, engine)
        await adopted(engine, [ID])
        assert {kind for kind, _ in server.of_attempts()} == {JOB_SET, SECRET, NETWORK_POLICY}
        await engine.forget(ID, "default")
        assert server.of_attempts() == {}
        await adopted(engine, [])
        await engine.forget(ID, "default")


async def test_what_is_forgotten_gets_no_network_policy_again_while_its_job_set_is_seen_still() -> None:
    """They are watched by two connections. Nobody would look for that policy before the next start of `jobs`."""
    server = Server()
    async with watching(server) as engine:
        await begin(server, engine)
        await adopted(engine, [ID])
        server.late = {JOB_SET}
        await engine.forget(ID, "default")
        await asyncio.sleep(0.1)
        assert server.of_attempts() == {}
        server.catch_up()
        await adopted(engine, [])


@pytest.mark.parametrize("late", [{JOB_SET}, set()])
async def test_a_network_policy_that_comes_after_its_attempt_was_forgotten_goes_at_once(late: set[Kind]) -> None:
    server = Server()
    async with watching(server) as engine:
        await engine.submit(SUBMISSION)
        server.slow[NETWORK_POLICY] = asyncio.Event()
        await server.let_go(ID)

        async def is_under_way() -> bool:
            return NETWORK_POLICY in server.under_way

        await eventually(is_under_way)
        server.late = late
        await engine.forget(ID, "default")
        await asyncio.sleep(0.1)
        server.slow[NETWORK_POLICY].set()

        async def nothing_is_left() -> bool:
            return server.of_attempts() == {}

        await asyncio.sleep(0.1)
        await eventually(nothing_is_left)
        server.catch_up()
        await adopted(engine, [])


async def test_secrets_go_with_the_job_set_also_those_that_come_after_it_went() -> None:
    """Of a worker that lost its claim meanwhile: nobody else would find them."""
    server = Server()
    async with watching(server) as engine:
        await engine.submit(SUBMISSION)
    (job_set,) = (item for (kind, _), item in server.objects.items() if kind == JOB_SET)
    (secret,) = (item for (kind, _), item in server.objects.items() if kind == SECRET)
    owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": job_set["metadata"]["name"]}
    assert secret["metadata"].get("ownerReferences") == [{**owner, "uid": job_set["metadata"]["uid"]}]


async def test_a_network_policy_that_somebody_removes_is_made_again_while_its_attempt_goes() -> None:
    server = Server()
    async with watching(server) as engine:
        await begin(server, engine)
        await adopted(engine, [ID])
        await server.delete(NETWORK_POLICY, "vc-default", f"t-{ID}")
        await server.opened(ID)
        await engine.forget(ID, "default")
        await adopted(engine, [])
        assert server.of_attempts() == {}


async def test_what_waits_has_no_network_policy_and_what_is_let_go_has_one_also_after_a_refusal_or_a_restart() -> None:
    """Every node writes all its rules anew for each policy that comes: a queue of a thousand tasks has none."""
    server = Server()
    late, lost = (SUBMISSION.model_copy(update={"attempt_id": f"01abc-{number}"}) for number in (2, 3))
    async with watching(server) as engine:
        for each in (SUBMISSION, late, lost):
            await engine.submit(each)
        await server.let_go(ID)
        await server.opened(ID)
        assert server.names(NETWORK_POLICY) == [f"vc-default/t-{ID}"]
        server.refuses = {NETWORK_POLICY}
        await server.let_go(late.attempt_id)
        await asyncio.sleep(0.1)
        server.refuses = set()
        await server.opened(late.attempt_id)
    await server.let_go(lost.attempt_id)
    async with watching(server) as engine:
        await server.opened(lost.attempt_id)
        await adopted(engine, [ID, late.attempt_id, lost.attempt_id])
        opened = dict(server.objects)
        await server.let_go(ID)
        await asyncio.sleep(0.1)
        assert server.objects[NETWORK_POLICY, f"vc-default/t-{ID}"] is opened[NETWORK_POLICY, f"vc-default/t-{ID}"]


async def test_a_virtual_cluster_has_the_entry_point_of_this_version_before_its_first_task() -> None:
    """An earlier one lacks what the pods of this version ask of it, and provisioning takes its time."""
    server = Server()
    async with watching(server) as engine:
        await server.apply({**provisioning.entry("default"), "data": {"entry.py": "an earlier one"}})
        await engine.submit(SUBMISSION)
        (kept,) = (item for (kind, _), item in server.objects.items() if kind == CONFIG_MAP)
        assert kept["data"]["entry.py"] == provisioning.ENTRY_FILE.read_text("utf-8")


async def test_what_ended_and_went_while_nobody_watched_is_forgotten_all_the_same() -> None:
    server = Server()
    async with watching(server) as engine:
        await begin(server, engine)
    await server.delete(JOB_SET, "vc-default", f"t-{ID}")
    async with watching(server) as engine:
        await adopted(engine, [ID])
        await engine.forget(ID, "default")
        assert server.of_attempts() == {}


async def test_a_submission_that_broke_off_is_adopted_and_forgotten() -> None:
    server = Server()
    server.refuses = {JOB_SET}
    async with watching(server) as engine:
        with pytest.raises(EngineError):
            await engine.submit(SUBMISSION)
    assert server.of_attempts() == {}, "nobody would find it"
    server.refuses = {SECRET}
    async with watching(server) as engine:
        with pytest.raises(EngineError):
            await engine.submit(SUBMISSION)
    server.refuses = set()
    async with watching(server) as engine:
        await adopted(engine, [ID])
        await engine.forget(ID, "default")
        assert server.of_attempts() == {}
        await adopted(engine, [])


@pytest.mark.parametrize("refused", [JOB_SET, SECRET, NETWORK_POLICY])
async def test_forgetting_that_broke_off_is_not_taken_for_done(refused: Kind) -> None:
    server = Server()
    async with watching(server) as engine:
        await begin(server, engine)
        server.refuses = {refused}
        with pytest.raises(EngineError):
            await engine.forget(ID, "default")
    server.refuses = set()
    async with watching(server) as engine:
        await adopted(engine, [ID])
        await engine.forget(ID, "default")
        assert server.of_attempts() == {}


@pytest.mark.parametrize(("condition", "phase"), [("Completed", Phase.SUCCEEDED), ("Failed", Phase.FAILED)])
async def test_what_has_ended_is_left_by_a_stop_as_it_is(condition: str, phase: Phase) -> None:
    server = Server()
    async with watching(server) as engine:
        await engine.submit(SUBMISSION)
        entry = {"type": condition, "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "message": "m"}
        (job_set,) = (item for (kind, _), item in server.objects.items() if kind == JOB_SET)
        job_set["status"] = {"conditions": [entry]}
        server.tell("MODIFIED", JOB_SET, job_set)

        async def ended() -> bool:
            return engine.observe(ID).phase is phase

        await eventually(ended)
        await engine.stop(ID)
        assert server.names(JOB_SET)
        assert engine.observe(ID).phase is phase


async def test_the_engine_keeps_nothing_of_what_is_gone() -> None:
    server = Server()
    async with watching(server) as engine:
        before = _size(engine)
        for number in range(20):
            each = SUBMISSION.model_copy(update={"attempt_id": f"01abc-{number}"})
            await begin(server, engine, each)
            await engine.forget(each.attempt_id, "default")
        await adopted(engine, [])
        assert _size(engine) == before


def _size(engine: KubernetesEngine) -> dict[str, int]:
    """How much is in each of its collections."""
    found: dict[str, Any] = {**vars(engine), **vars(engine._opening)}
    one_for_all = ("_queued", "_entered")
    return {
        name: len(value) for name, value in found.items() if isinstance(value, dict | set) and name not in one_for_all
    }


async def test_whoever_listened_may_close_the_changes() -> None:
    server = Server()
    engine = KubernetesEngine(server, [], Path("/mnt/atoll"))
    changes = engine.run()
    assert await anext(changes) is None
    await changes.aclose()
    assert engine.synced
    assert {task for task in asyncio.all_tasks() if task is not asyncio.current_task()} == set()
