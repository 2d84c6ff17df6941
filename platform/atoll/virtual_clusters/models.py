"""Tables of virtual clusters."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from atoll.database.base import Table, now
from atoll.database.identifiers import new_id


class Standing(StrEnum):
    """How far the engine has followed what is wanted of a virtual cluster."""

    PREPARING = "preparing"  # the engine may still have more of it than is wanted: nothing new is handed to it
    READY = "ready"
    DELETING = "deleting"  # it is nobody's any more, and the engine still has something of it


class PodSecurity(StrEnum):
    """What pods there may be, as the Pod Security Standards of Kubernetes have it."""

    RESTRICTED = "restricted"  # nobody is root
    BASELINE = (
        "baseline"  # beside that, in a name space of their own, members' privileged jobs: root of their container
    )


class VirtualClusterRow(Table):
    """A named share of the cluster; `jobs` brings the engine up to it.

    `version` counts what is wanted of it (not its members), so that edits of what was read are told from others, and
    `jobs` confirms just what it has brought to the engine. A row outlives its virtual cluster: tasks of before name it.
    """

    __tablename__ = "virtual_clusters"
    __table_args__ = (
        Index("uq_virtual_clusters_present_name", "name", unique=True, postgresql_where=text("deleted_at IS NULL")),
        CheckConstraint("pod_security IN ('restricted', 'baseline')", name="pod_security_is_a_level"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str]
    max_hours: Mapped[int | None]
    # Whether its members may hold idle devices of others, beyond its own; who needs them gets them back.
    borrows: Mapped[bool] = mapped_column(default=False)
    standing: Mapped[str] = mapped_column(default=Standing.PREPARING)
    created_at: Mapped[datetime] = mapped_column(default=now)
    deleted_at: Mapped[datetime | None]  # the engine has confirmed that nothing of it is left; its name is free again
    version: Mapped[int] = mapped_column(default=1)
    pod_security: Mapped[str] = mapped_column(default=PodSecurity.RESTRICTED)
    egress: Mapped[list[Any]] = mapped_column(default=list)  # `networks.Opening`
    quotas: Mapped[list["QuotaRow"]] = relationship(
        lazy="selectin", order_by="QuotaRow.device_type", cascade="all, delete-orphan"
    )


class QuotaRow(Table):
    """Devices of one type in a virtual cluster."""

    __tablename__ = "virtual_cluster_quotas"
    __table_args__ = (CheckConstraint("max_per_user >= 0 AND max_per_user <= count", name="within_the_count"),)

    virtual_cluster_id: Mapped[str] = mapped_column(
        ForeignKey("virtual_clusters.id", ondelete="CASCADE"), primary_key=True
    )
    device_type: Mapped[str] = mapped_column(primary_key=True)
    count: Mapped[int]
    max_per_user: Mapped[int]


class MemberRow(Table):
    """A user who was added to a virtual cluster; who is a member in effect, `membership` says."""

    __tablename__ = "virtual_cluster_members"

    virtual_cluster_id: Mapped[str] = mapped_column(
        ForeignKey("virtual_clusters.id", ondelete="CASCADE"), primary_key=True
    )
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)


class ClusterGroupRow(Table):
    """A group that was added to a virtual cluster: all who are in it are members, as long as they are."""

    __tablename__ = "virtual_cluster_groups"

    virtual_cluster_id: Mapped[str] = mapped_column(
        ForeignKey("virtual_clusters.id", ondelete="CASCADE"), primary_key=True
    )
    group_id: Mapped[str] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True, index=True)
