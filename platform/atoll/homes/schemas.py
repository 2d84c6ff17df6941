"""What the API and `files` say to each other, and headers of downloads."""

from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Query
from pydantic import Field, StringConstraints

from atoll.identity.schemas import UserName
from atoll.web.schema import Schema

Path = Annotated[str, Query(max_length=4096, pattern=r"^[^\x00]*$", description="Relative to the root of the listing")]
RelativePath = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=4096)]


ArchiveAction = Literal["survey", "begin", "append", "publish", "discard"]


class Owner(Schema):
    """Under whose uid the request runs, and whose home it is."""

    name: UserName
    uid: Annotated[int, Field(ge=1000)]


class ListRequest(Schema):
    """A directory below the owner's home."""

    owner: Owner
    path: RelativePath
    after: str | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 200


class ReadRequest(Schema):
    """Bytes of a file below the owner's home; a negative start counts from the end."""

    owner: Owner
    path: RelativePath
    start: int = 0
    length: Annotated[int, Field(ge=0)] | None = None


class ArchiveRequest(Schema):
    """One step of making `target` of the directory `path`, both below the owner's home."""

    owner: Owner
    action: ArchiveAction
    path: RelativePath
    target: RelativePath
    operation: Annotated[str, StringConstraints(pattern=r"^[0-9a-z]{26}$")]
    fence: int
    cursor: str | None = None
    state: dict[str, Any] | None = None
    inode: int | None = None


class HomeRequest(Schema):
    """The home of `owner` shall exist."""

    owner: Owner


def content_headers(name: str, *, download: bool) -> dict[str, str]:
    """Headers that keep a browser from running what a user stored: fixed name, no sniffing, a sandbox."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._- ") else "_" for c in name) or "file"
    kind = "attachment" if download else "inline"
    return {
        "Content-Disposition": f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
