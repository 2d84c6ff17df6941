"""Tables of users, of what they may do, and of sessions."""

from datetime import datetime

from sqlalchemy import CheckConstraint, FetchedValue, ForeignKey, Identity, Index, String, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column, relationship

from atoll.database.base import Table, now
from atoll.database.identifiers import new_id

FIRST_UID = 30001
# Of nobody: the kernel's for whom it has no number for, and what 16 bits have for none at all.
NO_UIDS = (65534, 65535)
NO_UID_LEFT = "AT001"  # the database's code for it
CONTACT = "contact"


class UserRow(Table):
    """An account. Rows are never deleted and the database gives each the smallest uid above all that were given, when
    the row is added: so no uid is ever used twice, and none is used up by rows that come to nothing (migration 0017).

    One that was deleted is kept for its name and uid, which nobody gets again, and for what names it.
    """

    __tablename__ = "users"
    __table_args__ = (
        CheckConstraint(f"uid >= {FIRST_UID} AND uid NOT IN {NO_UIDS}", name="uid"),
        # Letters in the middle of what people look for users by (migration 0025).
        Index("ix_users_words", text("grams(ARRAY[name, nickname, email, phone])"), postgresql_using="gin"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str] = mapped_column(unique=True)
    nickname: Mapped[str] = mapped_column(default="")
    uid: Mapped[int] = mapped_column(server_default=FetchedValue(), unique=True)
    # Read where a password is checked, and nowhere else: `jobs` may not.
    password_hash: Mapped[str] = mapped_column(deferred=True)
    must_change_password: Mapped[bool] = mapped_column(default=True)
    # Nobody but administrators and the user reads these: `jobs` may not.
    phone: Mapped[str] = mapped_column(default="", server_default="", deferred=True, deferred_group=CONTACT)
    email: Mapped[str] = mapped_column(default="", server_default="", deferred=True, deferred_group=CONTACT)
    active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    deleted_at: Mapped[datetime | None]
    version: Mapped[int] = mapped_column(default=1)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - SQLAlchemy reads it from the class


class RoleRow(Table):
    """What its holders may do: kinds of permissions, and names of single ones. Nobody changes a preset one."""

    __tablename__ = "roles"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str]
    # The name, however it is written: no other role has it, and lists go by it.
    name_key: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str] = mapped_column(default="")
    preset: Mapped[bool] = mapped_column(default=False)
    grants: Mapped[list[str]] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime] = mapped_column(default=now)
    version: Mapped[int] = mapped_column(default=1)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012


class UserRoleRow(Table):
    """A role that was given to a user."""

    __tablename__ = "user_roles"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    role_id: Mapped[str] = mapped_column(ForeignKey("roles.id", ondelete="CASCADE"), primary_key=True, index=True)


class GroupRow(Table):
    """Users who hold roles together."""

    __tablename__ = "groups"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    description: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    version: Mapped[int] = mapped_column(default=1)

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012


class GroupMemberRow(Table):
    """A user in a group."""

    __tablename__ = "group_members"

    group_id: Mapped[str] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)


class GroupRoleRow(Table):
    """A role that all in a group hold."""

    __tablename__ = "group_roles"

    group_id: Mapped[str] = mapped_column(ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True)
    role_id: Mapped[str] = mapped_column(ForeignKey("roles.id", ondelete="CASCADE"), primary_key=True, index=True)


class SessionRow(Table):
    """A sign-in. Only a hash of the cookie is kept: who reads the table cannot use it."""

    __tablename__ = "sessions"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    # By which its user names it: the hash is nobody's business.
    id: Mapped[str] = mapped_column(unique=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime] = mapped_column(index=True)
    device: Mapped[str] = mapped_column(default="")
    # Where it was seen last and when; written once a minute at most.
    address: Mapped[str] = mapped_column(default="")
    # By which way beside the password it was begun: empty for the password, None where that was not kept (before 0029).
    way: Mapped[str | None] = mapped_column(default="")
    last_seen_at: Mapped[datetime] = mapped_column(default=now)
    # When who sits there proved last that it is they: by the password, or by signing in anew at a provider.
    proven_at: Mapped[datetime | None]
    user: Mapped[UserRow] = relationship(lazy="joined", innerjoin=True)


class AccessTokenRow(Table):
    """What a user made for a program to ask by. Only a digest is kept; `grants` is the scope, as roles have it."""

    __tablename__ = "access_tokens"

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    grants: Mapped[list[str]] = mapped_column(ARRAY(String))
    read_only: Mapped[bool]
    # By which way the session was begun in which it was made, as sessions have it.
    way: Mapped[str | None] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime] = mapped_column(index=True)
    last_used_at: Mapped[datetime | None]
    last_used_address: Mapped[str] = mapped_column(default="")


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
