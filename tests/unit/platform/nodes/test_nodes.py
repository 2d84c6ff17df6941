"""The page of machines: who sits on which device. Needs PostgreSQL."""

from atoll.database.connection import Sessions
from atoll.engines.repository import NodeRepository
from atoll.nodes.service import NodeService

from tests.unit.platform.conftest import RunningPlatform, eventually
from tests.unit.platform.rows import a_caller, a_node, a_task, runs_on


async def test_a_device_names_the_task_that_holds_it_by_its_index(stored: Sessions) -> None:
    async with stored() as session:
        task = await a_task(session, await a_caller(session, "ada"), "train", state="running", devices=2)
        await runs_on(session, task, "one", [1, 3])
        await NodeRepository(session).replace([a_node("one", used=2), a_node("two")])
        one, two = (await NodeService(session).nodes()).items
    (cards,) = one.devices
    assert [slot.task_name for slot in cards.slots] == [None, "train", None, "train"]
    assert (cards.exact, cards.total, cards.used) == (True, 4, 2)
    assert cards.slots[1].owner is not None
    assert cards.slots[1].owner.name == "ada"
    assert [slot.task_id for slot in two.devices[0].slots] == [None] * 4


async def test_where_the_engine_does_not_know_indices_the_first_free_ones_are_shown_as_a_guess(
    stored: Sessions,
) -> None:
    async with stored() as session:
        ada = await a_caller(session, "ada")
        for name, devices in (("known", [1]), ("unknown", None)):
            task = await a_task(session, ada, name, state="running", devices=1 if devices else 2)
            await runs_on(session, task, "one", devices)
        await NodeRepository(session).replace([a_node("one", used=3)])
        (node,) = (await NodeService(session).nodes()).items
    (cards,) = node.devices
    assert [slot.task_name for slot in cards.slots] == ["unknown", "known", "unknown", None]
    assert cards.exact is False


async def test_who_has_ended_or_waits_holds_nothing(stored: Sessions) -> None:
    async with stored() as session:
        ada = await a_caller(session, "ada")
        for state in ("finished", "queued"):
            await runs_on(session, await a_task(session, ada, state, state=state), "one", [0])
        await NodeRepository(session).replace([a_node("one")])
        (node,) = (await NodeService(session).nodes()).items
    assert {slot.task_id for slot in node.devices[0].slots} == {None}


async def test_a_machine_that_is_gone_is_not_shown_any_more(stored: Sessions) -> None:
    async with stored() as session:
        for seen in (["one", "two"], ["two"]):
            await NodeRepository(session).replace([a_node(name) for name in seen])
        assert [node.name for node in (await NodeService(session).nodes()).items] == ["two"]


async def test_the_engines_machines_are_told_to_administrators(platform: RunningPlatform) -> None:
    admin = await platform.admin()

    async def look() -> list[tuple[str, int]]:
        items = (await admin.get("/nodes")).json()["items"]
        return [(node["name"], node["devices"][0]["total"]) for node in items]

    assert await eventually(look) == [("one", 4), ("two", 8)]
