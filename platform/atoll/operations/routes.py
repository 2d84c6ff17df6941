"""Operations: list, read, cancel, live view. They are started by the domains that offer them."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed, stream_of
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.operations.live import LiveOperations
from atoll.operations.models import OperationState
from atoll.operations.policy import OPERATIONS_CANCEL, OPERATIONS_READ
from atoll.operations.schemas import Operation, OperationDetails
from atoll.operations.service import OperationService
from atoll.web.dependencies import Configured, Cursor, Limit, Parts, Transaction
from atoll.web.events import EventStream, described
from atoll.web.schema import Page

router = APIRouter(tags=["operations"])
Reader = Annotated[Caller, allowed(OPERATIONS_READ)]
Whose = Annotated[Literal["me", "all"], Query(description="`all` needs operations:read_all")]


async def _service(session: Transaction, configuration: Configured) -> OperationService:
    return OperationService(session, configuration.operations)


Service = Annotated[OperationService, Depends(_service)]


@router.get("/operations", name="list")
async def operations(
    service: Service,
    caller: Reader,
    kind: Annotated[list[str] | None, Query(max_length=64, description="Only these kinds")] = None,
    state: Annotated[list[OperationState] | None, Query(description="Only these states")] = None,
    owner: Whose = "me",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[Operation]:
    """Long work of the platform, newest first."""
    return await service.list(caller, everybody=owner == "all", kinds=kind, states=state, limit=limit, cursor=cursor)


@router.get(
    "/operations/stream",
    name="stream",
    response_class=EventStream,
    responses=described({"hello": None, "operation": Operation}),
)
async def stream(request: Request, parts: Parts, caller: Reader, owner: Whose = "me") -> Response:
    """Every change of an operation as it happens. After (re)connecting (`hello`), read the list again."""
    events = LiveOperations(parts, caller, everybody=owner == "all").events()
    return stream_of(request, parts, caller, events)


@router.get("/operations/{operation_id}", name="read")
async def read(operation_id: str, service: Service, caller: Reader) -> OperationDetails:
    """An operation with its result and events."""
    return await service.get(caller, operation_id)


@router.post("/operations/{operation_id}/cancel", name="cancel")
async def cancel(
    operation_id: str, service: Service, caller: Annotated[Caller, allowed(OPERATIONS_CANCEL)], judge: JudgedAgain
) -> OperationDetails:
    """It shall not go on; what it left half done is removed."""
    found = await service.cancel(caller, operation_id)
    await judge(caller)
    return found
