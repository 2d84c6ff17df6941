"""Every query about virtual clusters."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.virtual_clusters.models import MemberRow, VirtualClusterRow


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
