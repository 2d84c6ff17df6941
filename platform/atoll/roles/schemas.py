"""Roles over the wire."""

from typing import Annotated

from pydantic import Field

from atoll.identity.rights.schemas import Description, GrantName, ListedName
from atoll.identity.schemas import PermissionName
from atoll.web.schema import Moment, Schema

MOST_GRANTS = 200
Grants = Annotated[
    list[GrantName],
    Field(min_length=1, max_length=MOST_GRANTS, description="Kinds of permissions, and names of single ones"),
]


class Role(Schema):
    """What its holders may do."""

    id: str
    name: str
    description: str
    preset: bool = Field(description="Part of every installation: neither changed nor deleted")
    grants: list[GrantName]
    permissions: list[PermissionName] = Field(description="All that the grants come to in this version")
    user_count: int = Field(description="To whom it was given; those who hold it by a group are not counted")
    group_count: int
    created_at: Moment
    version: int = Field(description="For If-Match")


class RoleCreate(Schema):
    """A new role."""

    name: ListedName
    description: Description = ""
    grants: Grants


class RoleUpdate(Schema):
    """What is to be different; what is left out stays."""

    name: ListedName | None = None
    description: Description | None = None
    grants: Grants | None = None
