"""Virtual clusters."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.virtual_clusters.policy import VIRTUAL_CLUSTERS_READ
from atoll.virtual_clusters.schemas import VirtualCluster
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.virtual_clusters.usage import UsageReader
from atoll.web.dependencies import Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["virtual clusters"])


async def _service(session: Transaction) -> VirtualClusterService:
    return VirtualClusterService(session)


@router.get("/virtual-clusters", name="list")
async def virtual_clusters(
    service: Annotated[VirtualClusterService, Depends(_service)],
    caller: Annotated[Caller, allowed(VIRTUAL_CLUSTERS_READ)],
    parts: Parts,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[VirtualCluster]:
    """The caller's virtual clusters; all of them for administrators."""
    return await service.list(caller, parts.part(UsageReader), limit, cursor)
