"""Machines with the tasks on their devices."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.engines.base import NodeDevicesObservation, NodeObservation
from atoll.engines.repository import NodeRepository
from atoll.identity.caller import Caller
from atoll.identity.schemas import UserReference
from atoll.nodes.policy import NODES_READ
from atoll.nodes.schemas import DeviceSlot, Node, NodeDevices, Nodes, NodeUse
from atoll.tasks.models import TaskRow
from atoll.tasks.repository import TaskRepository


class NodeService:
    """What the machines are and what they do; the route lets only holders of nodes:read in."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def nodes(self) -> Nodes:
        """All machines by name."""
        rows = await NodeRepository(self._session).all()
        holders = await TaskRepository(self._session).holders()
        return Nodes(
            items=[_node(NodeObservation.model_validate(row.observation), holders) for row in rows],
            seen_at=min((row.seen_at for row in rows), default=now()),
        )

    async def observed(self, caller: Caller) -> list[NodeObservation] | None:
        """The machines as they were last seen; None for callers who may not know of them."""
        return await NodeRepository(self._session).observations() if caller.may(NODES_READ) else None


Holders = dict[tuple[str, str], list[tuple[TaskRow, list[int] | None]]]


def _node(seen: NodeObservation, holders: Holders) -> Node:
    return Node(
        name=seen.name,
        address=seen.address,
        roles=list(seen.roles),
        arch=seen.arch,
        state=seen.state,
        reason=seen.reason,
        use=NodeUse(
            cpu_cores=seen.cpu_cores,
            cpu_requested=seen.cpu_requested,
            memory_bytes=seen.memory_bytes,
            memory_requested=seen.memory_requested,
            pods=seen.pods,
            pods_max=seen.pods_max,
        ),
        devices=[_devices(item, holders.get((seen.name, item.type), [])) for item in seen.devices],
        os=seen.os,
        kernel=seen.kernel,
        kubelet=seen.kubelet,
        runtime=seen.runtime,
        joined_at=seen.joined_at,
        state_since=seen.state_since,
    )


def _devices(seen: NodeDevicesObservation, holders: list[tuple[TaskRow, list[int] | None]]) -> NodeDevices:
    """Slots with their users: by index where the engine knows it, else filled from the left."""
    by_index: dict[int, TaskRow] = {}
    exact = True
    for task, indices in holders:
        if indices is None:
            exact = False
            indices = [index for index in range(seen.total) if index not in by_index][: task.devices]
        by_index.update(dict.fromkeys(indices, task))
    slots = []
    for index in range(seen.total):
        task_row = by_index.get(index)
        slots.append(
            DeviceSlot(
                index=index,
                task_id=task_row.id if task_row else None,
                task_name=task_row.name if task_row else None,
                owner=UserReference.model_validate(task_row.owner) if task_row else None,
            )
        )
    return NodeDevices(
        type=seen.type, resource=seen.resource, total=seen.total, used=seen.used, slots=slots, exact=exact
    )
