"""The table of who did what."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table


class AuditRow(Table):
    """One write, or one attempt at one. Rows are added and forgotten by functions alone."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_actor_id_at", "actor_id", "at"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    actor_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    actor_name: Mapped[str]
    action: Mapped[str] = mapped_column(index=True)
    object_kind: Mapped[str]
    object_id: Mapped[str]
    object_name: Mapped[str]
    outcome: Mapped[str]
    address: Mapped[str]
    request_id: Mapped[str]
    details: Mapped[dict[str, Any]]
