"""Tasks of all kinds, which their domains make: list, read, stop, delete. What flows is in `streams.py`."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.tasks.life_cycle import State
from atoll.tasks.policy import TASKS_DELETE, TASKS_READ, TASKS_READ_ALL, TASKS_STOP, TASKS_STOP_ALL
from atoll.tasks.schemas import KindCounts, KindName, Task, TaskEvents, TaskSummary
from atoll.tasks.service import TaskService
from atoll.web.conditional import IfMatch, etag
from atoll.web.dependencies import Cursor, Limit, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["tasks"])


async def task_service(session: Transaction) -> TaskService:
    """The rules of tasks, in this request's transaction."""
    return TaskService(session)


Service = Annotated[TaskService, Depends(task_service)]
Reader = Annotated[Caller, allowed(TASKS_READ, TASKS_READ_ALL)]


@router.get("/tasks", name="list")
async def tasks(
    service: Service,
    caller: Reader,
    kind: Annotated[list[KindName] | None, Query(description="Only these kinds")] = None,
    state: Annotated[list[State] | None, Query(description="Only these states")] = None,
    owner: Annotated[Literal["me", "all"], Query(description="`all` needs tasks:read_all")] = "me",
    virtual_cluster: Annotated[str | None, Query(max_length=63, description="Only of this name")] = None,
    words: Annotated[str | None, Query(max_length=128, description="In the name or description")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[TaskSummary]:
    """Tasks, newest first."""
    return await service.list(
        caller,
        kinds=kind,
        states=state,
        everybody=owner == "all",
        virtual_cluster=virtual_cluster,
        words=words,
        limit=limit,
        cursor=cursor,
    )


@router.get("/task-counts", name="count")
async def counts(
    service: Service,
    caller: Reader,
    owner: Annotated[Literal["me", "all"], Query(description="`all` needs tasks:read_all")] = "me",
    virtual_cluster: Annotated[str | None, Query(max_length=63, description="Only of this name")] = None,
) -> list[KindCounts]:
    """How many tasks of each kind are in each state; a kind without tasks is left out."""
    return await service.counts(caller, everybody=owner == "all", virtual_cluster=virtual_cluster)


@router.get("/tasks/{task_id}", name="read")
async def task(task_id: str, response: Response, service: Service, caller: Reader) -> Task:
    """A task in full."""
    return etag(response, await service.read(caller, task_id))


@router.post("/tasks/{task_id}/stop", status_code=202)
async def stop(
    task_id: str,
    response: Response,
    service: Service,
    caller: Annotated[Caller, allowed(TASKS_STOP, TASKS_STOP_ALL)],
    judge: JudgedAgain,
    if_match: IfMatch = None,
) -> Task:
    """Ask for a stop; asking twice is asking once."""
    found = await service.stop(caller, task_id, if_match)
    await judge(caller)
    return etag(response, found)


@router.delete("/tasks/{task_id}", status_code=204)
async def delete(
    task_id: str,
    service: Service,
    caller: Annotated[Caller, allowed(TASKS_DELETE)],
    judge: JudgedAgain,
    if_match: IfMatch = None,
) -> None:
    """Remove an ended task from all lists; its files stay in the owner's home."""
    await service.delete(caller, task_id, if_match)
    await judge(caller)


@router.get("/tasks/{task_id}/events", name="list_events")
async def events(task_id: str, service: Service, caller: Reader) -> TaskEvents:
    """The time line of states with durations, and every event."""
    return await service.events(caller, task_id)
