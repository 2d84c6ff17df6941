"""Tables of linked accounts at providers, and of what is under way."""

from datetime import datetime

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table, now
from atoll.database.identifiers import new_id


class LinkRow(Table):
    """Whoever an issuer calls `subject` is this user. That of a deleted account stays: who was shut out stays out."""

    __tablename__ = "way_in_links"
    __table_args__ = (UniqueConstraint("issuer", "subject"), UniqueConstraint("user_id", "way"))

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"))
    way: Mapped[str]
    issuer: Mapped[str]
    subject: Mapped[str]
    # What the user is called there, to be told apart; it proves nothing, and nobody is found by it.
    label: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    used_at: Mapped[datetime] = mapped_column(default=now)


def linked(user_id: str, way: str, issuer: str, subject: str, label: str) -> LinkRow:
    """A link that is new."""
    return LinkRow(user_id=user_id, way=way, issuer=issuer, subject=subject, label=label)


class FlowRow(Table):
    """Somebody was sent to a provider. It is good once, for the browser that was sent, and of both only hashes stay."""

    __tablename__ = "way_in_flows"

    state_hash: Mapped[str] = mapped_column(primary_key=True)
    browser_hash: Mapped[str]
    way: Mapped[str]
    nonce: Mapped[str]
    verifier: Mapped[str]
    # Who links, or proves who they are: the one who was signed in then. Nobody: who signs in.
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    proves: Mapped[bool] = mapped_column(default=False)
    site: Mapped[str] = mapped_column(index=True)
    begun_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class StrangerRow(Table):
    """Somebody came back whom no account is linked with, and may make one, in that browser."""

    __tablename__ = "way_in_strangers"

    browser_hash: Mapped[str] = mapped_column(primary_key=True)
    way: Mapped[str]
    issuer: Mapped[str]
    subject: Mapped[str]
    label: Mapped[str]
    expires_at: Mapped[datetime] = mapped_column(index=True)
