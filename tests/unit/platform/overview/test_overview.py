"""The first page: whose tasks are counted, what asks for attention, and who is told of machines. Needs PostgreSQL."""

import pytest
from atoll.database.connection import Sessions
from atoll.engines.repository import NodeRepository
from atoll.overview.schemas import Overview
from atoll.overview.service import RECENT, OverviewService
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.rows import GPU, a_caller, a_node, a_task


async def seen_by(session: AsyncSession, name: str) -> Overview:
    return await OverviewService(session).overview(await a_caller(session, name))


async def test_one_counts_ones_own_tasks_and_only_administrators_those_of_all_that_run(stored: Sessions) -> None:
    async with stored() as session:
        ada, bob = await a_caller(session, "ada"), await a_caller(session, "bob")
        for number, state in enumerate(("running", "running", "queued", "failed")):
            await a_task(session, ada, f"hers{number}", state=state)
        await a_task(session, bob, "his", state="running")
        hers, everything = await seen_by(session, "ada"), await seen_by(session, "admin")
    assert [(of.kind, of.states) for of in hers.tasks] == [("training", {"running": 2, "queued": 1, "failed": 1})]
    assert {task.name for task in hers.recent} == {"hers0", "hers1", "hers2", "hers3"}
    assert (hers.running_total, everything.running_total) == (None, 3)
    assert everything.tasks == []


async def test_recent_tasks_are_the_newest(stored: Sessions) -> None:
    async with stored() as session:
        ada = await a_caller(session, "ada")
        names = [f"t{number}" for number in range(RECENT + 3)]
        for name in names:
            await a_task(session, ada, name, state="finished")
        found = await seen_by(session, "ada")
    assert [task.name for task in found.recent] == names[::-1][:RECENT]


async def test_devices_that_tasks_of_others_hold_are_not_free(stored: Sessions) -> None:
    async with stored() as session:
        bob = await a_caller(session, "bob")
        await a_task(session, bob, "holds", state="running", devices=2)
        await a_task(session, bob, "waits", state="queued", devices=1)
        await a_task(session, bob, "ended", state="finished", devices=1)
        (cluster,) = (await seen_by(session, "ada")).virtual_clusters
    (cards,) = [of for of in cluster.devices if of.type == GPU]
    assert (cards.total, cards.used, cards.free) == (4, 2, 2)
    assert (cluster.running_tasks, cluster.waiting_tasks) == (1, 1)


@pytest.mark.parametrize(
    ("state", "code"), [("not_ready", "node_not_ready"), ("unknown", "node_unknown"), ("cordoned", "node_cordoned")]
)
async def test_a_machine_that_is_not_ready_is_named_to_administrators_alone(
    stored: Sessions, state: str, code: str
) -> None:
    async with stored() as session:
        await NodeRepository(session).replace([a_node("good"), a_node("odd", state)])
        admin, ada = await seen_by(session, "admin"), await seen_by(session, "ada")
    assert admin.nodes is not None
    assert (admin.nodes.total, admin.nodes.ready) == (2, 1)
    assert [(reason.code, reason.params) for reason in admin.attention] == [(code, {"node": "odd"})]
    assert (ada.nodes, ada.attention) == (None, [])
