"""Machines."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.permissions import Permission
from atoll.nodes.schemas import Nodes
from atoll.nodes.service import NodeService
from atoll.web.dependencies import Configured, Transaction, allowed

router = APIRouter(tags=["nodes"])


def _service(session: Transaction, configuration: Configured) -> NodeService:
    return NodeService(session, configuration)


@router.get("/nodes")
async def nodes(
    service: Annotated[NodeService, Depends(_service)],
    _caller: Annotated[Caller, allowed(Permission.NODES_READ)],
) -> Nodes:
    """Every machine with its state, its devices and who uses them."""
    return await service.nodes()
