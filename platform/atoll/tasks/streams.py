"""What flows: logs, files and the live view of tasks. No database connection is held while it does."""

import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse

from atoll.homes.schemas import content_headers
from atoll.identity.caller import Caller
from atoll.identity.permissions import Permission
from atoll.tasks.live import LiveTasks
from atoll.tasks.logs import TaskLog
from atoll.tasks.schemas import LogEnd, LogLines, StateChanged, TaskSummary
from atoll.tasks.service import TaskService
from atoll.web.dependencies import Cursor, Limit, Parts, allowed, while_signed_in
from atoll.web.events import EventStream, described
from atoll.web.schema import Listing

router = APIRouter(tags=["tasks"])
Reader = Annotated[Caller, allowed(Permission.TASKS_READ)]
Path = Annotated[str, Query(max_length=4096, pattern=r"^[^\x00]*$", description="Relative to the root of the listing")]
_OFFSET = re.compile(r"[0-9]{1,15}")
_LARGEST_OFFSET = 10**15 - 1


@router.get(
    "/tasks/stream",
    response_class=EventStream,
    responses=described({"hello": None, "task": TaskSummary, "deleted": StateChanged}),
)
async def stream(
    request: Request,
    parts: Parts,
    caller: Reader,
    owner: Annotated[Literal["me", "all"], Query(description="`all` needs tasks:read_all")] = "me",
) -> Response:
    """Every change of a task as it happens. After (re)connecting (`hello`), read the list again."""
    events = LiveTasks(parts, caller, everybody=owner == "all").events()
    return EventStream(while_signed_in(request, parts, caller, events))


@router.get("/tasks/{task_id}/log", response_class=EventStream, responses=described({"log": LogLines, "end": LogEnd}))
async def log(
    task_id: str,
    request: Request,
    parts: Parts,
    caller: Reader,
    rank: Annotated[int, Query(ge=0, le=511)] = 0,
    attempt: Annotated[int | None, Query(ge=1, description="Without it: the newest")] = None,
    follow: Annotated[bool, Query(description="Stay until the task ends")] = True,
    offset: Annotated[int, Query(ge=0, le=_LARGEST_OFFSET, description="Bytes to skip")] = 0,
    last_event_id: Annotated[str | None, Header(description="Go on after this event: the byte offset")] = None,
) -> Response:
    """The log of one replica, followed live. The id of each event is the offset to go on from."""
    start = int(last_event_id) if last_event_id and _OFFSET.fullmatch(last_event_id) else offset
    source = await TaskLog.open(parts, caller, task_id, rank=rank, attempt=attempt)
    return EventStream(while_signed_in(request, parts, caller, source.events(start, follow=follow)))


@router.get(
    "/tasks/{task_id}/log/content",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def log_content(
    task_id: str,
    parts: Parts,
    caller: Reader,
    rank: Annotated[int, Query(ge=0, le=511)] = 0,
    attempt: Annotated[int | None, Query(ge=1)] = None,
) -> Response:
    """The whole log of one replica as a file."""
    source = await TaskLog.open(parts, caller, task_id, rank=rank, attempt=attempt)
    return StreamingResponse(
        source.content(),
        media_type="text/plain; charset=utf-8",
        headers=content_headers(f"{source.task_name}-{source.attempt}-{rank}.log", download=True),
    )


@router.get("/tasks/{task_id}/files")
async def files(
    task_id: str, parts: Parts, caller: Reader, path: Path = "", limit: Limit = 200, cursor: Cursor = None
) -> Listing:
    """The output directory of a task."""
    row = await _row(parts, caller, task_id)
    return await parts.files.listing(row.owner, row.definition["output_directory"], path, limit, cursor)


@router.get(
    "/tasks/{task_id}/files/content",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def file_content(
    task_id: str,
    request: Request,
    parts: Parts,
    caller: Reader,
    path: Path,
    download: Annotated[bool, Query(description="As an attachment; otherwise for a preview, text only")] = True,
    limit_bytes: Annotated[int | None, Query(ge=1, description="Only the first bytes, for a preview")] = None,
) -> Response:
    """One output file."""
    row = await _row(parts, caller, task_id)
    return await parts.files.content(
        row.owner,
        row.definition["output_directory"],
        path,
        download=download,
        limit_bytes=limit_bytes,
        byte_range=request.headers.get("range"),
    )


@router.get("/home/files", tags=["files"])
async def home_files(
    parts: Parts,
    caller: Annotated[Caller, allowed(Permission.FILES_READ)],
    path: Path = "",
    limit: Limit = 200,
    cursor: Cursor = None,
) -> Listing:
    """The caller's home, to pick code from; a first look makes it, with the examples."""
    return await parts.files.home(caller, path, limit, cursor)


@router.get(
    "/home/files/content",
    tags=["files"],
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def home_content(
    request: Request,
    parts: Parts,
    caller: Annotated[Caller, allowed(Permission.FILES_READ)],
    path: Path,
    download: bool = True,
    limit_bytes: Annotated[int | None, Query(ge=1)] = None,
) -> Response:
    """One file of the caller's home."""
    return await parts.files.content(
        caller, "", path, download=download, limit_bytes=limit_bytes, byte_range=request.headers.get("range")
    )


async def _row(parts: Parts, caller: Caller, task_id: str) -> Any:
    async with parts.sessions() as session:
        return await TaskService(session, parts.configuration).row(caller, task_id)
