"""The first page."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.permissions import Permission
from atoll.overview.schemas import Overview
from atoll.overview.service import OverviewService
from atoll.web.dependencies import Configured, Transaction, allowed

router = APIRouter(tags=["overview"])


def _service(session: Transaction, configuration: Configured) -> OverviewService:
    return OverviewService(session, configuration)


@router.get("/overview")
async def overview(
    service: Annotated[OverviewService, Depends(_service)], caller: Annotated[Caller, allowed(Permission.OVERVIEW_READ)]
) -> Overview:
    """What runs, what is free, what needs attention."""
    return await service.overview(caller)
