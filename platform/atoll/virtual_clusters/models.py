"""Tables of virtual clusters."""

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from atoll.database.base import Table, now
from atoll.database.identifiers import new_id
from atoll.identity.models import UserRow


class VirtualClusterRow(Table):
    """A named share of the cluster; `jobs` brings the engine up to it."""

    __tablename__ = "virtual_clusters"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(unique=True)
    max_hours: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    quotas: Mapped[list["QuotaRow"]] = relationship(lazy="selectin", order_by="QuotaRow.device_type")
    members: Mapped[list["MemberRow"]] = relationship(lazy="selectin")


class QuotaRow(Table):
    """Devices of one type in a virtual cluster."""

    __tablename__ = "virtual_cluster_quotas"
    __table_args__ = (CheckConstraint("count >= 0 AND max_per_user >= 0", name="not_negative"),)

    virtual_cluster_id: Mapped[str] = mapped_column(
        ForeignKey("virtual_clusters.id", ondelete="CASCADE"), primary_key=True
    )
    device_type: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]
    max_per_user: Mapped[int]


class MemberRow(Table):
    """A user of a virtual cluster."""

    __tablename__ = "virtual_cluster_members"

    virtual_cluster_id: Mapped[str] = mapped_column(
        ForeignKey("virtual_clusters.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    user: Mapped[UserRow] = relationship(lazy="joined", innerjoin=True)
