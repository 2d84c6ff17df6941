"""What one look of `jobs` at a task does, on a real database and an engine that only listens."""

from datetime import timedelta
from typing import Any

import pytest
from atoll.database.base import now
from atoll.database.claims import Claims
from atoll.database.connection import Sessions
from atoll.engines.base import Observation, Phase, Submission
from atoll.identity.models import UserRow
from atoll.tasks.models import AttemptRow, TaskRow
from atoll.tasks.reconcile import Reconciler
from atoll.tasks.repository import TaskRepository
from atoll.tasks.usage import usage
from atoll.virtual_clusters.models import MemberRow, Standing, VirtualClusterRow
from sqlalchemy import delete, select, update

from tests.unit.platform.rows import a_caller, a_task

SPECIFICATION = {
    "program": {"image": "i", "command": ["true"], "working_directory": "/home/ada"},
    "devices": {"type": None, "resource": None, "architecture": "amd64", "count": 0, "nodes": 1},
    "limits": {"cpu": "1", "memory": "512Mi"},
    "requests": {"cpu": "1", "memory": "256Mi"},
}


class Engine:
    """All that it is asked for, and programs that run as soon as they are submitted."""

    synced = True
    phase = Phase.RUNNING

    def __init__(self) -> None:
        self.submitted: list[str] = []
        self.stopped: list[str] = []

    def observe(self, attempt_id: str) -> Observation:
        return Observation(attempt_id=attempt_id, phase=self.phase)

    async def submit(self, submission: Submission) -> None:
        self.submitted.append(submission.attempt_id)

    async def stop(self, attempt_id: str) -> None:
        self.stopped.append(attempt_id)

    async def ensure_home(self, _owner: Any) -> None:
        """The directory of a user: in place of the file service."""


@pytest.fixture
def engine() -> Engine:
    return Engine()


async def look(stored: Sessions, engine: Any) -> TaskRow:
    """Work on the one task once; what it is then."""
    claimed = await Claims(stored, TaskRow).take("one")
    assert claimed is not None
    await Reconciler(stored, engine, engine, "one").work(claimed)
    async with stored() as session:
        row: TaskRow = (await session.scalars(select(TaskRow))).one()
    return row


async def begin(stored: Sessions, *, submitted: bool, hours: int | None = None, ran_h: float = 1) -> str:
    """A task with one attempt; its id."""
    moment = now() - timedelta(hours=ran_h)
    async with stored() as session, session.begin():
        state: dict[str, Any] = {"state": "running", "started_at": moment} if submitted else {"state": "queued"}
        row = await a_task(session, await a_caller(session, "ada"), "a_task", **state)
        row.specification = SPECIFICATION
        await session.refresh(row, ["virtual_cluster"])
        row.virtual_cluster.max_hours, row.virtual_cluster.standing = hours, Standing.READY
        session.add(AttemptRow(id=f"{row.id}-1", task_id=row.id, number=1, submitted_at=moment if submitted else None))
        return row.id


async def test_a_task_is_stopped_after_the_hours_of_its_virtual_cluster_and_told_why(
    stored: Sessions, engine: Engine
) -> None:
    task_id = await begin(stored, submitted=True, hours=1, ran_h=1)
    row = await look(stored, engine)
    assert engine.stopped == [f"{task_id}-1"], "its hours are over, and it goes on"
    assert row.stop_reason is not None
    assert (row.wanted, row.stop_reason["code"], row.stop_reason["params"]) == (
        "stop",
        "time_limit_reached",
        {"hours": 1},
    )


@pytest.mark.parametrize("hours", [2, None])
async def test_a_task_runs_on_before_the_hours_of_its_virtual_cluster_are_over(
    stored: Sessions, engine: Engine, hours: int | None
) -> None:
    await begin(stored, submitted=True, hours=hours, ran_h=1.95)
    row = await look(stored, engine)
    assert (row.wanted, engine.stopped) == ("run", []), "it is stopped before its time"
    left = (row.due_at - now()).total_seconds() if row.due_at else 0.0
    assert 0 < left <= (180 if hours else 300), "nobody looks at it again in time"


async def test_a_kill_between_submitting_and_writing_that_down_makes_no_second_attempt(
    stored: Sessions, engine: Engine
) -> None:
    task_id = await begin(stored, submitted=False)
    row = await look(stored, engine)
    assert engine.submitted == [f"{task_id}-1"], "the same work was begun twice"
    async with stored() as session:
        attempts = (await session.scalars(select(AttemptRow))).all()
    assert [each.number for each in attempts] == [1]
    assert attempts[0].submitted_at is not None
    assert row.state == "running"


@pytest.mark.parametrize(
    ("state", "phase", "held"),
    [
        ("queued", Phase.WAITING, 0),
        ("queued", Phase.STARTING, 1),  # let in since it was last looked at
        ("queued", Phase.RUNNING, 1),
        ("running", Phase.RUNNING, 1),
    ],
)
async def test_a_task_that_is_being_stopped_holds_what_it_had_and_nothing_that_it_waited_for(
    stored: Sessions, engine: Engine, state: str, phase: Phase, held: int
) -> None:
    task_id = await begin(stored, submitted=True)
    async with stored() as session, session.begin():
        task = await session.get_one(TaskRow, task_id)
        task.state, task.wanted, task.devices, task.device_type = state, "stop", 1, "nvidia_gpu_amd64"
        if state == "queued":
            task.started_at = None
    engine.phase = phase
    row = await look(stored, engine)
    assert (row.state, engine.stopped) == ("stopping", [f"{task_id}-1"])
    async with stored() as session:
        assert sum((await TaskRepository(session).held()).values()) == held, "others wait for devices that nobody has"
        told = await usage(session)
        share = await TaskRepository(session).reserved_by(row.owner_id, row.virtual_cluster_id)
    counted = [sum(each.values()) for each in (told.devices, told.running, told.waiting)]
    assert counted == [held, held, 1 - held]
    assert len(share) == held


async def test_a_task_that_is_let_in_while_it_is_told_to_stop_holds_its_devices(
    stored: Sessions, engine: Engine
) -> None:
    task_id = await begin(stored, submitted=True)
    async with stored() as session, session.begin():
        task = await session.get_one(TaskRow, task_id)
        task.state, task.wanted, task.devices, task.device_type = "queued", "stop", 1, "nvidia_gpu_amd64"
    for phase, held in ((Phase.WAITING, 0), (Phase.RUNNING, 1)):
        engine.phase = phase
        async with stored() as session, session.begin():
            (await session.get_one(TaskRow, task_id)).due_at = now()
        assert (await look(stored, engine)).state == "stopping"
        async with stored() as session:
            assert sum((await TaskRepository(session).held()).values()) == held, "devices are held and not counted"


async def leaves(stored: Sessions) -> None:
    """Nobody is a member of anything any more."""
    async with stored() as session, session.begin():
        await session.execute(delete(MemberRow))


@pytest.mark.parametrize(("submitted", "ends"), [(False, "killed"), (True, "stopping")])
async def test_what_waits_ends_with_its_owners_membership_and_is_told_why(
    stored: Sessions, engine: Engine, submitted: bool, ends: str
) -> None:
    task_id = await begin(stored, submitted=submitted)
    async with stored() as session, session.begin():
        (await session.get_one(TaskRow, task_id)).state = "queued"
    await leaves(stored)
    engine.phase = Phase.WAITING
    row = await look(stored, engine)
    assert row.stop_reason is not None, "who left waits for devices that others could have"
    assert (row.wanted, row.state, row.stop_reason["code"]) == ("stop", ends, "no_longer_member")
    assert row.stop_reason["params"] == {"virtual_cluster": "default"}
    assert engine.submitted == [], "it was handed over all the same"
    assert engine.stopped == ([f"{task_id}-1"] if submitted else [])


@pytest.mark.parametrize("state", ["scheduling", "running"])
async def test_what_has_begun_goes_on_when_its_owner_is_no_member_any_more(
    stored: Sessions, engine: Engine, state: str
) -> None:
    task_id = await begin(stored, submitted=True)
    async with stored() as session, session.begin():
        (await session.get_one(TaskRow, task_id)).state = state
    await leaves(stored)
    row = await look(stored, engine)
    assert (row.wanted, row.state, engine.stopped) == ("run", "running", []), "what ran is ended by a change of members"


async def test_what_a_disabled_account_has_waiting_goes_on_to_wait(stored: Sessions, engine: Engine) -> None:
    await begin(stored, submitted=False)
    async with stored() as session, session.begin():
        await session.execute(update(UserRow).values(active=False))
    row = await look(stored, engine)
    assert (row.wanted, row.state, len(engine.submitted)) == ("run", "running", 1)


async def test_what_is_stopped_already_keeps_its_reason_when_its_owner_leaves(stored: Sessions, engine: Engine) -> None:
    task_id = await begin(stored, submitted=False)
    async with stored() as session, session.begin():
        task = await session.get_one(TaskRow, task_id)
        task.wanted, task.stop_reason = "stop", {"code": "stopped_by_user", "message": "", "params": {"user": "ada"}}
    await leaves(stored)
    row = await look(stored, engine)
    assert row.reason is not None
    assert (row.state, row.reason["code"]) == ("killed", "stopped_by_user")


async def test_nothing_is_handed_over_before_the_engine_grants_no_more_than_it_may(
    stored: Sessions, engine: Engine
) -> None:
    await begin(stored, submitted=False)

    async def stands(standing: Standing) -> TaskRow:
        async with stored() as session, session.begin():
            await session.execute(update(VirtualClusterRow).values(standing=standing))
            await session.execute(update(TaskRow).values(due_at=now()))
        return await look(stored, engine)

    waits = await stands(Standing.PREPARING)
    assert engine.submitted == [], "it is admitted by a quota of before"
    assert waits.reason is not None
    assert (waits.state, waits.reason["code"]) == ("queued", "preparing_virtual_cluster")
    assert (await stands(Standing.READY)).state == "running"


async def test_what_is_handed_over_already_is_followed_while_its_virtual_cluster_is_prepared(
    stored: Sessions, engine: Engine
) -> None:
    await begin(stored, submitted=True)
    async with stored() as session, session.begin():
        await session.execute(update(VirtualClusterRow).values(standing=Standing.PREPARING))
    engine.phase = Phase.SUCCEEDED
    assert (await look(stored, engine)).state == "finished"


async def test_what_waits_is_woken_by_who_prepared_its_virtual_cluster_and_by_who_knows_of_strangers(
    stored: Sessions,
) -> None:
    async with stored() as session, session.begin():
        ada, bob = await a_caller(session, "ada"), await a_caller(session, "bob")
        rows = {
            name: await a_task(session, owner, name, state=state, wanted=wanted, due_at=None)
            for name, owner, state, wanted in (
                ("hers", ada, "queued", "run"),
                ("paused", ada, "paused", "run"),
                ("runs", ada, "running", "run"),
                ("ends", ada, "queued", "stop"),
                ("his", bob, "queued", "run"),
            )
        }
        await session.execute(delete(MemberRow).where(MemberRow.user_id == ada.id))
        cluster_id = rows["hers"].virtual_cluster_id

    async def woken(wake: Any) -> set[str]:
        async with stored() as session, session.begin():
            await session.execute(update(TaskRow).values(due_at=None))
            await wake(TaskRepository(session))
            return {*await session.scalars(select(TaskRow.name).where(TaskRow.due_at.is_not(None)))}

    assert await woken(lambda tasks: tasks.wake_strangers()) == {"hers", "paused"}
    assert await woken(lambda tasks: tasks.wake_waiting_in(cluster_id)) == {"hers", "paused", "his"}
    assert await woken(lambda tasks: tasks.wake_waiting_in("another")) == set()
