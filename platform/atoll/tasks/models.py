"""Tables of tasks, their attempts and events."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Identity, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from atoll.database.base import Table, now
from atoll.database.claims import Claimable
from atoll.identity.models import UserRow
from atoll.tasks.life_cycle import Mode, State, Wanted
from atoll.virtual_clusters.models import VirtualClusterRow


class TaskRow(Claimable):
    """A task. `wanted` is written by the API, `state` by whoever holds the claim."""

    __tablename__ = "tasks"
    __table_args__ = (
        Index("ix_tasks_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        Index("ix_tasks_owner", "owner_id", "id"),
        Index("ix_tasks_active", "virtual_cluster_id", "state"),
        Index("ix_tasks_unfinished", "virtual_cluster_id", "owner_id", postgresql_where=text("finished_at IS NULL")),
        Index("ix_tasks_removed", "deleted_at", postgresql_where=text("deleted_at IS NOT NULL")),
        # What is counted per kind and state is read of these and not of the rows.
        Index(
            "ix_tasks_counted_of_owner",
            "owner_id",
            "kind",
            "state",
            "virtual_cluster_id",
            postgresql_where=text("deleted_at IS NULL"),
        ),
        Index("ix_tasks_counted", "virtual_cluster_id", "kind", "state", postgresql_where=text("deleted_at IS NULL")),
    )

    name: Mapped[str]
    kind: Mapped[str]
    mode: Mapped[str] = mapped_column(default=Mode.BATCH)
    owner_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    virtual_cluster_id: Mapped[str] = mapped_column(ForeignKey("virtual_clusters.id"))
    framework: Mapped[str]
    device_type: Mapped[str | None]  # None: without devices, where there is no type to choose
    devices: Mapped[int]
    nodes: Mapped[int]
    definition: Mapped[dict[str, Any]]  # as its owner asked for it; only its domain reads it
    specification: Mapped[dict[str, Any]]  # as its engine gets it, but for the secrets
    # Until it has ended, and read by nobody but who hands it to the engine.
    secrets: Mapped[dict[str, Any] | None] = mapped_column(deferred=True)
    state: Mapped[str] = mapped_column(default=State.QUEUED)
    admitted: Mapped[bool] = mapped_column(server_default=text("true"))  # read where it is being stopped
    wanted: Mapped[str] = mapped_column(default=Wanted.RUN)
    reason: Mapped[dict[str, Any] | None]
    stop_reason: Mapped[dict[str, Any] | None]
    exit_code: Mapped[int | None]
    last_lines: Mapped[list[Any]] = mapped_column(default=list)
    progress: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    state_since: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)

    owner: Mapped[UserRow] = relationship(lazy="joined", innerjoin=True)
    virtual_cluster: Mapped[VirtualClusterRow] = relationship(lazy="joined", innerjoin=True)
    attempts: Mapped[list["AttemptRow"]] = relationship(lazy="selectin", order_by="AttemptRow.number")

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - SQLAlchemy reads it from the class


class AttemptRow(Table):
    """One execution of a task. Its id is the engine's key: submitting it twice is submitting it once."""

    __tablename__ = "attempts"
    __table_args__ = (UniqueConstraint("task_id", "number"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    number: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(default=now)
    submitted_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    collected_at: Mapped[datetime | None]
    replicas: Mapped[list["ReplicaRow"]] = relationship(lazy="selectin", order_by="ReplicaRow.rank")


class ReplicaRow(Table):
    """One process of an attempt."""

    __tablename__ = "replicas"

    attempt_id: Mapped[str] = mapped_column(ForeignKey("attempts.id", ondelete="CASCADE"), primary_key=True)
    rank: Mapped[int] = mapped_column(primary_key=True)
    pod: Mapped[str | None]
    node: Mapped[str | None] = mapped_column(index=True)
    devices: Mapped[list[Any] | None]
    state: Mapped[str]
    exit_code: Mapped[int | None]
    reason: Mapped[dict[str, Any] | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class EventRow(Table):
    """One moment in the life of a task."""

    __tablename__ = "task_events"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    task_id: Mapped[str] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"), index=True)
    at: Mapped[datetime] = mapped_column(default=now)
    kind: Mapped[str]
    state: Mapped[str | None]
    reason: Mapped[dict[str, Any]]
    attempt: Mapped[int | None]
    rank: Mapped[int | None]
    actor: Mapped[str | None]
