"""Tables that all parts have in common."""

from datetime import datetime

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table, now


class IdempotencyRow(Table):
    """What a request with a key made."""

    __tablename__ = "idempotency_keys"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    request_hash: Mapped[str]
    object_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)
