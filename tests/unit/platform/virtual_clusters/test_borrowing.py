"""Who borrows idle devices of others, and since when. Needs PostgreSQL."""

import pytest
from atoll.tasks.life_cycle import State
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.web.errors import Conflict, Invalid

from tests.unit.platform.rows import GPU
from tests.unit.platform.virtual_clusters.test_management import Room, mistakes, room

__all__ = ["room"]


async def test_one_borrows_where_somebody_said_so_and_goes_on_while_other_things_are_edited(room: Room) -> None:
    assert not (await room.make("own")).borrows, "it borrows though nobody said so"
    made = await room.make(borrows=True)
    assert made.borrows
    edited = await room.edit(made, devices={GPU: 5})
    assert (edited.borrows, (await room.row(made)).borrows) == (True, True)
    assert not (await room.edit(made, borrows=False)).borrows
    assert [row.details["borrows"] for row in await room.audited()] == [False, True, True, False]


async def test_borrowing_begins_at_any_time_and_ends_only_while_no_task_is_in_it(room: Room) -> None:
    made = await room.make()
    await VirtualClusterRepository(room.session).confirm(made.id, made.version)
    task = await room.a_task_in(made, state=State.RUNNING)
    begun = await room.edit(made, borrows=True)
    assert (begun.borrows, begun.standing) == (True, "ready"), "more for one holds tasks up"
    with pytest.raises(Conflict) as refused:
        await room.edit(made, borrows=False)
    assert refused.value.code == "virtual_cluster_in_use"
    assert (await room.row(made)).borrows
    task.state = State.FINISHED
    await room.session.flush()
    ended = await room.edit(made, borrows=False)
    assert (ended.borrows, ended.standing) == (False, "preparing"), "the engine lends it what it lent"


async def test_nothing_is_borrowed_where_the_queue_would_not_give_it_back(room: Room) -> None:
    made = await room.make(borrows=True)
    settings = room.manage._configuration
    engine = settings.engine.model_copy(update={"lends": False})
    elsewhere = Room(room.session, settings.model_copy(update={"engine": engine}), room.admin)
    with pytest.raises(Invalid) as refused:
        await elsewhere.make("other", borrows=True)
    assert mistakes(refused) == {"borrows": "borrowing_not_here"}
    kept = await elsewhere.make("kept")
    with pytest.raises(Invalid):
        await elsewhere.edit(kept, borrows=True)
    # What borrowed before may be edited, and cease to.
    assert (await elsewhere.edit(made, devices={GPU: 9})).borrows
    assert not (await elsewhere.edit(made, borrows=False)).borrows
