"""The first page in one answer."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.identity.caller import Caller
from atoll.nodes.service import NodeService
from atoll.overview import codes
from atoll.overview.schemas import NodeCounts, Overview
from atoll.tasks import views
from atoll.tasks.life_cycle import State
from atoll.tasks.policy import TASKS_READ_ALL
from atoll.tasks.repository import TaskRepository
from atoll.tasks.usage import READER
from atoll.virtual_clusters.service import VirtualClusterService

RECENT = 8
_UNFIT = {"not_ready": codes.NodeNotReady, "unknown": codes.NodeUnknown, "cordoned": codes.NodeCordoned}


class OverviewService:
    """What a caller sees first."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def overview(self, caller: Caller) -> Overview:
        """Counts, recent tasks, free devices; for administrators also the machines."""
        tasks = TaskRepository(self._session)
        recent = await tasks.page(
            caller,
            kinds=None,
            states=None,
            everybody=False,
            virtual_cluster=None,
            words=None,
            limit=RECENT,
            after=None,
        )
        clusters = await VirtualClusterService(self._session).list(caller, READER, 50, None)
        machines, attention = None, []
        nodes = await NodeService(self._session).observed(caller)
        if nodes is not None:
            machines = NodeCounts(total=len(nodes), ready=sum(node.state == "ready" for node in nodes))
            attention = [_UNFIT[node.state](node=node.name).reason() for node in nodes if node.state != "ready"]
        return Overview(
            tasks=views.counted(await tasks.counts(caller)),
            recent=[views.summary(caller, row) for row in recent],
            virtual_clusters=clusters.items,
            nodes=machines,
            running_total=await tasks.count_in(frozenset({State.RUNNING})) if caller.may(TASKS_READ_ALL) else None,
            attention=attention,
        )
