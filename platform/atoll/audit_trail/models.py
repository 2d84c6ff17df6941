"""The table of who did what."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table


class AuditRow(Table):
    """One write, or one attempt at one. Rows are added and forgotten by functions alone.

    Lists go by id, newest first; so each index of what they are filtered by ends with it. `text_pattern_ops`: begins of
    words are looked for, too.
    """

    __tablename__ = "audit"
    __table_args__ = (
        Index("ix_audit_actor_id_at", "actor_id", "at"),
        Index("ix_audit_action_id", "action", "id", postgresql_ops={"action": "text_pattern_ops"}),
        Index("ix_audit_actor_name_id", "actor_name", "id", postgresql_ops={"actor_name": "text_pattern_ops"}),
        Index("ix_audit_address_id", "address", "id"),
        Index("ix_audit_object_id_id", "object_id", "id"),
        Index("ix_audit_not_done", "outcome", "id", postgresql_where=text("outcome <> 'done'")),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    actor_id: Mapped[str | None] = mapped_column(ForeignKey("users.id"))
    actor_name: Mapped[str]
    action: Mapped[str]
    object_kind: Mapped[str]
    object_id: Mapped[str]
    object_name: Mapped[str]
    outcome: Mapped[str]
    address: Mapped[str]
    request_id: Mapped[str]
    details: Mapped[dict[str, Any]]


Index(
    "ix_audit_object_name",
    func.lower(AuditRow.object_name).label("in_small_letters"),
    postgresql_ops={"in_small_letters": "text_pattern_ops"},
)
