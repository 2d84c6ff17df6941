"""Claims: one holder per row, and nothing is written by one that slept through its lease. On a real database."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from atoll.api.contents import ensure_contents
from atoll.database.claims import Claim, Claimable, ClaimLost, Claims
from atoll.database.connection import Sessions, connect, sessions
from atoll.identity.models import UserRow
from atoll.tasks.models import TaskRow
from atoll.virtual_clusters.models import VirtualClusterRow
from sqlalchemy import delete, select, update

from tests.unit.platform.conftest import configuration

SHORT = timedelta(milliseconds=50)


@pytest.fixture
async def database(tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Sessions]:
    settings = configuration(tmp_path, postgres, database_name)
    engine = connect(settings, pool_size=10)
    await ensure_contents(sessions(engine), settings)
    yield sessions(engine)
    await engine.dispose()


async def add_tasks(database: Sessions, count: int) -> None:
    async with database() as session, session.begin():
        owner = (await session.scalars(select(UserRow.id))).one()
        cluster = (await session.scalars(select(VirtualClusterRow.id))).one()
        session.add_all(
            TaskRow(
                name=f"t{number}",
                kind="training",
                owner_id=owner,
                virtual_cluster_id=cluster,
                framework="plain",
                device_type="nvidia_gpu_amd64",
                devices=0,
                nodes=1,
                definition={},
                specification={},
            )
            for number in range(count)
        )


def test_tasks_are_claimed_by_this_mechanism_and_no_other() -> None:
    assert issubclass(TaskRow, Claimable)


async def test_workers_that_claim_at_once_share_no_row(database: Sessions) -> None:
    await add_tasks(database, 12)
    claims = Claims(database, TaskRow)

    async def take_all(owner: str) -> list[str]:
        taken = []
        while (claim := await claims.take(owner)) is not None:
            taken.append(claim.id)
        return taken

    found = [row for rows in await asyncio.gather(*(take_all(f"w{n}") for n in range(6))) for row in rows]
    # A look while all rows are locked may find nothing; what was taken was taken once.
    assert len(found) == len(set(found))
    found += await take_all("last")
    assert len(found) == len(set(found)) == 12


async def taken_over(database: Sessions) -> tuple[Claims[TaskRow], Claim, Claim]:
    """A claim whose lease ran out, and the one of a worker with the same name that took over."""
    await add_tasks(database, 1)
    claims = Claims(database, TaskRow, SHORT)
    old = await claims.take("worker")
    assert old is not None
    await asyncio.sleep(0.1)
    claims = Claims(database, TaskRow)
    new = await claims.take("worker")
    assert new is not None
    assert new.fence == old.fence + 1
    return claims, old, new


async def test_whoever_slept_through_its_lease_writes_nothing_more(database: Sessions) -> None:
    claims, old, new = await taken_over(database)
    with pytest.raises(ClaimLost):
        await claims.renew(old)
    with pytest.raises(ClaimLost):
        await claims.give_back(old, None)
    async with database() as session, session.begin():
        with pytest.raises(ClaimLost):
            await claims.hold(session, old)
    async with database() as session, session.begin():
        assert (await claims.hold(session, new)).name == "t0"


async def test_a_renewed_lease_is_not_taken_over(database: Sessions) -> None:
    await add_tasks(database, 1)
    short = Claims(database, TaskRow, SHORT)
    claim = await short.take("worker")
    assert claim is not None
    await Claims(database, TaskRow).renew(claim)
    await asyncio.sleep(0.1)
    assert await short.take("other") is None


async def test_a_wake_up_during_the_work_is_not_lost(database: Sessions) -> None:
    await add_tasks(database, 1)
    claims = Claims(database, TaskRow)
    claim = await claims.take("worker")
    assert claim is not None
    await claims.wake(TaskRow.id == claim.id)
    await claims.give_back(claim, None)
    assert await claims.take("worker") is not None


async def test_a_row_that_is_gone_is_a_claim_that_is_lost(database: Sessions) -> None:
    await add_tasks(database, 1)
    claims = Claims(database, TaskRow)
    claim = await claims.take("worker")
    assert claim is not None
    async with database() as session, session.begin():
        await session.execute(update(TaskRow).values(name="still there"))
        await session.execute(delete(TaskRow))
    with pytest.raises(ClaimLost):
        await claims.give_back(claim, None)
