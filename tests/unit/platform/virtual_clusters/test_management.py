"""Virtual clusters are made, edited, extended, deleted: what is refused, what is kept. Needs PostgreSQL."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest
from atoll.audit_trail.models import AuditRow
from atoll.database.connection import Sessions
from atoll.engines.repository import NodeRepository
from atoll.identity.caller import Caller
from atoll.tasks.life_cycle import ENDED, State
from atoll.tasks.models import TaskRow
from atoll.tasks.usage import CLUSTER_TASKS, READER
from atoll.virtual_clusters.changes import MOST_HOURS
from atoll.virtual_clusters.management import VirtualClusterManagement
from atoll.virtual_clusters.models import QuotaRow, Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import VirtualCluster, VirtualClusterCreate, VirtualClusterEdit
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import ApiError, Changed, Conflict, Invalid, NotFound
from pydantic import ValidationError
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.conftest import configuration
from tests.unit.platform.rows import GPU, NPU, a_caller, a_node, a_task


class Room:
    """One administrator at work, in one transaction."""

    def __init__(self, session: AsyncSession, settings: Any, admin: Caller) -> None:
        self.session = session
        self.admin = admin
        self.manage = VirtualClusterManagement(session, settings, READER, CLUSTER_TASKS)

    async def make(self, name: str = "lab", **more: Any) -> VirtualCluster:
        return await self.manage.create(self.admin, VirtualClusterCreate(name=name, **{"devices": {GPU: 4}} | more))

    async def edit(self, cluster: VirtualCluster, if_match: str | None = None, **changes: Any) -> VirtualCluster:
        return await self.manage.edit(self.admin, cluster.id, VirtualClusterEdit(**changes), if_match)

    async def row(self, cluster: VirtualCluster) -> VirtualClusterRow:
        return await self.session.get_one(VirtualClusterRow, cluster.id, populate_existing=True)

    async def audited(self) -> list[AuditRow]:
        query = select(AuditRow).where(AuditRow.object_kind == "virtual_cluster").order_by(AuditRow.id)
        return list((await self.session.scalars(query)).all())

    async def a_task_in(self, cluster: VirtualCluster, **more: Any) -> TaskRow:
        ada = await a_caller(self.session, "ada")
        return await a_task(self.session, ada, "a_task", virtual_cluster_id=cluster.id, **more)


@pytest.fixture
async def room(stored: Sessions, tmp_path: Path, postgres: str, database_name: str) -> AsyncIterator[Room]:
    async with stored() as session, session.begin():
        settings = configuration(tmp_path, postgres, database_name)
        yield Room(session, settings, await a_caller(session, "admin"))


def mistakes(refused: pytest.ExceptionInfo[ApiError]) -> dict[str, str]:
    return {error.field: error.code for error in refused.value.errors}


async def test_a_new_one_grants_what_was_asked_for_and_waits_for_the_engine(room: Room) -> None:
    made = await room.make(devices={GPU: 4, NPU: 8}, max_devices_per_user={NPU: 2}, max_hours=12)
    assert (made.name, made.standing, made.members, made.member, made.version) == ("lab", "preparing", 0, False, 1)
    assert {each.type: each.total for each in made.devices} == {GPU: 4, NPU: 8}
    assert (made.max_devices_per_user, made.max_hours) == ({GPU: 4, NPU: 2}, 12)
    (row,) = await room.audited()
    assert (row.action, row.object_name, row.actor_name) == ("virtual_cluster.create", "lab", "admin")
    assert row.details == {
        "devices": {GPU: 4, NPU: 8},
        "max_devices_per_user": {GPU: 4, NPU: 2},
        "max_hours": 12,
        "borrows": False,
        "pod_security": "restricted",
        "egress": [],
    }


@pytest.mark.parametrize(
    "name",
    ["", "Lab", "lab_1", "-lab", "lab-", "a--b", "lab.1", "l" * 41, "laboratoire é", "lab\n", "../default", "a b"],
)
async def test_a_name_that_no_namespace_or_queue_could_carry_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        VirtualClusterCreate(name=name, devices={})


async def test_a_name_that_namespaces_carry_is_taken(room: Room) -> None:
    for name in ("a", "1", "lab-1", "l" * 40, "a-b-c", "root", "lab-rooted"):
        assert (await room.make(name)).name == name


async def test_every_mistake_is_told_at_its_field_and_nothing_is_made(room: Room) -> None:
    with pytest.raises(Invalid) as refused:
        await room.make("lab-root", devices={"fpga": 1, GPU: 2}, max_devices_per_user={GPU: 3, NPU: 1, "abacus": 1})
    assert mistakes(refused) == {
        "name": "reserved_name",
        "devices.fpga": "unknown_device_type",
        f"max_devices_per_user.{NPU}": "not_among_devices",
        "max_devices_per_user.abacus": "not_among_devices",
        f"max_devices_per_user.{GPU}": "more_than_devices",
    }
    told = {str(error.code): error.params for error in refused.value.errors}
    assert told["unknown_device_type"] == {"known": [NPU, GPU]}
    assert told["more_than_devices"] == {"count": 2}
    assert await VirtualClusterRepository(room.session).by_name("lab-root") is None
    assert await room.audited() == []


@pytest.mark.parametrize(
    "body",
    [
        {"devices": {GPU: -1}},
        {"devices": {GPU: 100_001}},
        {"devices": {GPU: 1}, "max_devices_per_user": {GPU: -1}},
        {"devices": {}, "max_hours": 0},
        {"devices": {}, "max_hours": MOST_HOURS + 1},
        {"devices": {f"type{number}": 1 for number in range(65)}},
        {"devices": {"t" * 65: 1}},
        {"devices": {}, "members": ["ada"]},
    ],
)
async def test_numbers_that_cannot_be_meant_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        VirtualClusterCreate(name="lab", **body)


async def test_a_name_is_there_once_and_free_again_when_the_engine_has_let_go(room: Room) -> None:
    made = await room.make()
    with pytest.raises(Conflict) as refused:
        await room.make()
    assert refused.value.code == "virtual_cluster_name_taken"
    assert mistakes(refused) == {"name": "name_taken"}
    await room.manage.delete(room.admin, made.id, None)
    with pytest.raises(Conflict) as refused:
        await room.make()
    assert refused.value.code == "virtual_cluster_being_deleted"
    assert mistakes(refused) == {"name": "name_taken"}
    await VirtualClusterRepository(room.session).forget(made.id)
    again = await room.make()
    assert again.id != made.id
    with pytest.raises(NotFound):
        await room.manage.delete(room.admin, made.id, None)


async def test_of_two_who_make_one_of_a_name_at_once_the_second_is_told(room: Room, monkeypatch: Any) -> None:
    await room.make()

    async def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr(VirtualClusterRepository, "by_name", nothing)  # it was not there when this one looked
    with pytest.raises(Conflict) as refused:
        async with room.session.begin_nested():
            await room.make()
    assert refused.value.code == "virtual_cluster_name_taken"
    assert mistakes(refused) == {"name": "name_taken"}


GROWTH: list[dict[str, Any]] = [
    {"devices": {GPU: 5}},
    {"devices": {GPU: 4, NPU: 1}},
    {"max_devices_per_user": {GPU: 3}},
    {"max_hours": 11},
    {"max_hours": None},
]
LESS: list[dict[str, Any]] = [
    {"devices": {GPU: 3}},
    {"devices": {NPU: 8}},
    {"devices": {GPU: 8}, "max_devices_per_user": {GPU: 1}},
    {"max_hours": 9},
]


async def granted(room: Room, standing: Standing = Standing.READY) -> VirtualCluster:
    made = await room.make(max_devices_per_user={GPU: 2}, max_hours=10)
    await room.session.execute(update(VirtualClusterRow).values(standing=standing))
    return made


@pytest.mark.parametrize("change", GROWTH)
async def test_more_is_granted_at_any_time_and_nobody_waits_for_the_engine(room: Room, change: dict[str, Any]) -> None:
    made = await granted(room)
    await room.a_task_in(made, state="running")
    after = await room.edit(made, f'"{made.version}"', **change)
    assert (after.version, after.standing) == (made.version + 1, "ready")
    assert {each.type: each.total for each in after.devices} == change.get("devices", {GPU: 4})
    assert after.max_hours == change.get("max_hours", 10)
    assert after.max_devices_per_user[GPU] == change.get("max_devices_per_user", {GPU: 2})[GPU]


async def test_less_is_refused_while_a_task_has_not_ended_and_changes_nothing(room: Room) -> None:
    made = await granted(room)
    await room.a_task_in(made, state="finished")
    task = await room.a_task_in(made)
    for state, change in itertools.product(sorted({*State} - ENDED), LESS):
        await room.session.execute(update(TaskRow).where(TaskRow.id == task.id).values(state=state))
        with pytest.raises(Conflict) as refused:
            await room.edit(made, **change)
        in_use = ("virtual_cluster_in_use", {"name": "lab", "tasks": 1})
        assert (refused.value.code, refused.value.problem.params) == in_use, state
    row = await room.row(made)
    assert [(each.device_type, each.count, each.max_per_user) for each in row.quotas] == [(GPU, 4, 2)]
    assert (row.max_hours, row.version, row.standing) == (10, made.version, "ready")
    assert [each.action for each in await room.audited()] == ["virtual_cluster.create"]


@pytest.mark.parametrize("change", LESS)
async def test_less_is_granted_once_all_tasks_have_ended_and_the_next_ones_wait_for_the_engine(
    room: Room, change: dict[str, Any]
) -> None:
    made = await granted(room)
    for state in sorted(ENDED):
        await room.a_task_in(made, state=state)
    await a_task(room.session, await a_caller(room.session, "ada"), "elsewhere", state="running")
    after = await room.edit(made, **change)
    assert (after.version, after.standing) == (made.version + 1, "preparing")
    row = await room.row(made)
    devices = change.get("devices", {GPU: 4})
    assert {each.device_type: each.count for each in row.quotas} == devices
    kept = (await room.session.scalars(select(QuotaRow).where(QuotaRow.virtual_cluster_id == made.id))).all()
    assert {each.device_type for each in kept} == devices.keys(), "a type that it lost is still there"


async def test_an_edit_that_changes_nothing_is_none(room: Room) -> None:
    made = await granted(room)
    await room.a_task_in(made, state="running")
    after = await room.edit(made, devices={GPU: 4}, max_devices_per_user={GPU: 2}, max_hours=10)
    assert (after.version, after.standing) == (made.version, "ready")
    assert [each.action for each in await room.audited()] == ["virtual_cluster.create"]


async def test_an_edit_is_written_down_with_what_was_before(room: Room) -> None:
    made = await room.make(max_hours=10)
    await room.edit(made, max_hours=None)
    (_, row) = await room.audited()
    assert (row.action, row.details["before"]["max_hours"], row.details["max_hours"]) == (
        "virtual_cluster.edit",
        10,
        None,
    )


async def test_an_edit_has_its_mistakes_told_as_a_new_one_has(room: Room) -> None:
    made = await room.make()
    with pytest.raises(Invalid) as refused:
        await room.edit(made, devices={GPU: 1, "fpga": 1}, max_devices_per_user={GPU: 2, NPU: 1})
    assert mistakes(refused) == {
        "devices.fpga": "unknown_device_type",
        f"max_devices_per_user.{GPU}": "more_than_devices",
        f"max_devices_per_user.{NPU}": "not_among_devices",
    }
    with pytest.raises(ValidationError):
        VirtualClusterEdit.model_validate({"name": "other"})


async def test_a_type_that_the_cluster_no_longer_knows_may_stay_and_go(room: Room) -> None:
    made = await room.make()
    room.session.add(QuotaRow(virtual_cluster_id=made.id, device_type="old", count=1, max_per_user=1))
    await room.session.flush()
    room.session.expire_all()
    kept = await room.edit(made, max_hours=5)
    assert {each.type for each in kept.devices} == {GPU, "old"}
    assert {each.type for each in (await room.edit(made, devices={GPU: 4})).devices} == {GPU}


async def test_whoever_edits_what_somebody_else_has_changed_is_told(room: Room) -> None:
    made = await room.make(max_hours=10)
    await room.edit(made, max_hours=20)
    stale = f'"{made.version}"'

    async def refused(edit: Awaitable[object]) -> None:
        with contextlib.suppress(Changed):
            await edit
            pytest.fail("who was quicker is overwritten")

    await refused(room.edit(made, stale, max_hours=30))
    await refused(room.manage.extend(room.admin, made.id, 1, stale))
    await refused(room.manage.delete(room.admin, made.id, stale))
    assert (await room.row(made)).max_hours == 20


async def test_hours_are_added_while_tasks_run(room: Room) -> None:
    made = await granted(room)
    await room.a_task_in(made, state="running")
    after = await room.manage.extend(room.admin, made.id, 5, f'"{made.version}"')
    assert (after.max_hours, after.version, after.standing) == (15, made.version + 1, "ready")
    assert (await room.audited())[-1].action == "virtual_cluster.extend"
    assert {each.type: each.total for each in after.devices} == {GPU: 4}


async def test_what_has_no_limit_is_not_extended_and_nothing_beyond_ten_years(room: Room) -> None:
    endless, long = await room.make("endless"), await room.make("long", max_hours=MOST_HOURS - 1)
    with pytest.raises(Conflict) as refused:
        await room.manage.extend(room.admin, endless.id, 1, None)
    assert refused.value.code == "nothing_to_extend"
    assert (await room.manage.extend(room.admin, long.id, 1, None)).max_hours == MOST_HOURS
    with pytest.raises(Invalid) as too_long:
        await room.manage.extend(room.admin, long.id, 1, None)
    assert mistakes(too_long) == {"hours": "too_many_hours"}


async def test_what_has_tasks_is_not_deleted(room: Room) -> None:
    made = await granted(room)
    task = await room.a_task_in(made)
    for state in sorted({*State} - ENDED):
        await room.session.execute(update(TaskRow).where(TaskRow.id == task.id).values(state=state))
        said: tuple[str, Any] = ("done", None)
        try:
            await room.manage.delete(room.admin, made.id, None)
        except Conflict as refused:
            said = refused.code, refused.problem.params
        in_use = ("virtual_cluster_in_use", {"name": "lab", "tasks": 1})
        assert said == in_use, f"a virtual cluster is taken from under a task that is {state}"
    assert (await room.row(made)).standing == "ready"


async def test_what_is_deleted_is_nobodys_and_stays_until_the_engine_has_let_go(room: Room) -> None:
    made = await granted(room)
    ada = await a_caller(room.session, "ada")
    assert await VirtualClusterService(room.session).join("lab", ada.id)
    await room.a_task_in(made, state="finished")
    going = await room.manage.delete(room.admin, made.id, f'"{made.version}"')
    assert (going.standing, going.members) == ("deleting", 0)
    again = await room.manage.delete(room.admin, made.id, f'"{made.version}"')
    assert again.version == going.version, "asked again, it is deleted again"
    for edit in (room.edit(made, max_hours=None), room.manage.extend(room.admin, made.id, 1, None)):
        with pytest.raises(Conflict) as refused:
            await edit
        assert refused.value.code == "virtual_cluster_being_deleted"
    row = await room.row(made)
    assert row.deleted_at is None
    made_it, deleted = await room.audited()
    assert [made_it.action, deleted.action] == ["virtual_cluster.create", "virtual_cluster.delete"]
    assert (deleted.details["users"], deleted.details["groups"]) == (["ada"], []), "who lost it is not told"
    clusters = VirtualClusterRepository(room.session)
    await clusters.confirm(made.id, going.version)
    assert (await room.row(made)).standing == "deleting", "the end of its preparation brings it back"
    await clusters.forget(made.id)
    assert (await room.row(made)).deleted_at is not None
    assert await clusters.get(None, made.id) is None


async def test_only_what_the_engine_has_of_just_this_version_is_ready(room: Room) -> None:
    made = await room.make()
    clusters = VirtualClusterRepository(room.session)
    assert not await clusters.confirm(made.id, made.version + 1)
    assert not await clusters.confirm(made.id, made.version - 1)
    assert (await room.row(made)).standing == "preparing"
    assert await clusters.confirm(made.id, made.version)
    assert (await room.row(made)).standing == "ready"
    assert not await clusters.confirm(made.id, made.version), "tasks are woken over and over"
    await clusters.forget(made.id)
    assert (await room.row(made)).deleted_at is None, "one that nobody deleted is forgotten"


async def test_there_is_told_what_there_is_and_what_is_granted_of_it(room: Room) -> None:
    await NodeRepository(room.session).replace([a_node("a", total=4), a_node("b", "cordoned", total=4)])
    told = {each.type: each for each in await room.manage.capacity()}
    assert (told[GPU].total, told[GPU].away, told[GPU].given, told[GPU].free) == (8, 4, 4, 0)
    assert (told[NPU].total, told[NPU].given, told[NPU].overcommitted) == (0, 8, True)
    more = await room.make(devices={GPU: 1})
    assert more.overcommitted == [GPU], "it is allowed, and told"
    await room.manage.delete(room.admin, more.id, None)
    told = {each.type: each for each in await room.manage.capacity()}
    assert (told[GPU].given, told[GPU].overcommitted) == (4, False)


async def test_what_does_not_exist_is_told(room: Room) -> None:
    for change in (
        room.manage.edit(room.admin, "absent", VirtualClusterEdit(), None),
        room.manage.extend(room.admin, "absent", 1, None),
        room.manage.delete(room.admin, "absent", None),
    ):
        with pytest.raises(NotFound):
            await change
