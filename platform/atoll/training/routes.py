"""What the form for a new training offers."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.control.client import ControlClient
from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.tasks.policy import TASKS_CREATE
from atoll.training.schemas import TrainingOptions
from atoll.training.service import TrainingService
from atoll.web.dependencies import Parts, Transaction

router = APIRouter(tags=["training"])


def _service(session: Transaction, parts: Parts) -> TrainingService:
    return TrainingService(session, parts.configuration, parts.find(ControlClient))


@router.get("/training/options", name="list_options")
async def options(
    service: Annotated[TrainingService, Depends(_service)], caller: Annotated[Caller, allowed(TASKS_CREATE)]
) -> TrainingOptions:
    """Frameworks, virtual clusters with their devices and limits, examples."""
    return await service.options(caller)
