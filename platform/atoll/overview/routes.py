"""The first page."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.overview.policy import OVERVIEW_READ
from atoll.overview.schemas import Overview
from atoll.overview.service import OverviewService
from atoll.web.dependencies import Transaction

router = APIRouter(tags=["overview"])


async def _service(session: Transaction) -> OverviewService:
    return OverviewService(session)


@router.get("/overview", name="read")
async def overview(
    service: Annotated[OverviewService, Depends(_service)], caller: Annotated[Caller, allowed(OVERVIEW_READ)]
) -> Overview:
    """What runs, what is free, what needs attention."""
    return await service.overview(caller)
