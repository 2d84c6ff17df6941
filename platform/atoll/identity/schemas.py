"""Requests and answers of sign-in and users."""

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints, WithJsonSchema

from atoll.identity.permissions import Role
from atoll.web.schema import Moment, Schema

# Installer and nodes name accounts by the same pattern; tests/unit/contracts holds them together.
UserName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}[a-z0-9]$", min_length=2, max_length=32)]
Password = Annotated[SecretStr, Field(min_length=1, max_length=256)]
PermissionName = Annotated[str, WithJsonSchema({"$ref": "#/components/schemas/Permission"})]
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


class DeviceTypeName(Schema):
    """What people call a device type, wherever an answer names it by `type`."""

    type: str
    title: str = Field(description="Beside it the architecture is told")
    card: str = Field(description="One card, for example GPU")
    arch: str


class Session(Schema):
    """Who is signed in and what the portal may offer to them."""

    user: User
    permissions: list[PermissionName] = Field(description="Empty but for the password while it must be changed")
    must_change_password: bool
    device_types: list[DeviceTypeName]
    expires_at: Moment


class PasswordChange(Schema):
    """The old and the new password."""

    current_password: Password
    new_password: NewPassword
