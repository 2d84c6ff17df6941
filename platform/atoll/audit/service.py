"""Reading the audit."""

import builtins
from typing import cast

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit.codes import NoSuchRecord
from atoll.audit.filters import Filters, Outcome
from atoll.audit.repository import AuditRepository
from atoll.audit.schemas import AuditActor, AuditActors, AuditRecord
from atoll.audit_trail.models import AuditRow
from atoll.identity.models import UserRow
from atoll.identity.schemas import UserReference
from atoll.web.errors import NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class AuditService:
    """What was done, newest first; the route lets only holders of audit:read in."""

    def __init__(self, session: AsyncSession) -> None:
        self._repository = AuditRepository(session)

    async def list(self, filters: Filters, *, limit: int, cursor: str | None) -> Page[AuditRecord]:
        """One page."""
        found = await self._repository.page(filters, limit=limit + 1, after=decode(cursor))
        rows, following = cut(found, limit, lambda row: row[0].id)
        return Page(items=[_record(row, actor) for row, actor in rows], next_cursor=following)

    async def read(self, record_id: str) -> AuditRecord:
        """One record. Raises NotFound."""
        found = await self._repository.one(record_id)
        if found is None:
            raise NotFound(NoSuchRecord())
        return _record(*found)

    async def actors(self, words: str, limit: int) -> AuditActors:
        """Accounts with these words in their names, and others in whose name something was recorded that begins so."""
        accounts = await self._repository.accounts(words, limit)
        found: builtins.list[AuditActor] = [AuditActor(name=row.name, nickname=row.nickname) for row in accounts]
        known = {each.name for each in found}
        # Among as many names there may be as many accounts; what is left over are the others.
        for name in await self._repository.names(words, 2 * limit) if words else ():
            if name not in known:
                found.append(AuditActor(name=name, nickname=""))
        return AuditActors(items=found[:limit])


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
        outcome=cast(Outcome, row.outcome),
        address=row.address,
        request_id=row.request_id,
        details=row.details,
    )
