"""Who did what."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from atoll.audit.export import AuditExport
from atoll.audit.filters import Asked
from atoll.audit.policy import AUDIT_READ
from atoll.audit.schemas import AuditActors, AuditRecord
from atoll.audit.service import AuditService
from atoll.identity.caller import Caller
from atoll.identity.dependencies import SentWhileSignedIn, allowed
from atoll.web.dependencies import Cursor, Limit, Parts, Transaction
from atoll.web.schema import Page
from atoll.web.spreadsheets import DESCRIBED

router = APIRouter(tags=["audit"])


async def _service(session: Transaction) -> AuditService:
    return AuditService(session)


Service = Annotated[AuditService, Depends(_service)]
Reader = Annotated[Caller, allowed(AUDIT_READ)]


@router.get("/audit", name="list")
async def audit(
    service: Service, _caller: Reader, filters: Asked, limit: Limit = 50, cursor: Cursor = None
) -> Page[AuditRecord]:
    """Every write and every refused one, newest first."""
    return await service.list(filters, limit=limit, cursor=cursor)


@router.get("/audit/actors", name="actors")
async def actors(
    service: Service,
    _caller: Reader,
    words: Annotated[str, Query(max_length=64, description="In the names of accounts; how others begin")] = "",
    limit: Limit = 20,
) -> AuditActors:
    """Who may have done something: accounts, and other names that stand in records."""
    return await service.actors(words, limit)


@router.get("/audit/{record_id}", name="read")
async def audit_record(record_id: str, service: Service, _caller: Reader) -> AuditRecord:
    """One record."""
    return await service.read(record_id)


@router.post("/audit/export", name="export", response_class=Response, responses=DESCRIBED)
async def export(request: Request, parts: Parts, caller: Reader, filters: Asked) -> Response:
    """All records that the filters select, newest first, as CSV; who takes them is a record of its own."""
    return SentWhileSignedIn(AuditExport(parts, caller, filters), request, parts, caller)
