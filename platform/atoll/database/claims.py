"""Who works on which row: an owner, an expiry and a fence, so any number of replicas may run and any may die.

One mechanism for all work of `jobs`: a table whose rows are worked on is `Claimable`, and `Claims` of that table takes
rows that are due (`FOR UPDATE SKIP LOCKED`), renews leases and gives rows back. Every claim raises the row's fence, so
a worker that slept through its lease is told from the one that took over, even when both have the same name: what is
written under `hold` is written by the holder or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from sqlalchemy import BigInteger, ColumnElement, case, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table, now
from atoll.database.connection import Sessions
from atoll.database.identifiers import new_id

LEASE = timedelta(seconds=60)


class ClaimLost(Exception):
    """The lease expired while the work was done and another worker took over."""


class Claimable(Table):
    """A row that is worked on. `due_at` says when, None: not at all; the lock says who does it and until when."""

    __abstract__ = True

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    lock_owner: Mapped[str | None]
    lock_expires_at: Mapped[datetime | None]
    fence: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")


Row = TypeVar("Row", bound=Claimable)


@dataclass(frozen=True)
class Claim:
    """A row that is ours until the lease ends. `due_at` tells whether it became due again meanwhile."""

    id: str
    due_at: datetime
    owner: str
    fence: int


class Claims(Generic[Row]):
    """The claims on the rows of one table."""

    def __init__(self, sessions: Sessions, table: type[Row], lease: timedelta = LEASE) -> None:
        self._sessions = sessions
        self._table = table
        self.lease = lease

    async def take(self, owner: str) -> Claim | None:
        """The row that has been due longest, None when there is none."""
        async with self._sessions() as session, session.begin():
            return await self.take_in(session, owner)

    async def take_in(
        self, session: AsyncSession, owner: str, *only: ColumnElement[bool], first: Sequence[ColumnElement[Any]] = ()
    ) -> Claim | None:
        """As `take`, of those for which `only` holds, by `first`; ours once the transaction of `session` ends."""
        table = self._table
        due = (
            select(table.id)
            .where(table.due_at <= func.now(), or_(table.lock_expires_at.is_(None), table.lock_expires_at < func.now()))
            .where(*only)
            .order_by(*first, table.due_at)
            .limit(1)
            .with_for_update(skip_locked=True)
            .scalar_subquery()
        )
        statement = (
            update(table)
            .where(table.id == due)
            .values(lock_owner=owner, lock_expires_at=func.now() + self.lease, fence=table.fence + 1)
            .returning(table.id, table.due_at, table.fence)
            .execution_options(synchronize_session=False)
        )
        row = (await session.execute(statement)).first()
        return None if row is None or row[1] is None else Claim(row[0], row[1], owner, row[2])

    async def take_over(self, identifier: str, owner: str) -> Claim:
        """The row, whoever has it: they lose it, once what they write under `hold` is written."""
        table = self._table
        statement = (
            update(table)
            .where(table.id == identifier)
            .values(lock_owner=owner, lock_expires_at=func.clock_timestamp() + self.lease, fence=table.fence + 1)
            .returning(table.due_at, table.fence)
            .execution_options(synchronize_session=False)
        )
        async with self._sessions() as session, session.begin():
            due_at, fence = (await session.execute(statement)).one()
        return Claim(identifier, due_at or now(), owner, fence)

    async def renew(self, claim: Claim) -> None:
        """Begin the lease anew. Raises ClaimLost."""
        await self._write(claim, {"lock_expires_at": func.clock_timestamp() + self.lease})

    async def give_back(self, claim: Claim, next_due: datetime | None, **also: Any) -> None:
        """Let go of it, and write `also`; a wake-up that came meanwhile wins over `next_due`. Raises ClaimLost."""
        due_at = case((self._table.due_at == claim.due_at, next_due), else_=self._table.due_at)
        await self._write(claim, {"lock_owner": None, "lock_expires_at": None, "due_at": due_at, **also})

    async def _write(self, claim: Claim, values: dict[str, Any]) -> None:
        async with self._sessions() as session, session.begin():
            written = await session.scalar(
                update(self._table)
                .where(*self._held(claim))
                .values(**values)
                .returning(self._table.id)
                .execution_options(synchronize_session=False)
            )
        if written is None:
            raise ClaimLost(claim.id)

    async def wake(self, which: ColumnElement[bool]) -> None:
        """The rows for which `which` holds are due now."""
        async with self._sessions() as session, session.begin():
            await session.execute(
                update(self._table)
                .where(which)
                .values(due_at=func.clock_timestamp())
                .execution_options(synchronize_session=False)
            )

    async def next_due(self) -> datetime | None:
        """When the next row becomes due or its lease ends."""
        table = self._table
        async with self._sessions() as session:
            moment: datetime | None = await session.scalar(
                select(func.min(func.greatest(table.due_at, table.lock_expires_at))).where(table.due_at.is_not(None))
            )
            return moment

    async def hold(self, session: AsyncSession, claim: Claim) -> Row:
        """The row, locked until the transaction of `session` ends. Raises ClaimLost."""
        row: Row | None = await session.scalar(
            select(self._table).where(*self._held(claim)).with_for_update(of=self._table)
        )
        if row is None:
            raise ClaimLost(claim.id)
        return row

    def _held(self, claim: Claim) -> tuple[ColumnElement[bool], ...]:
        """The row is there and nobody took it over."""
        return (
            self._table.id == claim.id,
            self._table.lock_owner == claim.owner,
            self._table.fence == claim.fence,
        )


async def say_something(session: AsyncSession) -> None:
    """So that the database does not take the transaction for one that was forgotten."""
    await session.execute(select(1))
