"""Every query about virtual clusters."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.identity.models import UserRow
from atoll.identity.rights.repository import named
from atoll.virtual_clusters.models import MemberRow, VirtualClusterRow


def virtual_clusters_of(user_id: SQLColumnExpression[str]) -> ColumnElement[Any]:
    """Those of which a user is a member, as one value (`named`)."""
    query = select(named(VirtualClusterRow.id, VirtualClusterRow.name, VirtualClusterRow.name))
    query = query.join(MemberRow, MemberRow.virtual_cluster_id == VirtualClusterRow.id)
    return query.where(MemberRow.user_id == user_id).correlate(UserRow).scalar_subquery()


class VirtualClusterRepository:
    """Virtual clusters; `user_id` None means all of them, and only administrators get that."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def visible(
        self, user_id: str | None, *, limit: int | None = None, after: str | None = None
    ) -> Sequence[VirtualClusterRow]:
        """Those of which the user is a member, by name."""
        query = select(VirtualClusterRow).order_by(VirtualClusterRow.name)
        if user_id is not None:
            query = query.where(VirtualClusterRow.members.any(MemberRow.user_id == user_id))
        if after is not None:
            query = query.where(VirtualClusterRow.name > after)
        if limit is not None:
            query = query.limit(limit)
        return (await self._session.scalars(query)).all()

    async def by_name(self, name: str) -> VirtualClusterRow | None:
        """The virtual cluster of that name."""
        found: VirtualClusterRow | None = await self._session.scalar(
            select(VirtualClusterRow).where(VirtualClusterRow.name == name)
        )
        return found

    async def of_users(self, user_ids: Collection[str]) -> dict[str, list[dict[str, str]]]:
        """Those of which each of these users is a member, by name."""
        query = (
            select(MemberRow.user_id, VirtualClusterRow.id, VirtualClusterRow.name)
            .join(VirtualClusterRow, VirtualClusterRow.id == MemberRow.virtual_cluster_id)
            .where(MemberRow.user_id.in_(user_ids))
            .order_by(VirtualClusterRow.name)
        )
        found: dict[str, list[dict[str, str]]] = {}
        for user_id, identifier, name in await self._session.execute(query):
            found.setdefault(user_id, []).append({"id": identifier, "name": name})
        return found

    async def remove_user(self, user_id: str) -> None:
        """The user is a member of none any more."""
        await self._session.execute(delete(MemberRow).where(MemberRow.user_id == user_id))
