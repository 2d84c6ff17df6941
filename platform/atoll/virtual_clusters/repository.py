"""Every query about virtual clusters. Members know of theirs while they are not being deleted, and of no others."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.database.many import one_of
from atoll.identity.models import UserRow
from atoll.identity.rights.repository import named
from atoll.virtual_clusters.members.repository import members
from atoll.virtual_clusters.models import ClusterGroupRow, MemberRow, QuotaRow, Standing, VirtualClusterRow

_PRESENT = VirtualClusterRow.deleted_at.is_(None)
_USABLE = _PRESENT & (VirtualClusterRow.standing != Standing.DELETING)


def _of(user_id: str | SQLColumnExpression[str]) -> ColumnElement[bool]:
    """Usable ones of which the user is a member."""
    found = members()
    own = select(found.c.virtual_cluster_id).where(found.c.user_id == user_id).correlate(UserRow)
    return _USABLE & VirtualClusterRow.id.in_(own)


def virtual_clusters_of(user_id: SQLColumnExpression[str]) -> ColumnElement[Any]:
    """Those of which a user is a member, as one value (`named`)."""
    query = select(named(VirtualClusterRow.id, VirtualClusterRow.name, VirtualClusterRow.name))
    return query.where(_of(user_id)).correlate(UserRow).scalar_subquery()


class VirtualClusterRepository:
    """Virtual clusters; `user_id` None means all of them, and only administrators and `jobs` get that."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def visible(
        self, user_id: str | None, *, limit: int | None = None, after: str | None = None
    ) -> Sequence[VirtualClusterRow]:
        """Those of which the user is a member, by name."""
        query = select(VirtualClusterRow).order_by(VirtualClusterRow.name)
        query = query.where(_PRESENT if user_id is None else _of(user_id))
        if after is not None:
            query = query.where(VirtualClusterRow.name > after)
        if limit is not None:
            query = query.limit(limit)
        return (await self._session.scalars(query)).all()

    async def get(self, user_id: str | None, cluster_id: str, *, lock: bool = False) -> VirtualClusterRow | None:
        """One of them by its id; with `lock` nobody edits it, or begins a task in it, until the transaction ends."""
        query = select(VirtualClusterRow).where(VirtualClusterRow.id == cluster_id)
        query = query.where(_PRESENT if user_id is None else _of(user_id))
        if lock:
            query = query.with_for_update().execution_options(populate_existing=True)
        found: VirtualClusterRow | None = await self._session.scalar(query)
        return found

    async def by_name(self, name: str) -> VirtualClusterRow | None:
        """The virtual cluster of that name."""
        found: VirtualClusterRow | None = await self._session.scalar(
            select(VirtualClusterRow).where(VirtualClusterRow.name == name, _PRESENT)
        )
        return found

    async def usable(self, names: Collection[str]) -> set[str]:
        """Those of the names that one has which is not being deleted."""
        query = select(VirtualClusterRow.name).where(VirtualClusterRow.name == one_of(names), _USABLE)
        return set((await self._session.scalars(query)).all())

    async def ever_existed(self, name: str) -> bool:
        """Whether there is, or was, one of that name."""
        query = select(VirtualClusterRow.id).where(VirtualClusterRow.name == name).limit(1)
        return await self._session.scalar(query) is not None

    async def of_member(self, user_id: str, name: str, *, hold: bool = False) -> VirtualClusterRow | None:
        """The one of that name of which the user is a member.

        With `hold` it grants what it grants, and the user stays in it, until the transaction ends: whoever would edit
        it, or take the user out of it, waits (`get` with `lock`).
        """
        if hold:
            # By itself and first: what is read after it is what was there when nobody could edit it any more.
            held = select(VirtualClusterRow.id).where(VirtualClusterRow.name == name, _PRESENT)
            await self._session.execute(held.with_for_update(read=True, key_share=True))
        query = select(VirtualClusterRow).where(VirtualClusterRow.name == name, _of(user_id))
        found: VirtualClusterRow | None = await self._session.scalar(query.execution_options(populate_existing=True))
        return found

    async def is_member(self, cluster_id: str, user_id: str) -> bool:
        """Whether tasks of that user may wait there; disabled accounts' go on."""
        found = members(also_disabled=True)
        query = select(found.c.user_id).where(found.c.virtual_cluster_id == cluster_id, found.c.user_id == user_id)
        return await self._session.scalar(query.limit(1)) is not None

    async def counted(self, cluster_ids: Collection[str], user_id: str) -> Mapping[str, tuple[int, bool]]:
        """How many members each has, and whether the user is one of them; those without any are left out."""
        found = members()
        query = (
            select(found.c.virtual_cluster_id, func.count(), func.bool_or(found.c.user_id == user_id))
            .where(found.c.virtual_cluster_id.in_(cluster_ids))
            .group_by(found.c.virtual_cluster_id)
        )
        return {row[0]: (row[1], row[2]) for row in await self._session.execute(query)}

    async def of_users(self, user_ids: Collection[str]) -> Mapping[str, list[dict[str, str]]]:
        """Those of which each of these users is a member, or would be with an enabled account, by name."""
        found = members(also_disabled=True)
        query = select(found.c.user_id, VirtualClusterRow.id, VirtualClusterRow.name)
        query = query.join(VirtualClusterRow, VirtualClusterRow.id == found.c.virtual_cluster_id)
        return await self._by_first(query.where(found.c.user_id.in_(user_ids), _USABLE))

    async def of_groups(self, group_ids: Collection[str]) -> Mapping[str, list[dict[str, str]]]:
        """Those of which each of these groups is a member, by name."""
        query = select(ClusterGroupRow.group_id, VirtualClusterRow.id, VirtualClusterRow.name)
        query = query.join(VirtualClusterRow, VirtualClusterRow.id == ClusterGroupRow.virtual_cluster_id)
        return await self._by_first(query.where(ClusterGroupRow.group_id.in_(group_ids), _USABLE))

    async def _by_first(self, query: Select[str, str, str]) -> Mapping[str, list[dict[str, str]]]:
        found: dict[str, list[dict[str, str]]] = {}
        for whose, identifier, name in await self._session.execute(query.order_by(VirtualClusterRow.name)):
            found.setdefault(whose, []).append({"id": identifier, "name": name})
        return found

    async def given(self) -> Mapping[str, int]:
        """Devices that virtual clusters are granted all together, by type; one that is being deleted has none."""
        query = (
            select(QuotaRow.device_type, func.sum(QuotaRow.count))
            .join(VirtualClusterRow, VirtualClusterRow.id == QuotaRow.virtual_cluster_id)
            .where(_USABLE)
            .group_by(QuotaRow.device_type)
        )
        return {row[0]: int(row[1]) for row in await self._session.execute(query)}

    async def add(self, row: VirtualClusterRow) -> None:
        """Keep a new one. Raises IntegrityError where its name is taken."""
        self._session.add(row)
        await self._session.flush()

    async def add_users(self, cluster_id: str, user_ids: Collection[str]) -> set[str]:
        """Make users members; those who were not added before."""
        rows = [{"virtual_cluster_id": cluster_id, "user_id": user_id} for user_id in sorted({*user_ids})]
        if not rows:
            return set()
        added = insert(MemberRow).values(rows).on_conflict_do_nothing().returning(MemberRow.user_id)
        return {*await self._session.scalars(added)}

    async def remove_users(self, cluster_id: str, user_ids: Collection[str] | None) -> set[str]:
        """Take users (None: all) off it who were added themselves; those who were."""
        gone = delete(MemberRow).where(MemberRow.virtual_cluster_id == cluster_id)
        if user_ids is not None:
            gone = gone.where(MemberRow.user_id.in_(user_ids))
        return {*await self._session.scalars(gone.returning(MemberRow.user_id))}

    async def remove_user(self, user_id: str) -> None:
        """The user was added to none any more."""
        await self._session.execute(delete(MemberRow).where(MemberRow.user_id == user_id))

    async def members_of_each(self, cluster_id: str | None = None) -> Sequence[tuple[str, str, int]]:
        """Virtual cluster (all, or one), name and uid of every member; for `jobs`."""
        found = members()
        query = select(found.c.virtual_cluster_id, UserRow.name, UserRow.uid)
        query = query.join(UserRow, UserRow.id == found.c.user_id)
        if cluster_id is not None:
            query = query.where(found.c.virtual_cluster_id == cluster_id)
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)]

    async def confirm(self, cluster_id: str, version: int) -> bool:
        """The engine has all that this version wants; whether something waited for that."""
        row = VirtualClusterRow
        of_version = update(row).where(row.id == cluster_id, row.version == version, _PRESENT)
        ready = of_version.where(row.standing == Standing.PREPARING).values(standing=Standing.READY).returning(row.id)
        return await self._session.scalar(ready.execution_options(synchronize_session=False)) is not None

    async def forget(self, cluster_id: str) -> None:
        """The engine has nothing of it any more: its name is free."""
        row = VirtualClusterRow
        gone = update(row).where(row.id == cluster_id, row.standing == Standing.DELETING, _PRESENT)
        await self._session.execute(gone.values(deleted_at=now()).execution_options(synchronize_session=False))
