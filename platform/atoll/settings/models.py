"""The table of what people set."""

from typing import Literal

from sqlalchemy import CheckConstraint, ForeignKey, String, text
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table

Language = Literal["en", "zh-CN"]
Appearance = Literal["light", "dark", "system"]
LEAST_REFRESH_S, USUAL_REFRESH_S, MOST_REFRESH_S = 5, 15, 3600
FIRST_VERSION = 1  # also of what nobody has set yet


class UserSettingsRow(Table):
    """One user's settings; who never set anything has no row. The virtual cluster need not be theirs any more.

    None of `language`, `appearance` and `time_zone` (an IANA name): as each browser has it.
    """

    __tablename__ = "user_settings"
    __table_args__ = (
        CheckConstraint(f"refresh_s BETWEEN {LEAST_REFRESH_S} AND {MOST_REFRESH_S}", name="refresh_within_bounds"),
        CheckConstraint("language IN ('en', 'zh-CN')", name="language_is_known"),
        CheckConstraint("appearance IN ('light', 'dark', 'system')", name="appearance_is_known"),
    )

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    virtual_cluster_id: Mapped[str | None] = mapped_column(ForeignKey("virtual_clusters.id", ondelete="SET NULL"))
    refresh_s: Mapped[int] = mapped_column(default=USUAL_REFRESH_S)
    language: Mapped[Language | None] = mapped_column(String())
    appearance: Mapped[Appearance | None] = mapped_column(String())
    time_zone: Mapped[str | None]
    privileged_jobs: Mapped[bool] = mapped_column(server_default=text("false"), default=False)
    version: Mapped[int] = mapped_column(default=FIRST_VERSION)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - SQLAlchemy reads it from the class
