"""The table of who did what."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table, now
from atoll.database.identifiers import new_id


class AuditRow(Table):
    """One write, or one attempt at one. Rows are only added, and forgotten when they are old."""

    __tablename__ = "audit"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    at: Mapped[datetime] = mapped_column(default=now)
    actor_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"), index=True)
    actor_name: Mapped[str]
    action: Mapped[str] = mapped_column(index=True)
    object_kind: Mapped[str]
    object_id: Mapped[str]
    object_name: Mapped[str]
    outcome: Mapped[str]
    address: Mapped[str]
    request_id: Mapped[str]
    details: Mapped[dict[str, Any]]
