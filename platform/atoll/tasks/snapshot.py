"""The cluster as the database knows it, in the words of `admission`."""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from atoll import quantities
from atoll.engines.admission import Amount, NodeState, Share, Snapshot
from atoll.engines.base import NodeObservation, UserShare
from atoll.engines.repository import NodeRepository
from atoll.tasks.repository import TaskRepository
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository


def node_state(node: NodeObservation) -> NodeState:
    """What is free on a machine. Where the engine does not know indices, the last ones are taken to be free."""
    free, total = {}, {}
    for devices in node.devices:
        used = set(devices.used_by) if devices.used_by is not None else set(range(devices.used))
        free[devices.type] = frozenset(range(devices.total)) - used
        total[devices.type] = devices.total
    return NodeState(
        name=node.name,
        arch=node.arch,
        free=free,
        total=total,
        cpu_cores_free=Decimal(str(node.cpu_cores)) - Decimal(str(node.cpu_requested)),
        memory_bytes_free=Decimal(node.memory_bytes - node.memory_requested),
        ready=node.takes_tasks and node.state == "ready",
    )


def will_take_tasks(node: NodeObservation) -> bool:
    """Also one that is being restarted or kept free for that: a task waits for it and is not refused."""
    return node.takes_tasks or (node.state == "cordoned" and "worker" in node.roles)


async def _lent(
    session: AsyncSession, cluster: VirtualClusterRow, taken: Mapping[tuple[str, str, str], int]
) -> Mapping[str, int]:
    """What is idle of the shares of others, by device type: what they are granted, without what all others hold."""
    granted = await VirtualClusterRepository(session).given()
    of_others: Counter[str] = Counter()
    for (cluster_id, device_type, _), count in taken.items():
        if cluster_id != cluster.id:
            of_others[device_type] += count
    return {
        quota.device_type: max(0, granted.get(quota.device_type, 0) - quota.count - of_others[quota.device_type])
        for quota in cluster.quotas
    }


async def snapshot(
    session: AsyncSession, cluster: VirtualClusterRow, user_id: str, share: UserShare | None
) -> Snapshot:
    """Machines that take tasks, now or soon, and the quotas of one virtual cluster with what is held in it.

    What one user may reserve is in it where `share` is given, with what that user has reserved.
    """
    nodes = await NodeRepository(session).observations()
    taken = await TaskRepository(session).held()
    reserved = Amount()
    for requests, count in await TaskRepository(session).reserved_by(user_id, cluster.id) if share is not None else ():
        each = Amount(quantities.parse(requests["cpu"]), quantities.parse(requests["memory"]))
        reserved = reserved.plus(each, count)
    lent = await _lent(session, cluster, taken) if cluster.borrows else {}
    able = [node for node in nodes if node.takes_tasks]
    cores = sum((Decimal(str(node.cpu_cores)) for node in able), Decimal(0))
    memory = Decimal(sum(node.memory_bytes for node in able))
    return Snapshot(
        nodes=[node_state(node) for node in nodes if will_take_tasks(node)],
        shares={
            (cluster.name, quota.device_type): Share(quota.count, quota.max_per_user, lent.get(quota.device_type, 0))
            for quota in cluster.quotas
        },
        held={
            (cluster.name, device_type, user): count
            for (cluster_id, device_type, user), count in taken.items()
            if cluster_id == cluster.id
        },
        user_most={cluster.name: Amount(*share.of(cores, memory, len(able)))} if share is not None else {},
        reserved={(cluster.name, user_id): reserved},
    )
