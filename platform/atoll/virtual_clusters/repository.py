"""Every query about virtual clusters and what is held in them."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.tasks.life_cycle import HOLDS_DEVICES, WAITING
from atoll.tasks.models import TaskRow
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

    async def held(self) -> dict[tuple[str, str, str], int]:
        """Devices that are held now, per virtual cluster, device type and user."""
        query = (
            select(
                TaskRow.virtual_cluster_id,
                TaskRow.device_type,
                TaskRow.owner_id,
                func.sum(TaskRow.devices * TaskRow.nodes),
            )
            .where(TaskRow.state.in_(HOLDS_DEVICES))
            .group_by(TaskRow.virtual_cluster_id, TaskRow.device_type, TaskRow.owner_id)
        )
        return {(row[0], row[1], row[2]): int(row[3]) for row in (await self._session.execute(query)).all()}

    async def waiting(self) -> dict[tuple[str, str], int]:
        """Devices that waiting tasks ask for, per virtual cluster and device type."""
        query = (
            select(TaskRow.virtual_cluster_id, TaskRow.device_type, func.sum(TaskRow.devices * TaskRow.nodes))
            .where(TaskRow.state.in_(WAITING), TaskRow.devices > 0)
            .group_by(TaskRow.virtual_cluster_id, TaskRow.device_type)
        )
        return {(row[0], row[1]): int(row[2]) for row in (await self._session.execute(query)).all()}

    async def task_counts(self) -> dict[tuple[str, str], int]:
        """Number of tasks per virtual cluster and state, ended ones left out."""
        active = HOLDS_DEVICES | WAITING
        query = (
            select(TaskRow.virtual_cluster_id, TaskRow.state, func.count())
            .where(TaskRow.state.in_(active))
            .group_by(TaskRow.virtual_cluster_id, TaskRow.state)
        )
        return {(row[0], row[1]): int(row[2]) for row in (await self._session.execute(query)).all()}
