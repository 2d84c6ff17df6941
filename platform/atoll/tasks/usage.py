"""What tasks hold and wait for in virtual clusters."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.tasks.repository import TaskRepository
from atoll.virtual_clusters.usage import Usage, UsageReader


async def usage(session: AsyncSession) -> Usage:
    """Devices and tasks per virtual cluster, ended tasks left out."""
    tasks = TaskRepository(session)
    devices: dict[tuple[str, str], int] = {}
    for (cluster, device_type, _user), count in (await tasks.held()).items():
        devices[cluster, device_type] = devices.get((cluster, device_type), 0) + count
    running: dict[str, int] = {}
    waiting: dict[str, int] = {}
    for cluster, held, count in await tasks.unfinished_in_each():
        counted = running if held else waiting
        counted[cluster] = counted.get(cluster, 0) + count
    return Usage(devices, running, waiting)


READER = UsageReader(usage)
