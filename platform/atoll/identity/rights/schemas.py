"""What several domains of people share over the wire."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints, WithJsonSchema

from atoll.identity.permissions import PermissionKind
from atoll.identity.schemas import ONE_LINE, PermissionName
from atoll.web.schema import Schema

MOST_AT_ONCE = 100
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Identifiers = Annotated[list[Identifier], Field(max_length=MOST_AT_ONCE)]
SomeIdentifiers = Annotated[list[Identifier], Field(min_length=1, max_length=MOST_AT_ONCE)]
# Of roles and groups; unique however it is written.
ListedName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64, pattern=ONE_LINE)]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=512)]

_GRANT: dict[str, Any] = {
    "anyOf": [{"$ref": "#/components/schemas/PermissionKind"}, {"$ref": "#/components/schemas/Permission"}]
}
GrantName = Annotated[str, Field(max_length=64), WithJsonSchema(_GRANT)]


class Users(Schema):
    """To whom it is given."""

    users: SomeIdentifiers


class Groups(Schema):
    """To which it is given."""

    groups: SomeIdentifiers


class GrantedKind(Schema):
    """A kind of permissions."""

    name: PermissionKind
    permissions: list[PermissionName] = Field(description="What it comes to in this version")


class GrantedPermission(Schema):
    """A single permission."""

    # Below `allOf`: pydantic looks a plain reference of a field up among its own.
    name: Annotated[str, WithJsonSchema({"allOf": [{"$ref": "#/components/schemas/Permission"}]})]
    kinds: list[PermissionKind] = Field(description="By which it is granted, too")


class Permissions(Schema):
    """What roles can grant."""

    kinds: list[GrantedKind]
    permissions: list[GrantedPermission]
