"""Machines."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.nodes.policy import NODES_READ
from atoll.nodes.schemas import Nodes
from atoll.nodes.service import NodeService
from atoll.web.dependencies import Transaction

router = APIRouter(tags=["nodes"])


async def _service(session: Transaction) -> NodeService:
    return NodeService(session)


@router.get("/nodes", name="list")
async def nodes(
    service: Annotated[NodeService, Depends(_service)],
    _caller: Annotated[Caller, allowed(NODES_READ)],
) -> Nodes:
    """Every machine with its state, its devices and who uses them."""
    return await service.nodes()
