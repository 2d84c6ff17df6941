"""Reading the audit."""

from typing import Literal, cast

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit.repository import AuditRepository
from atoll.audit.schemas import AuditRecord
from atoll.audit_trail.models import AuditRow
from atoll.identity.models import UserRow
from atoll.identity.schemas import UserReference
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class AuditService:
    """What was done, newest first; the route lets only holders of audit:read in."""

    def __init__(self, session: AsyncSession) -> None:
        self._repository = AuditRepository(session)

    async def list(self, *, actor: str | None, action: str | None, limit: int, cursor: str | None) -> Page[AuditRecord]:
        """One page."""
        found = await self._repository.page(actor=actor, action=action, limit=limit + 1, after=decode(cursor))
        rows, following = cut(found, limit, lambda row: row[0].id)
        return Page(items=[_record(row, actor) for row, actor in rows], next_cursor=following)


def _record(row: AuditRow, actor: UserRow | None) -> AuditRecord:
    return AuditRecord(
        id=row.id,
        at=row.at,
        actor=UserReference.model_validate(actor) if actor is not None else None,
        actor_name=row.actor_name,
        action=row.action,
        object_kind=row.object_kind,
        object_id=row.object_id,
        object_name=row.object_name,
        outcome=cast(Literal["done", "denied", "failed"], row.outcome),
        address=row.address,
        request_id=row.request_id,
        details=row.details,
    )
