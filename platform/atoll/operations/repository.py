"""Every query about operations. Those for callers are scoped: a foreign operation is not there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from atoll.database.claims import Claim, Claims
from atoll.database.notifications import DUE, OPERATIONS, notify
from atoll.identity.caller import Caller
from atoll.operations.models import ENDED, OperationEventRow, OperationRow, OperationState
from atoll.operations.policy import reads_all
from atoll.web.codes import ReasonCode


@dataclass(frozen=True)
class Change:
    """An operation that changed, and whose it is."""

    owner_id: str
    operation_id: str


def parse(payload: str) -> Change:
    """What `tell` told."""
    owner_id, _, operation_id = payload.partition(" ")
    return Change(owner_id, operation_id)


def visible(caller: Caller) -> ColumnElement[bool]:
    """Rows that the caller may know of."""
    return true() if reads_all(caller) else OperationRow.owner_id == caller.id


def _running(table: type[OperationRow]) -> ColumnElement[bool]:
    return table.lock_expires_at > func.clock_timestamp()


class OperationRepository:
    """Operations and their events."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, caller: Caller, operation_id: str, *, lock: bool = False) -> OperationRow | None:
        """An operation that the caller may know of."""
        query = select(OperationRow).where(OperationRow.id == operation_id, visible(caller))
        if lock:
            query = query.with_for_update(of=OperationRow)
        found: OperationRow | None = await self._session.scalar(query)
        return found

    async def of_anybody(self, operation_id: str) -> OperationRow | None:
        """An operation, whoever owns it: the caller of this has to judge who is told."""
        return await self._session.get(OperationRow, operation_id)

    async def page(
        self,
        caller: Caller,
        *,
        everybody: bool,
        kinds: Sequence[str] | None,
        states: Sequence[OperationState] | None,
        limit: int,
        after: str | None,
    ) -> Sequence[OperationRow]:
        """Operations, newest first."""
        query = select(OperationRow).where(visible(caller)).order_by(OperationRow.id.desc()).limit(limit)
        if not everybody:
            query = query.where(OperationRow.owner_id == caller.id)
        if kinds:
            query = query.where(OperationRow.kind.in_(kinds))
        if states:
            query = query.where(OperationRow.state.in_(states))
        if after is not None:
            query = query.where(OperationRow.id < after)
        return (await self._session.scalars(query)).all()

    async def events(self, operation: OperationRow) -> Sequence[OperationEventRow]:
        """All events of an operation, oldest first."""
        query = select(OperationEventRow).where(OperationEventRow.operation_id == operation.id)
        return (await self._session.scalars(query.order_by(OperationEventRow.id))).all()

    async def one_at_a_time(self, caller: Caller) -> None:
        """The caller's other requests for operations wait until this transaction ends, so that none counts past it."""
        await self._session.execute(select(func.lock_starts(caller.id)))

    async def waiting_of(self, caller: Caller) -> int:
        """Number of the caller's own operations that have not ended."""
        query = select(func.count()).select_from(OperationRow)
        query = query.where(OperationRow.owner_id == caller.id, OperationRow.state.not_in(ENDED))
        return await self._session.scalar(query) or 0

    async def created_before(self, caller: Caller, count: int) -> datetime | None:
        """When the `count`-th newest of the caller's own operations was made; None: there are less."""
        query = select(OperationRow.created_at).where(OperationRow.owner_id == caller.id)
        found: datetime | None = await self._session.scalar(
            query.order_by(OperationRow.id.desc()).offset(count - 1).limit(1)
        )
        return found

    async def add(self, row: OperationRow) -> OperationRow:
        """Keep a new one."""
        self._session.add(row)
        await self._session.flush()
        await self._session.refresh(row, ["owner"])
        return row

    async def take(
        self, claims: Claims[OperationRow], worker: str, at_once: Mapping[str, int], *, per_owner: int, altogether: int
    ) -> Claim | None:
        """An operation of a kind with less than `at_once` of it running, and of the owner whose turn it is.

        That is who has the fewest running, and of those who began one longest ago: whoever asks for a single one waits
        for one of each other, not for all that they ask for.
        """
        await self._session.execute(select(func.lock_turns()))
        query = select(OperationRow.kind, func.count()).where(_running(OperationRow)).group_by(OperationRow.kind)
        running = {row[0]: row[1] for row in (await self._session.execute(query)).all()}
        if sum(running.values()) >= altogether:
            return None
        other = aliased(OperationRow)
        of_owner = (
            select(func.count())
            .where(other.owner_id == OperationRow.owner_id, _running(other))
            .correlate(OperationRow)
            .scalar_subquery()
        )
        earlier = aliased(OperationRow)
        last_turn = (
            select(func.max(earlier.started_at))
            .where(earlier.owner_id == OperationRow.owner_id)
            .correlate(OperationRow)
            .scalar_subquery()
        )
        return await claims.take_in(
            self._session,
            worker,
            OperationRow.kind.in_([kind for kind, limit in at_once.items() if running.get(kind, 0) < limit]),
            of_owner < per_owner,
            first=(of_owner, last_turn.nulls_first()),
        )

    async def forget(self, before: datetime, most: int) -> int:
        """Remove operations that ended before then, with their events. Gives how many were there, at most `most`."""
        return await self._forget(OperationRow.finished_at < before, most)

    async def forget_too_many(self, kept: int, before: datetime, most: int) -> int:
        """Remove what ended before then beyond `kept` ended ones of its owner. Gives how many, at most `most`."""
        crowded = select(OperationRow.owner_id).group_by(OperationRow.owner_id).having(func.count() > kept)
        of_owner = func.row_number().over(
            partition_by=OperationRow.owner_id, order_by=(OperationRow.finished_at.desc(), OperationRow.id.desc())
        )
        ended = (
            select(OperationRow.id, OperationRow.finished_at, of_owner.label("place"))
            .where(OperationRow.owner_id.in_(crowded), OperationRow.finished_at.is_not(None))
            .subquery()
        )
        too_many = select(ended.c.id).where(ended.c.place > kept, ended.c.finished_at < before)
        return await self._forget(OperationRow.id.in_(too_many), most)

    async def _forget(self, which: ColumnElement[bool], most: int) -> int:
        done_with = select(OperationRow.id).where(
            which, OperationRow.finished_at.is_not(None), OperationRow.due_at.is_(None)
        )
        gone = await self._session.scalars(
            delete(OperationRow)
            .where(OperationRow.id.in_(done_with.limit(most).with_for_update(skip_locked=True)))
            .returning(OperationRow.id)
            .execution_options(synchronize_session=False)
        )
        return len(gone.all())

    async def tell(self, row: OperationRow, reason: ReasonCode | None = None, *, actor: str | None = None) -> None:
        """Write an event, and let everybody know who looks on."""
        if reason is not None:
            self._session.add(
                OperationEventRow(
                    operation_id=row.id,
                    state=row.state,
                    reason=reason.reason().model_dump(),
                    attempt=row.attempts,
                    actor=actor,
                )
            )
        await self._session.flush()
        await notify(self._session, OPERATIONS, f"{row.owner_id} {row.id}")

    async def wake(self, row: OperationRow) -> None:
        """Let `jobs` look at it."""
        await notify(self._session, DUE, f"operation {row.id}")
