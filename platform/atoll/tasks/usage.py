"""What virtual clusters ask of tasks and machines, which lie above them."""

from collections.abc import Collection, Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor
from atoll.engines.base import NodeObservation
from atoll.engines.repository import NodeRepository
from atoll.tasks.repository import TaskRepository
from atoll.tasks.service import TaskService
from atoll.virtual_clusters.capacity import Detected
from atoll.virtual_clusters.usage import ClusterTasks, Usage, UsageReader


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


async def detected(session: AsyncSession) -> Mapping[str, Detected]:
    """Devices of all machines, by type."""
    return counted(await NodeRepository(session).observations())


async def addresses(session: AsyncSession) -> Collection[str]:
    """All of all machines, as `jobs` closes them."""
    nodes = await NodeRepository(session).observations()
    return [each for node in nodes for each in (node.address, *node.other_addresses)]


def counted(nodes: Collection[NodeObservation]) -> dict[str, Detected]:
    """Those of machines that are for tasks: they take some, or are workers that are down or cordoned now."""
    found: dict[str, Detected] = {}
    for node in nodes:
        if not node.takes_tasks and (node.state == "ready" or "worker" not in node.roles):
            continue
        away = not node.takes_tasks or node.state != "ready"
        for devices in node.devices:
            before = found.get(devices.type, Detected())
            found[devices.type] = Detected(before.total + devices.total, before.away + devices.total * away)
    return found


async def _of_each(session: AsyncSession, cluster_id: str) -> Mapping[str, int]:
    return await TaskRepository(session).unfinished_in(cluster_id)


async def _stop(session: AsyncSession, actor: Actor, cluster_id: str, owner_ids: Collection[str]) -> int:
    return await TaskService(session).stop_all_in(actor, cluster_id, owner_ids)


READER = UsageReader(usage, detected, addresses)
CLUSTER_TASKS = ClusterTasks(_of_each, _stop)
