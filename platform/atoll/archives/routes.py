"""Archives: start one. How far it is, its operation says."""

from typing import Annotated

from fastapi import APIRouter, Depends

from atoll.archives.policy import FILES_WRITE
from atoll.archives.schemas import ArchiveCreate
from atoll.archives.service import ArchiveService
from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.identity.rights.dependencies import JudgedAgain
from atoll.operations.schemas import Operation
from atoll.operations.service import OperationService
from atoll.web.dependencies import Configured, Transaction
from atoll.web.idempotency import IdempotencyKey

router = APIRouter(tags=["files"])


async def _service(session: Transaction, configuration: Configured) -> ArchiveService:
    return ArchiveService(OperationService(session, configuration.operations))


@router.post("/home/archives", name="create", status_code=202)
async def create(
    body: ArchiveCreate,
    service: Annotated[ArchiveService, Depends(_service)],
    caller: Annotated[Caller, allowed(FILES_WRITE)],
    judge: JudgedAgain,
    idempotency_key: IdempotencyKey = None,
) -> Operation:
    """Make a `.tar.gz` of a directory of the home; links in it stay links, other odd things are left out."""
    found = await service.create(caller, body, idempotency_key)
    await judge(caller)
    return found
