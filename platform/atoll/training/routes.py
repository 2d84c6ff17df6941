"""What the form for a new training offers."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.identity.caller import Caller
from atoll.identity.permissions import Permission
from atoll.training.schemas import TrainingOptions
from atoll.training.service import TrainingService
from atoll.web.dependencies import Parts, Transaction, allowed

router = APIRouter(tags=["training"])


def _service(session: Transaction, parts: Parts) -> TrainingService:
    return TrainingService(session, parts.configuration, parts.control)


@router.get("/training/options")
async def options(
    service: Annotated[TrainingService, Depends(_service)], caller: Annotated[Caller, allowed(Permission.TASKS_CREATE)]
) -> TrainingOptions:
    """Frameworks, virtual clusters with their devices and limits, examples."""
    return await service.options(caller)
