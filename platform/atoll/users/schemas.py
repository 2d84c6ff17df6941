"""Requests about accounts."""

from typing import Annotated

from pydantic import Field

from atoll.identity.permissions import Role
from atoll.identity.schemas import NewPassword, User, UserName
from atoll.web.schema import Schema


class Account(User):
    """A user as administrators see it."""

    must_change_password: bool = Field(description="The password was given by somebody else")
    version: int = Field(description="For If-Match")
    sessions: int = Field(description="Browsers and programs that are signed in")
    unfinished_tasks: int = Field(description="They go on when the account is disabled")


class UserDisable(Schema):
    """What becomes of the user's tasks."""

    stop_tasks: bool = Field(default=False, description="Else running tasks go on, and waiting ones start")


class OneTimePassword(Schema):
    """It is told this once and kept as a hash only; it must be changed at the first sign-in."""

    account: Account
    password: str


class UserCreate(Schema):
    """A new account; it gets the password that the administrator types and must change it at first sign-in."""

    name: UserName
    nickname: Annotated[str, Field(max_length=64)] = ""
    password: NewPassword
    roles: Annotated[list[Role], Field(min_length=1, default_factory=lambda: [Role.USER])]
    virtual_clusters: list[str] = Field(default_factory=list, description="Names of virtual clusters to join")

    def new_password_text(self) -> str:
        """The password itself, to be hashed at once."""
        return self.password.get_secret_value()
