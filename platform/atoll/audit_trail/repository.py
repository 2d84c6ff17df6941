"""Every query about the rows themselves; with the accounts of their actors the domain `audit` reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
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
        times = func.coalesce(AuditRow.details["times"].as_integer(), 1) + 1
        counted = AuditRow.details.concat(func.jsonb_build_object("times", times))
        await self._session.execute(added.on_conflict_do_update(index_elements=["id"], set_={"details": counted}))

    async def forget_old(self, before: datetime, at_once: int) -> int:
        """Remove rows that are older than `before`; the number of them."""
        # Ids are sorted by time: the oldest stand first, so that a batch ends where the young begin.
        oldest = select(AuditRow.id, AuditRow.at).order_by(AuditRow.id).limit(at_once)
        gone = [row.id for row in (await self._session.execute(oldest)).all() if row.at < before]
        await self._session.execute(delete(AuditRow).where(AuditRow.id.in_(gone)))
        return len(gone)

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
        """Remove the oldest rows of an actor, perhaps only refused ones; the number of them.

        Of nobody's refused ones (sign-ins that failed) those go first of whose address there are most.
        """
        theirs = select(AuditRow.id).where(AuditRow.actor_id.is_not_distinct_from(actor_id))
        if refused:
            theirs = theirs.where(AuditRow.outcome != "done")
        order: ColumnElement[Any] = AuditRow.id.asc()
        if refused and actor_id is None:
            newer_of_address = func.row_number().over(partition_by=AuditRow.address, order_by=AuditRow.id.desc())
            order = newer_of_address.desc()
        gone = (await self._session.scalars(theirs.order_by(order).limit(number))).all()
        await self._session.execute(delete(AuditRow).where(AuditRow.id.in_(gone)))
        return len(gone)
