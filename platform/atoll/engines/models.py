"""What `jobs` last saw of each machine."""

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table, now


class NodeRow(Table):
    """A machine as the engine reports it."""

    __tablename__ = "nodes"

    name: Mapped[str] = mapped_column(primary_key=True)
    observation: Mapped[dict[str, Any]]
    seen_at: Mapped[datetime] = mapped_column(default=now)
