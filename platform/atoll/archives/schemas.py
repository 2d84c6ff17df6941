"""Archives over the wire."""

from typing import Annotated

from pydantic import Field, StringConstraints

from atoll.web.schema import Schema

Place = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=4096)]
# What is made has a name that terminals, logs and shells show as it is.
NewPlace = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=4096)]


class ArchiveCreate(Schema):
    """What shall become an archive."""

    path: Place = Field(description="A directory of the home, for example the output directory of a task")
    target: NewPlace | None = Field(
        default=None, description="The archive; without it: beside the directory, named like it with .tar.gz"
    )


class ArchiveParameters(Schema):
    """What the operation is told."""

    path: str
    target: str


class ArchiveState(Schema):
    """How far it is: where the next attempt goes on."""

    cursor: str | None = None
    entries: int = 0
    size_bytes: int = 0
    surveyed: bool = False
    step: dict[str, object] | None = None
