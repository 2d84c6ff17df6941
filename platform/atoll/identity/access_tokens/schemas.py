"""Access tokens over the wire."""

from typing import Annotated

from pydantic import Field, StringConstraints

from atoll.identity.rights.schemas import GrantedKind, GrantName
from atoll.identity.schemas import ONE_LINE, PermissionName
from atoll.web.schema import Moment, Schema

MOST_GRANTS = 100
TokenName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64, pattern=ONE_LINE)]


class AccessToken(Schema):
    """A token, but for itself: that was told when it was made, and only its digest is kept."""

    id: str
    name: str
    grants: list[GrantName] = Field(
        description="Its scope: kinds of permissions, and single ones. It opens what its owner may do of these"
    )
    read_only: bool = Field(description="Whether it changes nothing, whatever its scope is")
    created_at: Moment
    expires_at: Moment
    last_used_at: Moment | None = Field(description="To the minute")
    last_used_address: str = Field(description="Empty while it was not used")


class AccessTokenCreate(Schema):
    """A new token; nobody gives one more than they may do themselves."""

    name: TokenName
    grants: Annotated[list[GrantName], Field(min_length=1, max_length=MOST_GRANTS)]
    read_only: bool = False
    days: Annotated[int, Field(ge=1, description="Until it ends; how many there may be, `/access-tokens/options` says")]


class NewAccessToken(AccessToken):
    """The token itself, which is told this once."""

    token: str = Field(description="For `Authorization: Bearer …`")


class AccessTokenOptions(Schema):
    """What a token can be given by who asks, and the limits of tokens."""

    kinds: list[GrantedKind] = Field(description="Of which the caller holds all")
    permissions: list[PermissionName] = Field(description="Which the caller holds")
    most_days: int
    most: int = Field(description="Tokens of one user that have not ended")
