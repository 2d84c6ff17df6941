"""Who is a member of which virtual cluster in effect, and every query about the members of one."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import ColumnElement, Subquery, delete, func, or_, select, union
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from atoll.identity.models import GroupMemberRow, GroupRow, UserRow
from atoll.identity.repository import holding
from atoll.virtual_clusters.models import ClusterGroupRow, MemberRow
from atoll.virtual_clusters.schemas import ClusterMember, MemberGroup


def members(*, also_disabled: bool = False) -> Subquery:
    """Pairs of `virtual_cluster_id` and `user_id`, each once: users who were added, and those of groups that were.

    Only of accounts that are active. Tasks of a disabled one go on, so whoever asks about tasks takes them, too.
    """
    direct = select(MemberRow.virtual_cluster_id, MemberRow.user_id)
    through = select(ClusterGroupRow.virtual_cluster_id, GroupMemberRow.user_id).join(
        GroupMemberRow, GroupMemberRow.group_id == ClusterGroupRow.group_id
    )
    both = union(direct, through).subquery("added")
    # An alias: what asks about a user of an outer question means that one and not this.
    account = aliased(UserRow)
    pairs = select(both.c.virtual_cluster_id, both.c.user_id).join(account, account.id == both.c.user_id)
    pairs = pairs.where(account.deleted_at.is_(None))
    return (pairs if also_disabled else pairs.where(account.active)).subquery("members")


class MemberRepository:
    """Users and groups; only for holders of virtual_clusters:manage."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def names(
        self, user_ids: Collection[str], group_ids: Collection[str], *, hold: bool = False
    ) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """The names of users and groups that there are, by id; with `hold` they stay until the transaction ends."""
        groups = select(GroupRow.id, GroupRow.name).where(GroupRow.id.in_(group_ids)).order_by(GroupRow.id)
        users = select(UserRow.id, UserRow.name).where(UserRow.id.in_(user_ids), UserRow.deleted_at.is_(None))
        users = users.order_by(UserRow.id)
        if hold:
            groups = groups.with_for_update(read=True, key_share=True)
            users = users.with_for_update(read=True, key_share=True)
        found_groups = {row[0]: row[1] for row in await self._session.execute(groups)}
        return {row[0]: row[1] for row in await self._session.execute(users)}, found_groups

    async def add_groups(self, cluster_id: str, group_ids: Collection[str]) -> set[str]:
        """Make groups members; those that were not added before."""
        rows = [{"virtual_cluster_id": cluster_id, "group_id": group_id} for group_id in sorted({*group_ids})]
        if not rows:
            return set()
        added = insert(ClusterGroupRow).values(rows).on_conflict_do_nothing().returning(ClusterGroupRow.group_id)
        return {*await self._session.scalars(added)}

    async def remove_groups(self, cluster_id: str, group_ids: Collection[str] | None) -> set[str]:
        """Take groups (None: all) off it; those that were members."""
        gone = delete(ClusterGroupRow).where(ClusterGroupRow.virtual_cluster_id == cluster_id)
        if group_ids is not None:
            gone = gone.where(ClusterGroupRow.group_id.in_(group_ids))
        return {*await self._session.scalars(gone.returning(ClusterGroupRow.group_id))}

    async def concerned(self, cluster_id: str, user_ids: Collection[str], group_ids: Collection[str]) -> set[str]:
        """Members, disabled ones too, whom it concerns that these users and groups are taken out."""
        added = select(ClusterGroupRow.group_id).where(
            ClusterGroupRow.virtual_cluster_id == cluster_id, ClusterGroupRow.group_id.in_(group_ids)
        )
        through = select(GroupMemberRow.user_id).where(GroupMemberRow.group_id.in_(added))
        found = members(also_disabled=True)
        query = select(found.c.user_id).where(found.c.virtual_cluster_id == cluster_id)
        query = query.where(or_(found.c.user_id.in_(user_ids), found.c.user_id.in_(through)))
        return {*await self._session.scalars(query)}

    async def of(self, cluster_id: str, user_ids: Collection[str]) -> set[str]:
        """Those of these users who are members now, disabled ones too."""
        found = members(also_disabled=True)
        query = select(found.c.user_id).where(found.c.virtual_cluster_id == cluster_id, found.c.user_id.in_(user_ids))
        return {*await self._session.scalars(query)}

    async def groups(self, cluster_id: str, words: str | None, limit: int, after: str | None) -> list[ClusterMember]:
        """Groups by name, with the number of active accounts in each."""
        users = (
            select(func.count())
            .select_from(GroupMemberRow)
            .join(UserRow, UserRow.id == GroupMemberRow.user_id)
            .where(GroupMemberRow.group_id == GroupRow.id, UserRow.active)
            .correlate(GroupRow)
            .scalar_subquery()
        )
        query = (
            select(GroupRow.id, GroupRow.name, users)
            .join(ClusterGroupRow, ClusterGroupRow.group_id == GroupRow.id)
            .where(ClusterGroupRow.virtual_cluster_id == cluster_id, *_called(words))
            .order_by(GroupRow.name_key)
            .limit(limit)
        )
        if after is not None:
            query = query.where(GroupRow.name_key > after)
        return [
            ClusterMember(
                kind="group",
                id=row[0],
                name=row[1],
                nickname="",
                active=True,
                direct=True,
                groups=[],
                users=row[2],
                unfinished_tasks=0,
            )
            for row in await self._session.execute(query)
        ]

    async def users(self, cluster_id: str, words: str | None, limit: int, after: str | None) -> Sequence[str]:
        """The ids of members, disabled ones too, by name."""
        found = members(also_disabled=True)
        query = (
            select(UserRow.id)
            .join(found, found.c.user_id == UserRow.id)
            .where(found.c.virtual_cluster_id == cluster_id, *holding(words, UserRow.name, UserRow.nickname))
            .order_by(UserRow.name)
            .limit(limit)
        )
        if after is not None:
            query = query.where(UserRow.name > after)
        return (await self._session.scalars(query)).all()

    async def described(
        self, cluster_id: str, user_ids: Collection[str], tasks: Mapping[str, int]
    ) -> list[ClusterMember]:
        """These members by name, with the ways in which each is one."""
        direct = select(MemberRow.user_id).where(
            MemberRow.virtual_cluster_id == cluster_id, MemberRow.user_id.in_(user_ids)
        )
        added = {*await self._session.scalars(direct)}
        through = (
            select(GroupMemberRow.user_id, GroupRow.id, GroupRow.name)
            .join(GroupRow, GroupRow.id == GroupMemberRow.group_id)
            .join(ClusterGroupRow, ClusterGroupRow.group_id == GroupRow.id)
            .where(ClusterGroupRow.virtual_cluster_id == cluster_id, GroupMemberRow.user_id.in_(user_ids))
            .order_by(GroupRow.name_key)
        )
        groups: dict[str, list[MemberGroup]] = {}
        for user_id, group_id, name in await self._session.execute(through):
            groups.setdefault(user_id, []).append(MemberGroup(id=group_id, name=name))
        who = select(UserRow.id, UserRow.name, UserRow.nickname, UserRow.active).where(UserRow.id.in_(user_ids))
        return [
            ClusterMember(
                kind="user",
                id=row[0],
                name=row[1],
                nickname=row[2],
                active=row[3],
                direct=row[0] in added,
                groups=groups.get(row[0], []),
                users=1,
                unfinished_tasks=tasks.get(row[0], 0),
            )
            for row in await self._session.execute(who.order_by(UserRow.name))
        ]


def _called(words: str | None) -> list[ColumnElement[bool]]:
    """Groups with each of the words in their name."""
    return [GroupRow.name.icontains(word, autoescape=True) for word in (words or "").split()]
