"""Trainings: what the form offers, estimate, create, read what was asked for."""

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from atoll.control.client import ControlClient
from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.tasks.policy import TASKS_CREATE, TASKS_READ, TASKS_READ_ALL
from atoll.tasks.schemas import Estimate, Task
from atoll.training.schemas import TrainingCreate, TrainingDefinition, TrainingOptions
from atoll.training.service import TrainingService
from atoll.web.conditional import etag
from atoll.web.dependencies import Parts, Transaction
from atoll.web.idempotency import IdempotencyKey

router = APIRouter(prefix="/trainings", tags=["training"])


async def _service(session: Transaction, parts: Parts) -> TrainingService:
    return TrainingService(session, parts.configuration, parts.find(ControlClient))


Service = Annotated[TrainingService, Depends(_service)]
Creator = Annotated[Caller, allowed(TASKS_CREATE)]


@router.get("/options", name="list_options")
async def options(service: Service, caller: Creator) -> TrainingOptions:
    """Frameworks, virtual clusters with their devices and limits, examples."""
    return await service.options(caller)


@router.post("", status_code=201)
async def create(
    body: TrainingCreate,
    response: Response,
    service: Service,
    caller: Creator,
    judge: JudgedAgain,
    idempotency_key: IdempotencyKey = None,
) -> Task:
    """Create a training: a task that queues and starts as soon as it can."""
    task = await service.create(caller, body, idempotency_key)
    response.headers["Location"] = f"/api/v1/tasks/{task.id}"
    await judge(caller)
    return etag(response, task)


@router.post("/estimate")
async def estimate(body: TrainingCreate, service: Service, caller: Creator) -> Estimate:
    """What the training would use, whether it starts now, and what forbids it. Changes nothing."""
    return await service.estimate(caller, body)


@router.get("/{task_id}/definition", name="read_definition")
async def definition(
    task_id: str, service: Service, caller: Annotated[Caller, allowed(TASKS_READ, TASKS_READ_ALL)]
) -> TrainingDefinition:
    """What was asked for, with every default filled in; the `definition` of its task, typed."""
    return await service.definition(caller, task_id)
