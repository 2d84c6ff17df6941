"""Members of a virtual cluster: users, groups, both; who leaves, and what becomes of tasks. Needs PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from atoll.audit_trail.models import AuditRow
from atoll.configuration import FirstVirtualCluster
from atoll.database.base import now
from atoll.database.connection import Sessions
from atoll.identity.models import GroupMemberRow, GroupRow, UserRow
from atoll.tasks.life_cycle import State
from atoll.tasks.models import TaskRow
from atoll.tasks.usage import CLUSTER_TASKS
from atoll.virtual_clusters.members.service import MemberManagement
from atoll.virtual_clusters.models import ClusterGroupRow, Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import ClusterMember, MembersAdd, MembersAdded, MembersRemove, MembersRemoved
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import Conflict, Invalid, NotFound
from pydantic import ValidationError
from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.rows import a_caller, a_task


class Room:
    """An administrator at the members of `lab`; everybody is a member of `default` as well."""

    def __init__(self, session: AsyncSession, admin: Any, cluster: str) -> None:
        self.session = session
        self.admin = admin
        self.cluster = cluster
        self.manage = MemberManagement(session, CLUSTER_TASKS)
        self.clusters = VirtualClusterRepository(session)

    async def user(self, name: str) -> str:
        return (await a_caller(self.session, name)).id

    async def group(self, name: str, *members: str) -> str:
        row = GroupRow(name=name, name_key=name.casefold(), description="of tests")
        self.session.add(row)
        await self.session.flush()
        for each in members:
            await self.joins(row.id, each)
        return row.id

    async def joins(self, group: str, name: str) -> None:
        self.session.add(GroupMemberRow(group_id=group, user_id=await self.user(name)))
        await self.session.flush()

    async def leaves(self, group: str, name: str) -> None:
        of_group = GroupMemberRow.group_id == group
        await self.session.execute(
            delete(GroupMemberRow).where(of_group, GroupMemberRow.user_id == await self.user(name))
        )

    async def add(self, *users: str, groups: tuple[str, ...] = ()) -> MembersAdded:
        body = MembersAdd(users=[await self.user(name) for name in users], groups=[*groups])
        return await self.manage.add(self.admin, self.cluster, body)

    async def remove(self, *users: str, groups: tuple[str, ...] = (), stop_tasks: bool = False) -> MembersRemoved:
        ids = [await self.user(name) for name in users]
        body = MembersRemove(users=ids, groups=[*groups], stop_tasks=stop_tasks)
        return await self.manage.remove(self.admin, self.cluster, body)

    async def task(self, name: str, **more: Any) -> TaskRow:
        caller = await a_caller(self.session, name)
        return await a_task(self.session, caller, f"of_{name}", virtual_cluster_id=self.cluster, **more)

    async def listed(self, **how: Any) -> list[ClusterMember]:
        """All of them, a page at a time."""
        found: list[ClusterMember] = []
        cursor = None
        while True:
            asked = {"kind": None, "words": None, "limit": 50, **how, "cursor": cursor}
            page = await self.manage.list(self.cluster, **asked)
            found += page.items
            if (cursor := page.next_cursor) is None:
                return found

    async def names(self) -> set[str]:
        """Who may submit there."""
        rows = (await self.session.execute(select(UserRow.id, UserRow.name))).all()
        return {name for user_id, name in rows if await self.clusters.of_member(user_id, "lab") is not None}

    async def audited(self) -> list[AuditRow]:
        query = select(AuditRow).where(AuditRow.object_kind == "virtual_cluster").order_by(AuditRow.id)
        return list((await self.session.scalars(query)).all())


@pytest.fixture
async def room(stored: Sessions) -> AsyncIterator[Room]:
    async with stored() as session, session.begin():
        assert await VirtualClusterService(session).ensure(FirstVirtualCluster(name="lab", devices={}))
        lab = await VirtualClusterRepository(session).by_name("lab")
        assert lab is not None
        yield Room(session, await a_caller(session, "admin"), lab.id)


async def test_users_of_a_group_are_members_as_long_as_they_are_in_it(room: Room) -> None:
    group = await room.group("vision", "ada")
    assert await room.names() == set()
    added = await room.add("cy", groups=(group,))
    assert (added.users, added.groups) == (1, 1)
    assert await room.names() == {"ada", "cy"}, "who is in a group is kept out of what it may"
    assert added.members == 2
    await room.joins(group, "bob")
    assert await room.names() == {"ada", "bob", "cy"}, "who joins a group is kept out of what it may"
    await room.leaves(group, "ada")
    assert await room.names() == {"bob", "cy"}, "who left a group still has what it may"
    await room.session.execute(delete(GroupRow).where(GroupRow.id == group))
    assert await room.names() == {"cy"}
    assert (await room.session.scalars(select(ClusterGroupRow))).all() == []


async def test_everything_that_asks_for_members_gives_those_of_groups_too(room: Room) -> None:
    group = await room.group("vision", "ada", "bob")
    await room.add("ada", groups=(group,))
    ada, bob = await room.user("ada"), await room.user("bob")
    (shown,) = [each for each in await room.clusters.visible(bob) if each.name == "lab"]
    assert await room.clusters.get(bob, shown.id) is not None
    assert await room.clusters.counted([shown.id], bob) == {shown.id: (2, True)}, "who is one twice is counted twice"
    assert await room.clusters.counted([shown.id], room.admin.id) == {shown.id: (2, False)}
    of_lab = [name for cluster_id, name, _ in await room.clusters.members_of_each() if cluster_id == shown.id]
    assert sorted(of_lab) == ["ada", "bob"], "the engine is told of somebody twice, or not at all"
    assert await room.clusters.is_member(shown.id, ada)
    assert {each.name for each in await VirtualClusterService(room.session).of_user(bob)} == {"default", "lab"}


async def test_an_account_that_is_disabled_is_no_member_through_a_group_either_but_its_tasks_wait(room: Room) -> None:
    await room.add(groups=(await room.group("vision", "ada"),))
    await room.session.execute(update(UserRow).where(UserRow.name == "ada").values(active=False))
    assert await room.names() == set()
    assert await room.clusters.is_member(room.cluster, await room.user("ada"))
    (group, user) = await room.listed()
    assert (group.users, user.name, user.active) == (0, "ada", False)


async def test_adding_again_changes_nothing_and_is_no_mistake(room: Room) -> None:
    group = await room.group("vision", "ada")
    await room.add("bob", groups=(group,))
    again = await room.add("bob", "bob", "ada", groups=(group, group))
    assert (again.users, again.groups, again.members) == (1, 0, 2)


async def test_the_audit_names_who_was_made_a_member_or_is_none_any_more_and_nobody_else(room: Room) -> None:
    vision, speech = await room.group("vision", "ada"), await room.group("speech", "ada")

    async def last() -> tuple[str, Any, Any]:
        row = (await room.audited())[-1]
        return row.action, row.details["users"], row.details["groups"]

    await room.add("bob", groups=(vision,))
    rows = len(await room.audited())
    await room.add("bob", groups=(vision,))
    assert len(await room.audited()) == rows, "who is a member already is told to have been made one"
    await room.add("bob", "cy", groups=(vision, speech))
    assert await last() == ("virtual_cluster.add_members", ["cy"], ["speech"]), "who was one is told to have become one"
    await room.remove("cy", "dan", groups=(speech, await room.group("others")))
    assert await last() == ("virtual_cluster.remove_members", ["cy"], ["speech"]), "who was none is told to have left"


async def test_whoever_is_not_there_is_named_at_its_place_and_nobody_is_added(room: Room) -> None:
    ada, gone = await room.user("ada"), await room.user("gone")
    await room.session.execute(update(UserRow).where(UserRow.id == gone).values(deleted_at=now(), active=False))
    body = MembersAdd(users=[ada, "nobody", gone], groups=["none"])
    with pytest.raises(Invalid) as refused:
        await room.manage.add(room.admin, room.cluster, body)
    assert [(error.field, error.code) for error in refused.value.errors] == [
        ("users.1", "no_such_user"),
        ("users.2", "no_such_user"),
        ("groups.0", "no_such_group"),
    ]
    assert await room.names() == set()
    with pytest.raises(Invalid) as refused:
        await room.add()
    assert [(error.field, error.code) for error in refused.value.errors] == [("", "nobody_named")]
    with pytest.raises(ValidationError):
        MembersAdd(users=["u"] * 101)


async def test_members_are_listed_groups_first_with_the_ways_in_which_each_is_one(room: Room) -> None:
    vision, speech = await room.group("Vision", "ada", "bob"), await room.group("speech", "ada")
    await room.add("ada", "cy", groups=(vision, speech))
    await room.task("ada", state="running")
    await room.task("ada", state="finished")
    await room.task("bob", state="queued")
    found = await room.listed()
    assert [(each.kind, each.name, each.users, each.unfinished_tasks) for each in found] == [
        ("group", "speech", 1, 0),
        ("group", "Vision", 2, 0),
        ("user", "ada", 1, 1),
        ("user", "bob", 1, 1),
        ("user", "cy", 1, 0),
    ]
    ways = {each.name: (each.direct, [group.name for group in each.groups]) for each in found if each.kind == "user"}
    assert ways == {"ada": (True, ["speech", "Vision"]), "bob": (False, ["Vision"]), "cy": (True, [])}
    for limit in range(1, 6):
        assert await room.listed(limit=limit) == found, f"{limit} at a time"
    assert [each.name for each in await room.listed(kind="group", limit=1)] == ["speech", "Vision"]
    assert [each.name for each in await room.listed(kind="user", limit=2)] == ["ada", "bob", "cy"]
    assert [each.name for each in await room.listed(words="i s")] == ["Vision"]
    assert [each.name for each in await room.listed(words="b")] == ["bob"]
    assert await room.listed(words="100%") == []


async def test_who_left_is_no_member_and_nobody_elses_membership_is_touched(room: Room) -> None:
    vision = await room.group("vision", "bob")
    await room.add("ada", "cy", groups=(vision,))
    left = await room.remove("ada", groups=(vision,))
    assert (left.users, left.groups, left.members, left.stopped_tasks) == (1, 1, 1, 0)
    assert (left.still_members, left.still_members_count) == ([], 0)
    assert await room.names() == {"cy"}
    assert await room.clusters.of_member(await room.user("ada"), "default") is not None
    row = (await room.audited())[-1]
    assert (row.action, row.object_name) == ("virtual_cluster.remove_members", "lab")
    assert row.details == {"users": ["ada"], "groups": ["vision"], "stopped_tasks": 0}
    again = await room.remove("ada", groups=(vision,))
    assert (again.users, again.groups, again.members) == (0, 0, 1)
    assert (await room.audited())[-1].id == row.id, "what changes nothing is written down"


@pytest.mark.parametrize("way", ["through a group", "by themself", "through another group"])
async def test_who_is_a_member_in_another_way_keeps_it_with_all_tasks_and_is_named(room: Room, way: str) -> None:
    vision, speech = await room.group("vision", "ada"), await room.group("speech", "ada")
    await room.add("ada", groups=(vision, speech))
    task = await room.task("ada", state="running")
    match way:
        case "through a group":
            left = await room.remove("ada", stop_tasks=True)
            ways = (False, ["speech", "vision"])
        case "by themself":
            left = await room.remove(groups=(vision, speech), stop_tasks=True)
            ways = (True, [])
        case _:
            left = await room.remove("ada", groups=(vision,), stop_tasks=True)
            ways = (False, ["speech"])
    assert [each.name for each in left.still_members] == ["ada"], "that somebody keeps access is not told"
    (ada,) = left.still_members
    assert (ada.direct, [group.name for group in ada.groups], ada.unfinished_tasks) == (*ways, 1)
    assert (left.still_members_count, left.stopped_tasks) == (1, 0)
    await room.session.refresh(task)
    assert task.wanted == "run", "who keeps access loses a task"
    assert await room.names() == {"ada"}


@pytest.mark.parametrize("state", ["queued", "scheduling", "running", "paused", "stopping"])
async def test_who_has_tasks_there_is_not_taken_out_unless_these_are_stopped(room: Room, state: State) -> None:
    vision = await room.group("vision", "bob")
    await room.add("ada", "cy", groups=(vision,))
    tasks = [await room.task(name, state=state) for name in ("ada", "bob", "cy")]
    await room.task("ada", state="failed")
    elsewhere = await a_task(room.session, await a_caller(room.session, "ada"), "elsewhere", state="running")
    said: tuple[str, Any] = ("done", None)
    try:
        async with room.session.begin_nested():
            await room.remove("ada", groups=(vision,))
    except Conflict as refused:
        said = refused.code, refused.problem.params
    assert said == ("members_have_tasks", {"name": "lab", "tasks": 2}), "nobody is asked about tasks that run"
    assert await room.names() == {"ada", "bob", "cy"}, "it is refused, and done"

    left = await room.remove("ada", groups=(vision,), stop_tasks=True)
    assert (left.stopped_tasks, left.members) == (2, 1)
    for task in (*tasks, elsewhere):
        await room.session.refresh(task)
    assert [task.wanted for task in tasks] == ["stop", "stop", "run"]
    assert elsewhere.wanted == "run", "a task in another virtual cluster is stopped"
    assert tasks[0].stop_reason is not None
    assert (tasks[0].stop_reason["code"], tasks[0].stop_reason["params"]) == ("membership_ended_by", {"user": "admin"})
    assert tasks[0].due_at is not None
    stops = (await room.session.scalars(select(AuditRow).where(AuditRow.action == "task.stop"))).all()
    assert {row.object_name for row in stops} == {"of_ada", "of_bob"}


async def test_what_is_stopped_already_is_not_stopped_again(room: Room) -> None:
    await room.add("ada")
    reason = {"code": "stopped_by_user", "message": "", "params": {"user": "ada"}}
    task = await room.task("ada", state="running", wanted="stop", stop_reason=reason)
    assert (await room.remove("ada", stop_tasks=True)).stopped_tasks == 0
    await room.session.refresh(task)
    assert task.stop_reason == reason


async def test_whoever_is_not_there_or_was_never_added_is_taken_out_without_a_word(room: Room) -> None:
    await room.add("ada")
    await room.task("bob", state="running")
    left = await room.manage.remove(
        room.admin, room.cluster, MembersRemove(users=["nobody", await room.user("bob")], groups=["none"])
    )
    assert (left.users, left.groups, left.members, left.still_members) == (0, 0, 1, [])


async def test_of_many_who_stay_some_are_named_and_all_are_counted(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atoll.virtual_clusters.members.service.MOST_TOLD", 2)
    names = ["ada", "bob", "cy"]
    vision, speech = await room.group("vision", *names), await room.group("speech", *names)
    await room.add(groups=(vision, speech))
    left = await room.remove(groups=(vision,))
    assert (len(left.still_members), left.still_members_count, left.members) == (2, 3, 3)


async def test_what_is_being_deleted_or_is_not_there_has_no_members_to_change(room: Room) -> None:
    group = await room.group("vision", "ada")
    await room.add("ada", groups=(group,))
    await room.session.execute(
        update(VirtualClusterRow).where(VirtualClusterRow.id == room.cluster).values(standing=Standing.DELETING)
    )
    for change in (room.add("ada"), room.remove("ada")):
        with pytest.raises(Conflict) as refused:
            await change
        assert refused.value.code == "virtual_cluster_being_deleted"
    assert await room.names() == set()
    room.cluster = "absent"
    for absent in (room.add("ada"), room.remove("ada"), room.listed()):
        with pytest.raises(NotFound):
            await absent
