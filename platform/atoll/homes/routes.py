"""The caller's home."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from atoll.homes.client import FilesClient
from atoll.homes.policy import FILES_READ
from atoll.homes.schemas import Path
from atoll.identity.caller import Caller
from atoll.identity.dependencies import SentWhileSignedIn, allowed
from atoll.web.dependencies import Cursor, Limit, Parts
from atoll.web.schema import Listing
from atoll.web.turns import give_back

router = APIRouter(tags=["files"])


@router.get("/home/files", name="list")
async def home_files(
    parts: Parts,
    caller: Annotated[Caller, allowed(FILES_READ)],
    path: Path = "",
    limit: Limit = 200,
    cursor: Cursor = None,
) -> Listing:
    """The caller's home, to pick code from; a first look makes it, with the examples."""
    return await parts.part(FilesClient).home(caller, path, limit, cursor)


@router.get(
    "/home/files/content",
    name="read",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def home_content(
    request: Request,
    parts: Parts,
    caller: Annotated[Caller, allowed(FILES_READ)],
    path: Path,
    download: bool = True,
    limit_bytes: Annotated[int | None, Query(ge=1)] = None,
) -> Response:
    """One file of the caller's home."""
    give_back(request)
    answer = await parts.part(FilesClient).content(
        caller, "", path, download=download, limit_bytes=limit_bytes, byte_range=request.headers.get("range")
    )
    return SentWhileSignedIn(answer, request, parts, caller)
