"""Requests and answers of ways in."""

from typing import Annotated, Literal

from pydantic import Field

from atoll.identity.schemas import Nickname, Password, Session, UserName
from atoll.providers import WayName
from atoll.web.schema import Moment, Schema

Word = Annotated[str, Field(min_length=1, max_length=4096)]


class WayStarted(Schema):
    """Where the browser goes now."""

    address: str = Field(description="At the provider")
    state: str = Field(description="Comes back with the browser; whoever kept no such state did not begin this")


class WayLink(Schema):
    """Who links: whoever sits there knows the password, where the account has one."""

    password: Password | None = None


class WayReturn(Schema):
    """What the browser came back with: a code, or the provider's word for why there is none."""

    state: Word
    code: Word | None = None
    error: Annotated[str, Field(max_length=256)] | None = None
    issuer: Annotated[str, Field(max_length=512)] | None = Field(default=None, description="RFC 9207")


class NewAccount(Schema):
    """What an account could be called that somebody makes now."""

    name: str
    nickname: str
    label: str = Field(description="What they are called at the provider")


class WayReturned(Schema):
    """What has become of it."""

    outcome: Literal["signed_in", "unknown", "linked"]
    session: Session | None = Field(default=None, description="Of who is signed in now")
    account: NewAccount | None = Field(default=None, description="Of who is unknown, and may make an account now")


class WayRegistration(Schema):
    """The account that somebody makes for themselves; it may do nothing until an administrator gives it a role."""

    name: UserName
    nickname: Nickname


class Proofs(Schema):
    """By what the caller proves who sits there, before what opens other ways into the account."""

    fresh: bool = Field(description="Whether it was proven lately, so that it is not asked for again")
    links: bool = Field(description="Whether no password is asked for again before a further link either")
    minutes: int = Field(description="How long it counts")
    password: bool = Field(description="Whether the account has a password")
    ways: list[WayName] = Field(description="Linked ones that have people sign in anew")


class LinkedWay(Schema):
    """A way into an account."""

    way: WayName
    offered: bool = Field(description="Whether this installation has it")
    label: str | None = Field(description="What the user is called there; nothing while it is not linked")
    linked_at: Moment | None
    used_at: Moment | None


class WaysOfUser(Schema):
    """How somebody signs in."""

    password: bool = Field(description="Whether the account has a password")
    linkable: bool = Field(description="Whether it may be linked: the one that the installation made may not")
    ways: list[LinkedWay]
