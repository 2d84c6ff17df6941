"""What ends an operation and what does not: its own fault does, restarts of `jobs` and parts that are away do not."""

import asyncio
from datetime import timedelta
from itertools import pairwise

from atoll.api.domains import DOMAINS
from atoll.configuration import Operations as Settings
from atoll.database.base import now
from atoll.database.connection import connect, sessions
from atoll.database.rights import JOBS
from atoll.jobs.operations import Limits
from atoll.operations.forgetting import forget
from atoll.operations.models import OperationEventRow, OperationRow
from sqlalchemy import func, select, update

from tests.unit.platform.conftest import as_service, eventually
from tests.unit.platform.operations import ledger
from tests.unit.platform.operations.conftest import RETRY_S, Operated, worked_on

RESTARTS = 5
assert ledger.MANY.fruitless < RESTARTS


async def begun(operated: Operated, operation_id: str, lines: int) -> None:
    async def look() -> bool:
        return len(await operated.ledger(operation_id)) >= lines

    await eventually(look)


async def test_restarts_of_jobs_do_not_end_an_operation(without_jobs: Operated) -> None:
    operation_id = await without_jobs.start("test.steps", steps=2, pause_s=600)
    for number in range(RESTARTS):
        async with worked_on(without_jobs):

            async def runs(attempts: int = number + 1) -> bool:
                row = await without_jobs.row(operation_id)
                return (row.state, row.attempts) == ("running", attempts)

            await eventually(runs)
        row = await without_jobs.row(operation_id)
        assert (row.state, row.lock_owner, row.fruitless) == ("running", None, 0)
    async with without_jobs.sessions() as session, session.begin():
        await session.execute(update(OperationRow).values(parameters={"steps": 2, "pause_s": 0}))
    async with worked_on(without_jobs):
        await without_jobs.once(operation_id, "finished")


async def test_what_gets_further_each_time_is_not_given_up_however_often_jobs_is_killed(
    without_jobs: Operated, killed: None
) -> None:
    steps = RESTARTS + 1
    operation_id = await without_jobs.start("test.steps", steps=steps, pause_s=0.3)
    for number in range(RESTARTS):
        async with worked_on(without_jobs, lease_s=2):
            await begun(without_jobs, operation_id, number + 1)
    async with worked_on(without_jobs, lease_s=2):
        row = await without_jobs.once(operation_id, "finished")
    assert row.attempts > ledger.MANY.fruitless
    assert [what for _, what, _ in await without_jobs.ledger()] == [f"step {number}" for number in range(steps)]


async def test_what_gets_nowhere_in_a_row_is_given_up_and_cleaned_up(without_jobs: Operated, killed: None) -> None:
    operation_id = await without_jobs.start("test.steps", steps=1, pause_s=600)
    for number in range(ledger.MANY.fruitless):
        async with worked_on(without_jobs, lease_s=2):

            async def tried(times: int = number + 1) -> bool:
                return (await without_jobs.row(operation_id)).attempts >= times

            await eventually(tried)
    async with worked_on(without_jobs, lease_s=2):
        row = await without_jobs.once(operation_id, "failed")
    assert row.reason is not None
    assert row.reason["code"] == "operation_gave_up"


async def test_poison_that_kills_jobs_each_time_ends_and_others_go_on(without_jobs: Operated) -> None:
    poison = await without_jobs.start("test.poison")
    kills = 0
    while (row := await without_jobs.row(poison)).state != "failed":
        process = await without_jobs.jobs_process(3.0)

        async def over(running: asyncio.subprocess.Process = process) -> bool:
            return running.returncode is not None or (await without_jobs.row(poison)).state == "failed"

        await eventually(over, 60)
        kills += process.returncode is not None
    assert 1 <= kills <= ledger.MANY.fruitless
    assert row.reason is not None
    assert row.reason["code"] == "operation_gave_up"
    assert await without_jobs.ledger(poison) == [], "it was not cleaned up"
    other = await without_jobs.start("test.steps", steps=1)
    await without_jobs.once(other, "finished")


async def test_a_part_that_is_away_for_long_is_waited_for_with_growing_pauses(without_jobs: Operated) -> None:
    times = 2 * ledger.MANY.fruitless
    operation_id = await without_jobs.start("test.knocks", times=times)
    async with worked_on(without_jobs):
        row = await without_jobs.once(operation_id, "finished", timeout_s=30)
    assert row.attempts == times + 1
    async with without_jobs.sessions() as session:
        query = select(OperationEventRow.at).where(OperationEventRow.operation_id == operation_id)
        moments = (await session.scalars(query.order_by(OperationEventRow.id))).all()
    knocks = moments[1::2]  # told when it begins, and when it waits
    pauses = [(later - earlier).total_seconds() for earlier, later in pairwise(knocks)]
    # Twice as long each time, and longer on a machine that has other work: only shorter is a fault.
    assert all(pause >= RETRY_S * 2**waits for waits, pause in enumerate(pauses, 1)), pauses


async def test_what_ended_long_ago_is_forgotten_with_its_events(without_jobs: Operated) -> None:
    made = [await without_jobs.start("test.steps", steps=1) for _ in range(4)]
    async with worked_on(without_jobs):
        for each in made:
            await without_jobs.once(each, "finished")
    waiting = await without_jobs.start("test.fragile")
    old, kept = made[:3], [made[3], waiting]
    async with without_jobs.sessions() as session, session.begin():
        past = now() - timedelta(days=30, seconds=1)
        await session.execute(update(OperationRow).where(OperationRow.id.in_(old)).values(finished_at=past))
        recent = now() - timedelta(days=29)
        await session.execute(
            update(OperationRow).where(OperationRow.id == made[3]).values(finished_at=recent, created_at=past)
        )
        await session.execute(update(OperationRow).where(OperationRow.id == waiting).values(created_at=past))

    await forget_all(without_jobs, Settings(retention_days=30))
    assert [row.id for row in await without_jobs.rows()] == kept
    async with without_jobs.sessions() as session:
        left = await session.scalar(
            select(func.count()).select_from(OperationEventRow).where(OperationEventRow.operation_id.in_(old))
        )
    assert left == 0


async def test_of_too_many_of_one_owner_the_oldest_are_forgotten(without_jobs: Operated) -> None:
    admin = await without_jobs.admin()
    await without_jobs.user(admin, "ada")
    of_admin = [await without_jobs.start("test.steps", steps=1) for _ in range(5)]
    of_ada = [await without_jobs.start("test.steps", owner="ada", steps=1) for _ in range(2)]
    async with worked_on(without_jobs):
        for each in (*of_admin, *of_ada):
            await without_jobs.once(each, "finished")
    async with without_jobs.sessions() as session, session.begin():
        for hours, each in enumerate(reversed(of_admin)):
            ended = now() - timedelta(hours=hours, minutes=30)
            await session.execute(update(OperationRow).where(OperationRow.id == each).values(finished_at=ended))
        long_ago = now() - timedelta(days=9)
        await session.execute(update(OperationRow).where(OperationRow.id.in_(of_ada)).values(finished_at=long_ago))

    await forget_all(without_jobs, Settings(retention_days=30).model_copy(update={"kept_per_user": 2}))
    assert [row.id for row in await without_jobs.rows()] == [*of_admin[3:], *of_ada], "others went than the oldest"
    await forget_all(without_jobs, Settings(retention_days=30).model_copy(update={"kept_per_user": 0}))
    assert [row.id for row in await without_jobs.rows()] == [of_admin[4]], "what just ended went"


async def forget_all(operated: Operated, settings: Settings) -> None:
    """As `jobs` does it, with its rights."""
    configuration = operated.configuration.model_copy(update={"operations": settings})
    database = connect(as_service(configuration, JOBS), pool_size=1)
    more = True
    while more:
        async with sessions(database)() as session, session.begin():
            more = await forget(session, configuration)
    await database.dispose()


def test_jobs_forgets_from_time_to_time() -> None:
    assert forget in [work.do for domain in DOMAINS for work in domain.periodic]


def test_limits_are_those_that_are_configured() -> None:
    settings = Settings(workers=3, at_once=5, per_user=1, waiting_per_user=7, fruitless_attempts=2)
    limits = Limits.of(settings)
    assert (limits.workers, limits.altogether, limits.per_owner, limits.fruitless) == (3, 5, 1, 2)
