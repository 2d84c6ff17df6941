"""Settings over the wire."""

from typing import Annotated

from pydantic import Field, StringConstraints

from atoll.identity.schemas import VirtualClusterReference
from atoll.settings.models import LEAST_REFRESH_S, MOST_REFRESH_S
from atoll.web.schema import Schema


class Settings(Schema):
    """What the caller has set, or what holds without that."""

    virtual_cluster: VirtualClusterReference | None = Field(
        description="The one in use: new tasks go there unless said otherwise. null: the caller is a member of none"
    )
    refresh_seconds: int = Field(description="How often pages look again where they are not told of changes")
    version: int = Field(description="For If-Match")


class SettingsChange(Schema):
    """What becomes different; what is left out stays."""

    virtual_cluster: Annotated[str, StringConstraints(max_length=64)] | None = Field(
        default=None, description="The id of a virtual cluster of the caller"
    )
    refresh_seconds: Annotated[int, Field(ge=LEAST_REFRESH_S, le=MOST_REFRESH_S)] | None = None
