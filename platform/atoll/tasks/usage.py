"""What tasks hold and wait for in virtual clusters."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.tasks.life_cycle import HOLDS_DEVICES, WAITING
from atoll.tasks.models import TaskRow
from atoll.virtual_clusters.usage import Usage, UsageReader


async def held(session: AsyncSession) -> dict[tuple[str, str, str], int]:
    """Devices that are held now, per virtual cluster, device type and user."""
    query = (
        select(
            TaskRow.virtual_cluster_id, TaskRow.device_type, TaskRow.owner_id, func.sum(TaskRow.devices * TaskRow.nodes)
        )
        .where(TaskRow.state.in_(HOLDS_DEVICES))
        .group_by(TaskRow.virtual_cluster_id, TaskRow.device_type, TaskRow.owner_id)
    )
    rows = (await session.execute(query)).all()
    return {(row[0], row[1], row[2]): int(row[3]) for row in rows if row[1] is not None}


async def usage(session: AsyncSession) -> Usage:
    """Devices and tasks per virtual cluster, ended tasks left out."""
    devices: dict[tuple[str, str], int] = {}
    for (cluster, device_type, _user), count in (await held(session)).items():
        devices[cluster, device_type] = devices.get((cluster, device_type), 0) + count
    query = (
        select(TaskRow.virtual_cluster_id, TaskRow.state, func.count())
        .where(TaskRow.state.in_(HOLDS_DEVICES | WAITING))
        .group_by(TaskRow.virtual_cluster_id, TaskRow.state)
    )
    running: dict[str, int] = {}
    waiting: dict[str, int] = {}
    for cluster, state, count in (await session.execute(query)).all():
        counted = running if state in HOLDS_DEVICES else waiting
        counted[cluster] = counted.get(cluster, 0) + int(count)
    return Usage(devices, running, waiting)


READER = UsageReader(usage)
