"""Requests and answers of sign-in and users."""

from typing import Annotated

from pydantic import Field, SecretStr, StringConstraints, WithJsonSchema

from atoll.web.schema import Moment, Schema

# Installer and nodes name accounts by the same pattern; tests/unit/contracts holds them together.
UserName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,30}[a-z0-9]$", min_length=2, max_length=32)]
Password = Annotated[SecretStr, Field(min_length=1, max_length=256)]
PermissionName = Annotated[str, WithJsonSchema({"$ref": "#/components/schemas/Permission"})]
NewPassword = Annotated[SecretStr, Field(min_length=10, max_length=256, description="At least 10 characters")]
# What people write into one line that others read: no line breaks, nothing that turns or hides what stands beside it.
ONE_LINE = r"^[^\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$"
Nickname = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64, pattern=ONE_LINE)]


class UserReference(Schema):
    """A user as others see it."""

    id: str
    name: str
    nickname: str


class RoleReference(Schema):
    """A role by name."""

    id: str
    name: str


class GroupReference(Schema):
    """A group by name."""

    id: str
    name: str


class VirtualClusterReference(Schema):
    """A virtual cluster by name."""

    id: str
    name: str


class User(UserReference):
    """A user in full."""

    uid: int = Field(description="The POSIX uid of this user's processes and files")
    phone: str = Field(description="Empty when it is not known; in answers to changes also for who does not read users")
    email: str = Field(description="Empty when it is not known; in answers to changes also for who does not read users")
    roles: list[RoleReference] = Field(description="Those that were given to this user; those of groups come on top")
    active: bool
    created_at: Moment


class SignIn(Schema):
    """Name and password."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    password: Password


class Proof(Schema):
    """What proves who sits there."""

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
    permissions: list[PermissionName] = Field(
        description="By own roles and by those of groups. Empty while there are none, or the password must be changed"
    )
    virtual_clusters: list[VirtualClusterReference] = Field(description="Those that this user is a member of")
    must_change_password: bool
    device_types: list[DeviceTypeName]
    expires_at: Moment


class OwnSession(Schema):
    """A browser or program that is signed in as the caller."""

    id: str
    device: str = Field(description="For example `Firefox 140, Linux`; empty for one that does not say what it is")
    address: str = Field(description="Where it was seen last")
    created_at: Moment
    last_seen_at: Moment = Field(description="To the minute")
    expires_at: Moment
    current: bool = Field(description="Whether it is the one that asks")


class SessionsEnded(Schema):
    """What was ended."""

    ended: int


class PasswordChange(Schema):
    """The old and the new password."""

    current_password: Password
    new_password: NewPassword
    end_access_tokens: bool = Field(default=False, description="Whether the own access tokens end, too")
    end_links: bool = Field(
        default=False,
        description="Whether other ways into the account end, too, with the access tokens of who came by them",
    )


class Registration(Schema):
    """An account that somebody makes for themselves; it may do nothing until an administrator gives it a role."""

    name: UserName
    nickname: Nickname
    password: NewPassword


class Registered(Schema):
    """The account that was made."""

    name: str
