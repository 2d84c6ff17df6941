"""Tables of users and sessions."""

from datetime import datetime

from sqlalchemy import CheckConstraint, FetchedValue, ForeignKey, Identity, Index, String, UniqueConstraint
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from atoll.database.base import Table, now
from atoll.database.identifiers import new_id
from atoll.identity.permissions import Role

FIRST_UID = 30001
# Of nobody: the kernel's for whom it has no number for, and what 16 bits have for none at all.
NO_UIDS = (65534, 65535)
NO_UID_LEFT = "AT001"  # the database's code for it


class UserRow(Table):
    """An account. Rows are never deleted and the database gives each the smallest uid above all that were given, when
    the row is added: so no uid is ever used twice, and none is used up by rows that come to nothing (migration 0017).
    """

    __tablename__ = "users"
    __table_args__ = (CheckConstraint(f"uid >= {FIRST_UID} AND uid NOT IN {NO_UIDS}", name="uid"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(unique=True)
    nickname: Mapped[str] = mapped_column(default="")
    uid: Mapped[int] = mapped_column(server_default=FetchedValue(), unique=True)
    # Read where a password is checked, and nowhere else: `jobs` may not.
    password_hash: Mapped[str] = mapped_column(deferred=True)
    must_change_password: Mapped[bool] = mapped_column(default=True)
    roles: Mapped[list[str]] = mapped_column(ARRAY(String))
    active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    version: Mapped[int] = mapped_column(default=1)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - SQLAlchemy reads it from the class

    @property
    def role_set(self) -> frozenset[Role]:
        """The roles as the table of permissions knows them."""
        return frozenset(Role(role) for role in self.roles)


class SessionRow(Table):
    """A sign-in. Only a hash of the cookie is kept: who reads the table cannot use it."""

    __tablename__ = "sessions"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime] = mapped_column(index=True)
    address: Mapped[str] = mapped_column(default="")
    user: Mapped[UserRow] = relationship(lazy="joined", innerjoin=True)


class KnownDeviceRow(Table):
    """A browser that a user signed in with before: guesses from elsewhere do not lock it out. It opens nothing."""

    __tablename__ = "known_devices"
    __table_args__ = (UniqueConstraint("token_hash", "user_id"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    token_hash: Mapped[str]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    seen_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class SignInAttemptRow(Table):
    """A sign-in under a key: failed ones per name, address and known device, others per name; kept while it counts."""

    __tablename__ = "sign_in_failures"
    __table_args__ = (Index("ix_sign_in_failures_key_at", "key", "at"),)

    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    key: Mapped[str]
    at: Mapped[datetime] = mapped_column(default=now)
