"""Accounts over the wire."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from atoll.identity.rights.schemas import Identifiers, SomeIdentifiers
from atoll.identity.schemas import GroupReference, NewPassword, Nickname, User, UserName, VirtualClusterReference
from atoll.providers import WayName
from atoll.web.schema import Schema

MOST_OF_BATCH = 10
# Empty: it is not known.
_PHONE = re.compile(r"[+]?[0-9][0-9 ()./-]*")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+[.][^@\s.]+")


def _phone(given: str) -> str:
    if given and not _PHONE.fullmatch(given):
        raise PydanticCustomError("no_phone", "not a phone number")
    return given


def _email(given: str) -> str:
    if given and not _EMAIL.fullmatch(given):
        raise PydanticCustomError("no_email", "not an e-mail address")
    return given


Phone = Annotated[str, StringConstraints(strip_whitespace=True, max_length=32), AfterValidator(_phone)]
Email = Annotated[str, StringConstraints(strip_whitespace=True, max_length=254), AfterValidator(_email)]
ClusterNames = Annotated[
    list[Annotated[str, StringConstraints(max_length=64)]],
    Field(max_length=100, description="Names of virtual clusters to join"),
]


class Account(User):
    """A user as administrators see it."""

    groups: list[GroupReference]
    virtual_clusters: list[VirtualClusterReference] = Field(description="Those that this user is a member of")
    protected: bool = Field(description="The account of the installation: only its password can be changed")
    must_change_password: bool = Field(description="The password was given by somebody else")
    version: int = Field(description="For If-Match")
    sessions: int = Field(description="Browsers and programs that are signed in")
    access_tokens: int = Field(description="Access tokens that have not ended")
    unfinished_tasks: int = Field(description="They go on when the account is disabled")
    home: str = Field(description="Where the files are on the storage; they stay when the account is deleted")


class UserDisable(Schema):
    """What becomes of the user's tasks."""

    stop_tasks: bool = Field(default=False, description="Else running tasks go on, and waiting ones start")


class UserDelete(Schema):
    """What becomes of the user's tasks."""

    stop_tasks: bool = Field(default=False, description="Else nothing is deleted while there are any")


class PasswordReset(Schema):
    """What else leads into the account."""

    end_links: bool = Field(
        default=True, description="Links with providers end, too; else whoever linked the account signs in as before"
    )


class OneTimePassword(Schema):
    """It is told this once and kept as a hash only; it must be changed at the first sign-in."""

    account: Account
    password: str
    ways: list[WayName] = Field(description="The ways in whose links were ended")


class Person(Schema):
    """Somebody who gets an account."""

    name: UserName
    nickname: Nickname
    phone: Phone = ""
    email: Email = ""


class NewUser(Person):
    """Somebody who gets an account, with the password that the administrator types: it must be changed at first."""

    password: NewPassword

    def new_password_text(self) -> str:
        """The password itself, to be hashed at once."""
        return self.password.get_secret_value()


class UserCreate(NewUser):
    """A new account."""

    roles: SomeIdentifiers
    groups: Identifiers = Field(default_factory=list)
    virtual_clusters: ClusterNames = Field(default_factory=list)


class UsersCreate(Schema):
    """Several new accounts, which have the same rights; all are made, or none."""

    users: Annotated[list[NewUser], Field(min_length=1, max_length=MOST_OF_BATCH)]
    roles: SomeIdentifiers
    groups: Identifiers = Field(default_factory=list)
    virtual_clusters: ClusterNames = Field(default_factory=list)


class UsersCreated(Schema):
    """The accounts that were made."""

    items: list[Account]


class UserUpdate(Schema):
    """What is to be different; what is left out stays."""

    nickname: Nickname | None = None
    phone: Phone | None = None
    email: Email | None = None


class UserRoles(Schema):
    """All roles that the user is to have; with none, and none by a group, nothing can be done but sign in."""

    roles: Identifiers


class UserGroups(Schema):
    """All groups in which the user is to be."""

    groups: Identifiers


class UserManagement(Schema):
    """How much there is to be managed."""

    users: int
    waiting: int = Field(description="Users of these who can sign in, and whom nobody gave any rights yet")
    groups: int
    roles: int
