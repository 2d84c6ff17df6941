"""Virtual clusters."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.permissions import Permission
from atoll.virtual_clusters.schemas import VirtualCluster
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.dependencies import Configured, Cursor, Limit, Transaction, allowed
from atoll.web.schema import Page

router = APIRouter(tags=["virtual clusters"])


def _service(session: Transaction, configuration: Configured) -> VirtualClusterService:
    return VirtualClusterService(session, configuration)


@router.get("/virtual-clusters")
async def virtual_clusters(
    service: Annotated[VirtualClusterService, Depends(_service)],
    caller: Annotated[Caller, allowed(Permission.VIRTUAL_CLUSTERS_READ)],
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[VirtualCluster]:
    """The caller's virtual clusters; all of them for administrators."""
    return await service.list(caller, limit, cursor)
