"""Settings over the wire."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from atoll.identity.schemas import VirtualClusterReference
from atoll.settings.models import LEAST_REFRESH_S, MOST_REFRESH_S, Appearance, Language
from atoll.web.schema import Schema


class Settings(Schema):
    """What the caller has set, or what holds without that."""

    virtual_cluster: VirtualClusterReference | None = Field(
        description="The one in use: new tasks go there unless said otherwise. null: the caller is a member of none"
    )
    refresh_seconds: int = Field(description="How often pages look again where they are not told of changes")
    language: Language | None = Field(description="null: what the browser asks for")
    appearance: Appearance | None = Field(description="null: what the browser asks for")
    time_zone: str | None = Field(description="An IANA name, by which all times are shown; null: the browser's")
    privileged_jobs: bool = Field(
        description="Whether the caller wants to be offered jobs that are root of their container"
    )
    privileged_jobs_refused: Literal["installation", "permission", "virtual_clusters"] | None = Field(
        description="What keeps the caller from that; null: nothing, where a virtual cluster has room for them"
    )
    version: int = Field(description="For If-Match")


class SettingsChange(Schema):
    """What becomes different; what is left out stays. null of language, appearance and time zone: as each browser
    has it.
    """

    virtual_cluster: Annotated[str, StringConstraints(max_length=64)] | None = Field(
        default=None, description="The id of a virtual cluster of the caller"
    )
    refresh_seconds: Annotated[int, Field(ge=LEAST_REFRESH_S, le=MOST_REFRESH_S)] | None = None
    language: Language | None = None
    appearance: Appearance | None = None
    time_zone: Annotated[str, StringConstraints(max_length=64)] | None = Field(
        default=None, description="An IANA name, for example Asia/Shanghai"
    )
    privileged_jobs: bool | None = Field(default=None, description="true: refused where something keeps from it")
