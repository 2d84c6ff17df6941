"""Who did what."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from atoll.audit.policy import AUDIT_READ
from atoll.audit.schemas import AuditRecord
from atoll.audit.service import AuditService
from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed
from atoll.web.dependencies import Cursor, Limit, Transaction
from atoll.web.schema import Page

router = APIRouter(tags=["audit"])


async def _service(session: Transaction) -> AuditService:
    return AuditService(session)


@router.get("/audit", name="list")
async def audit(
    service: Annotated[AuditService, Depends(_service)],
    _caller: Annotated[Caller, allowed(AUDIT_READ)],
    actor: Annotated[str | None, Query(max_length=64, description="Name of the user")] = None,
    action: Annotated[str | None, Query(max_length=64, description="For example task.create")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[AuditRecord]:
    """Every write and every refused one, newest first."""
    return await service.list(actor=actor, action=action, limit=limit, cursor=cursor)
