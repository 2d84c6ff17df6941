"""The base of every API schema and the types that several domains share."""

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, NewType, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Item = TypeVar("Item")
# The name of a declared code: only `atoll.web.codes` makes one, so no string can be told instead.
CodeName = NewType("CodeName", str)
Moment = Annotated[AwareDatetime, Field(description="RFC 3339, always with its offset")]


class Schema(BaseModel):
    """What goes over the wire: unknown keys are refused, attributes of table rows are read."""

    model_config = ConfigDict(extra="forbid", from_attributes=True, hide_input_in_errors=True)


class Page(Schema, Generic[Item]):
    """One page of a list; ask for the next one with `cursor=next_cursor`."""

    items: list[Item]
    next_cursor: str | None = None


class FieldError(Schema):
    """One mistake at one field of the request."""

    field: str = Field(description="Dotted path inside the request, empty for the whole")
    code: CodeName
    message: str
    params: dict[str, Any] = Field(default_factory=dict)


class Problem(Schema):
    """RFC 9457; `code` is stable and what programs and translations go by."""

    type: str
    title: str
    status: int
    code: CodeName
    detail: str
    remedy: str = ""
    params: dict[str, Any] = Field(default_factory=dict)
    request_id: str
    errors: list[FieldError] = Field(default_factory=list)


class Reason(Schema):
    """Why something is as it is: a stable code with its parameters, and plain English words."""

    code: CodeName
    message: str
    params: dict[str, Any] = Field(default_factory=dict)


class FileEntry(Schema):
    """One thing in a directory."""

    name: str
    path: str = Field(description="Relative to the root of the listing")
    kind: Literal["file", "directory", "link", "other"]
    size_bytes: int
    modified_at: datetime


class Listing(Schema):
    """A directory; `next_cursor` is set when there is more."""

    path: str
    location: str = Field(description="Where it lies for a program in a task, for example /home/ada/tasks/…/output")
    items: list[FileEntry]
    next_cursor: str | None = None
