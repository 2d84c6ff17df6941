"""Groups over the wire."""

from typing import Annotated

from pydantic import Field, StringConstraints

from atoll.identity.rights.schemas import Identifiers, ListedName, SomeIdentifiers
from atoll.identity.schemas import RoleReference, VirtualClusterReference
from atoll.web.schema import Moment, Schema

GroupDescription = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=512)]


class Group(Schema):
    """Users who hold roles together."""

    id: str
    name: str
    description: str
    roles: list[RoleReference]
    user_count: int
    virtual_clusters: list[VirtualClusterReference] = Field(description="Those that this group is a member of")
    created_at: Moment
    version: int = Field(description="For If-Match")


class GroupCreate(Schema):
    """A new group."""

    name: ListedName
    description: GroupDescription
    roles: SomeIdentifiers
    users: Identifiers = Field(default_factory=list)


class GroupUpdate(Schema):
    """What is to be different; what is left out stays."""

    name: ListedName | None = None
    description: GroupDescription | None = None


class GroupRoles(Schema):
    """All roles that the group is to have."""

    roles: SomeIdentifiers
