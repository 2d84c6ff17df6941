"""Requests and answers of sign-in and users."""

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints

from atoll.identity.permissions import Permission, Role
from atoll.web.schema import Moment, Schema

UserName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}[a-z0-9]$", min_length=2, max_length=32)]
Password = Annotated[SecretStr, Field(min_length=1, max_length=256)]
NewPassword = Annotated[SecretStr, Field(min_length=10, max_length=256, description="At least 10 characters")]


class UserReference(Schema):
    """A user as others see it."""

    id: str
    name: str
    nickname: str


class User(UserReference):
    """A user in full."""

    uid: int = Field(description="The POSIX uid of this user's processes and files")
    roles: list[Role]
    active: bool
    created_at: Moment


class SignIn(Schema):
    """Name and password."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    password: Password


class Session(Schema):
    """Who is signed in and what the portal may offer to them."""

    user: User
    permissions: list[Permission] = Field(description="Empty but for the password while it must be changed")
    must_change_password: bool
    expires_at: Moment


class PasswordChange(Schema):
    """The old and the new password."""

    current_password: Password
    new_password: NewPassword


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
