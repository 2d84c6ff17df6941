"""Tables of operations and their events."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from atoll.database.base import Table, now
from atoll.database.claims import Claimable
from atoll.identity.models import UserRow


class OperationState(StrEnum):
    """Where an operation is. The last three are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


ENDED = frozenset({OperationState.FINISHED, OperationState.FAILED, OperationState.CANCELLED})


class OperationRow(Claimable):
    """An operation. `cancel_wanted` is written by the API; all else, once it is claimed, by whoever holds the claim."""

    __tablename__ = "operations"
    __table_args__ = (
        Index("ix_operations_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        Index("ix_operations_owner", "owner_id", "id"),
        Index("ix_operations_finished", "finished_at", postgresql_where=text("finished_at IS NOT NULL")),
        Index("ix_operations_turns", "owner_id", "started_at"),
    )

    kind: Mapped[str]
    name: Mapped[str]
    owner_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    parameters: Mapped[dict[str, Any]]
    state: Mapped[str] = mapped_column(default=OperationState.QUEUED)
    # The end it goes to while what it left behind is removed: written first, so that a kill in between changes nothing.
    ending: Mapped[str | None]
    progress: Mapped[float] = mapped_column(default=0.0)
    message: Mapped[dict[str, Any] | None]
    reason: Mapped[dict[str, Any] | None]
    result: Mapped[dict[str, Any] | None]
    checkpoint: Mapped[dict[str, Any] | None]
    cancel_wanted: Mapped[bool] = mapped_column(default=False)
    attempts: Mapped[int] = mapped_column(default=0)
    # Attempts in a row that ended with their process and brought nothing, and those that waited for another part.
    fruitless: Mapped[int] = mapped_column(default=0, server_default="0")
    waits: Mapped[int] = mapped_column(default=0, server_default="0")
    created_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]

    owner: Mapped[UserRow] = relationship(lazy="joined", innerjoin=True)


class OperationEventRow(Table):
    """One moment in the life of an operation."""

    __tablename__ = "operation_events"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    operation_id: Mapped[str] = mapped_column(ForeignKey("operations.id", ondelete="CASCADE"), index=True)
    at: Mapped[datetime] = mapped_column(default=now)
    state: Mapped[str]
    reason: Mapped[dict[str, Any]]
    attempt: Mapped[int]
    actor: Mapped[str | None]
