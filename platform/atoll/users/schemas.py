"""Requests about accounts."""

from typing import Annotated

from pydantic import Field

from atoll.identity.permissions import Role
from atoll.identity.schemas import NewPassword, UserName
from atoll.web.schema import Schema


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
