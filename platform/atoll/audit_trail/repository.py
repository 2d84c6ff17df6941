"""Every query about the rows themselves; with the accounts of their actors the domain `audit` reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.models import AuditRow


@dataclass(frozen=True, slots=True)
class OfActor:
    """How many rows an actor has, and how many of these were refused or failed."""

    actor_id: str | None
    rows: int
    refused: int


class AuditTrailRepository:
    """What was written down, whoever did it."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def count(self, row: AuditRow) -> None:
        """Add the row, or if it is there already, count once more in its details."""
        columns = [column.key for column in AuditRow.__table__.columns]
        added = insert(AuditRow).values({name: getattr(row, name) for name in columns})
        first = added.on_conflict_do_nothing(index_elements=["id"]).returning(AuditRow.id)
        if await self._session.scalar(first) is None:
            await self._session.execute(select(func.audit_count_again(row.id)))

    async def forget_old(self, before: datetime, at_once: int) -> int:
        """Remove rows that are older than `before` and than the database keeps them; the number of them."""
        return await self._session.scalar(select(func.audit_forget_old(before, at_once))) or 0

    async def are_more_than(self, number: int) -> bool:
        """Whether there are more rows than that; cheaper than counting them."""
        newest = select(AuditRow.id).order_by(AuditRow.id.desc())
        return await self._session.scalar(newest.offset(number).limit(1)) is not None

    async def of_actors(self) -> Sequence[OfActor]:
        """How many rows each actor has."""
        refused = func.count().filter(AuditRow.outcome != "done")
        query = select(AuditRow.actor_id, func.count(), refused).group_by(AuditRow.actor_id)
        return [OfActor(*row) for row in (await self._session.execute(query)).all()]

    async def forget_of(self, actor_id: str | None, number: int, *, refused: bool) -> int:
        """Remove the oldest rows of an actor, perhaps only refused ones, while there are too many; their number.

        Of nobody's refused ones (sign-ins that failed) those go first of whose address there are most.
        """
        if refused and actor_id is None:
            return await self._session.scalar(select(func.audit_forget_of_strangers(number))) or 0
        return await self._session.scalar(select(func.audit_forget_of(actor_id, number, refused))) or 0
