"""`jobs` loses all its connections to the database, again and again: nothing ends for it, nothing is done twice."""

import asyncio

import pytest
from atoll.operations.models import OperationRow
from atoll.operations.repository import OperationRepository
from sqlalchemy import text

from tests.unit.platform.operations.conftest import Operated, worked_on
from tests.unit.platform.operations.test_kill import STEPS, all_ended, check_ledger, lines

LOSSES = 6
# Of `jobs` alone: the test and the API have connections of their own, which idle or say so.
OWN = "SELECT array_agg(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
END = "SELECT pg_terminate_backend(pid) FROM unnest(CAST(:pids AS int[])) AS pid"


async def connections(operated: Operated) -> set[int]:
    async with operated.sessions() as session:
        return set(await session.scalar(text(OWN)) or ())


async def test_a_look_for_a_cancellation_that_fails_cancels_nothing(
    without_jobs: Operated, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, looks = OperationRepository.of_anybody, 0

    async def failing_once(self: OperationRepository, operation_id: str) -> OperationRow | None:
        nonlocal looks
        looks += 1
        if looks == 1:
            raise ValueError("as told")
        return await look(self, operation_id)

    monkeypatch.setattr(OperationRepository, "of_anybody", failing_once)
    operation = await without_jobs.start("test.steps", steps=20)
    async with worked_on(without_jobs):
        ended = await without_jobs.once(operation, "finished", "failed", "cancelled")
    assert looks, "nobody looked"
    assert ended.state == "finished", "it was cancelled, and nobody wished it"
    assert ended.attempts == 2
    assert [what for _, what, _ in await without_jobs.ledger(operation)] == [f"step {number}" for number in range(20)]


async def test_operations_go_on_behind_a_database_that_ends_all_connections(without_jobs: Operated) -> None:
    others = await connections(without_jobs)
    for _ in range(20):
        await without_jobs.start("test.steps", steps=STEPS, pause_s=0.2)
    jobs = await without_jobs.jobs_process(10)
    ended = 0
    for number in range(LOSSES):
        await lines(without_jobs, 10 * number)
        async with without_jobs.sessions() as session:
            pids = sorted(await connections(without_jobs) - others)
            ended += len(pids)
            await session.execute(text(END), {"pids": pids})
        await asyncio.sleep(0.3)
    assert ended >= LOSSES, "nothing was lost"
    await all_ended(without_jobs)
    assert jobs.returncode is None, "the process ended"
    ends = await check_ledger(without_jobs)
    assert ends == {"test.steps finished": 20}
