"""Who is a member of a virtual cluster: users and groups. For holders of virtual_clusters:manage alone."""

import builtins
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.identity import names
from atoll.identity.caller import Caller
from atoll.identity.codes import NoSuchGroupField, NoSuchUserField
from atoll.virtual_clusters import codes
from atoll.virtual_clusters.members.repository import MemberRepository
from atoll.virtual_clusters.models import Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import ClusterMember, MembersAdd, MembersAdded, MembersRemove, MembersRemoved
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.virtual_clusters.usage import ClusterTasks
from atoll.web import told
from atoll.web.errors import Conflict, Invalid, NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page

MOST_TOLD = 100
Kind = Literal["group", "user"]


class MemberManagement:
    """Listed, added, removed."""

    def __init__(self, session: AsyncSession, tasks: ClusterTasks) -> None:
        self._session = session
        self._tasks = tasks
        self._clusters = VirtualClusterRepository(session)
        self._members = MemberRepository(session)

    async def list(
        self, cluster_id: str, *, kind: Kind | None, words: str | None, limit: int, cursor: str | None
    ) -> Page[ClusterMember]:
        """Groups, then all users, those of groups included, each by name. Raises NotFound."""
        await self._row(cluster_id)
        after_kind, _, after = (decode(cursor) or "group/").partition("/")
        found: builtins.list[ClusterMember] = []
        if kind != "user" and after_kind == "group":
            found += await self._members.groups(cluster_id, words, limit + 1, after or None)
        if kind != "group" and len(found) <= limit:
            start = after if after_kind == "user" else None
            found += await self._described(cluster_id, words, limit + 1 - len(found), start)
        rows, following = cut(found, limit, lambda each: f"{each.kind}/{_place(each)}")
        return Page(items=[*rows], next_cursor=following)

    async def add(self, caller: Caller, cluster_id: str, body: MembersAdd) -> MembersAdded:
        """Make them members; who is one stays it. Raises NotFound, Conflict, Invalid with every id that is none."""
        row = await self._locked(cluster_id)
        users, groups = await self._members.names(body.users, body.groups, hold=True)
        mistakes = [
            *(NoSuchUserField(user=each).at(f"users.{at}") for at, each in enumerate(body.users) if each not in users),
            *(
                NoSuchGroupField(group=each).at(f"groups.{at}")
                for at, each in enumerate(body.groups)
                if each not in groups
            ),
        ]
        if not body.users and not body.groups:
            mistakes.append(codes.NobodyNamed().at(""))
        if mistakes:
            raise Invalid(told.InvalidRequest(), errors=mistakes)
        new_users = await self._clusters.add_users(row.id, body.users)
        new_groups = await self._members.add_groups(row.id, body.groups)
        if new_users or new_groups:
            await self._changed(
                caller,
                "virtual_cluster.add_members",
                row,
                users=_names(users, new_users),
                groups=_names(groups, new_groups),
            )
        return MembersAdded(users=len(new_users), groups=len(new_groups), members=await self._count(row, caller))

    async def remove(self, caller: Caller, cluster_id: str, body: MembersRemove) -> MembersRemoved:
        """They were members; who is one in another way, too, stays one and keeps their tasks.

        Raises NotFound, Conflict while tasks of the others have not ended, unless these are to be stopped.
        """
        row = await self._locked(cluster_id)
        users, groups = await self._members.names(body.users, body.groups)
        concerned = await self._members.concerned(row.id, body.users, body.groups)
        gone_users = await self._clusters.remove_users(row.id, body.users)
        gone_groups = await self._members.remove_groups(row.id, body.groups)
        stay = await self._members.of(row.id, concerned)
        lost = concerned - stay
        tasks = await self._tasks.of_each(self._session, row.id)
        if (count := sum(tasks.get(each, 0) for each in lost)) and not body.stop_tasks:
            raise Conflict(codes.MembersHaveTasks(name=row.name, tasks=count))
        stopped = await self._tasks.stop(self._session, caller, row.id, lost) if count else 0
        if gone_users or gone_groups:
            await self._changed(
                caller,
                "virtual_cluster.remove_members",
                row,
                users=_names(users, gone_users),
                groups=_names(groups, gone_groups),
                stopped_tasks=stopped,
            )
        return MembersRemoved(
            users=len(gone_users),
            groups=len(gone_groups),
            stopped_tasks=stopped,
            members=await self._count(row, caller),
            still_members=await self._members.described(row.id, sorted(stay)[:MOST_TOLD], tasks),
            still_members_count=len(stay),
        )

    async def _described(
        self, cluster_id: str, words: str | None, limit: int, after: str | None
    ) -> Sequence[ClusterMember]:
        page = await self._members.users(cluster_id, words, limit, after)
        return await self._members.described(cluster_id, page, await self._tasks.of_each(self._session, cluster_id))

    async def _count(self, row: VirtualClusterRow, caller: Caller) -> int:
        return (await self._clusters.counted([row.id], caller.id)).get(row.id, (0, False))[0]

    async def _row(self, cluster_id: str, *, lock: bool = False) -> VirtualClusterRow:
        row = await self._clusters.get(None, cluster_id, lock=lock)
        if row is None:
            raise NotFound(codes.NoSuchVirtualCluster(name=cluster_id[:64]))
        return row

    async def _locked(self, cluster_id: str) -> VirtualClusterRow:
        row = await self._row(cluster_id, lock=True)
        if row.standing == Standing.DELETING:
            raise Conflict(codes.VirtualClusterBeingDeleted(name=row.name))
        return row

    async def _changed(
        self, caller: Caller, action: str, row: VirtualClusterRow, **details: Collection[str] | int
    ) -> None:
        await VirtualClusterService(self._session).members_changed()
        await record(
            self._session,
            caller,
            action,
            kind="virtual_cluster",
            identifier=row.id,
            name=row.name,
            details={**details},
        )


def _names(by_id: Mapping[str, str], changed: Collection[str]) -> list[str]:
    return sorted(name for each, name in by_id.items() if each in changed)


def _place(member: ClusterMember) -> str:
    """By what lists go: groups by their name however it is written, as no other has it."""
    return names.key(member.name) if member.kind == "group" else member.name
