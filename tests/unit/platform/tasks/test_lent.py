"""What a virtual cluster that borrows may have of others now, as estimates reckon with it. Needs PostgreSQL."""

from __future__ import annotations

import pytest
from atoll.database.connection import Sessions
from atoll.tasks.life_cycle import State
from atoll.tasks.snapshot import snapshot
from atoll.virtual_clusters.models import QuotaRow, Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.rows import GPU, NPU, a_caller, a_task


async def a_cluster(session: AsyncSession, name: str, count: int, **more: object) -> VirtualClusterRow:
    """With so many GPUs."""
    row = VirtualClusterRow(name=name, quotas=[QuotaRow(device_type=GPU, count=count, max_per_user=count)], **more)
    await VirtualClusterRepository(session).add(row)
    return row


async def lent(session: AsyncSession, row: VirtualClusterRow) -> int:
    found = await snapshot(session, row, (await a_caller(session, "ada")).id, None)
    return found.shares[row.name, GPU].lent


# `default` has four, which nobody holds.
@pytest.mark.parametrize(
    ("of_others", "own", "state", "expected"),
    [
        (0, 0, State.RUNNING, 4 + 6),
        (3, 0, State.RUNNING, 4 + 3),
        (3, 2, State.RUNNING, 4 + 3),
        (3, 0, State.QUEUED, 4 + 6),
        (6, 0, State.SCHEDULING, 4),
        (12, 0, State.RUNNING, 0),
    ],
)
async def test_idle_is_what_others_are_granted_and_nobody_holds(
    stored: Sessions, of_others: int, own: int, state: State, expected: int
) -> None:
    async with stored() as session, session.begin():
        mine = await a_cluster(session, "mine", 2, borrows=True)
        other = await a_cluster(session, "other", 6)
        bob = await a_caller(session, "bob")
        for count, row in ((of_others, other), (own, mine)):
            if count:
                await a_task(session, bob, "a_task", devices=count, virtual_cluster_id=row.id, state=state)
        if of_others:
            await a_task(session, bob, "npu", device_type=NPU, devices=8, virtual_cluster_id=other.id, state=state)
        assert await lent(session, mine) == expected
        mine.borrows = False
        assert await lent(session, mine) == 0, "it borrows though nobody said so"


async def test_what_is_being_deleted_lends_nothing(stored: Sessions) -> None:
    async with stored() as session, session.begin():
        mine = await a_cluster(session, "mine", 2, borrows=True)
        other = await a_cluster(session, "other", 6)
        assert await lent(session, mine) == 4 + 6
        other.standing = Standing.DELETING
        await session.flush()
        assert await lent(session, mine) == 4
