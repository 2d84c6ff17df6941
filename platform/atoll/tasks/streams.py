"""What flows: logs, charts, output files and the live view of tasks. No database connection is held while it does."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse

from atoll.engines.specification import TaskSpec
from atoll.homes.client import FilesClient
from atoll.homes.schemas import Path, content_headers
from atoll.identity.caller import Caller
from atoll.identity.dependencies import SentWhileSignedIn, allowed, stream_of
from atoll.measurements.prometheus import Prometheus
from atoll.tasks.codes import NoOutput
from atoll.tasks.live import LiveTasks
from atoll.tasks.logs import TaskLog
from atoll.tasks.metrics import TaskMetricsService
from atoll.tasks.models import TaskRow
from atoll.tasks.policy import TASKS_READ, TASKS_READ_ALL
from atoll.tasks.schemas import LogEnd, LogLines, StateChanged, TaskMetrics, TaskSummary
from atoll.tasks.service import TaskService
from atoll.web.dependencies import Cursor, Limit, Parts
from atoll.web.errors import NotFound
from atoll.web.events import EventStream, described
from atoll.web.schema import Listing
from atoll.web.turns import give_back

router = APIRouter(tags=["tasks"])
Reader = Annotated[Caller, allowed(TASKS_READ, TASKS_READ_ALL)]
_OFFSET = re.compile(r"[0-9]{1,15}")
_LARGEST_OFFSET = 10**15 - 1


@router.get(
    "/tasks/stream",
    name="watch",
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
    return stream_of(request, parts, caller, events)


@router.get(
    "/tasks/{task_id}/log",
    name="follow_log",
    response_class=EventStream,
    responses=described({"log": LogLines, "end": LogEnd}),
)
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
    return stream_of(request, parts, caller, source.events(start, follow=follow))


@router.get(
    "/tasks/{task_id}/log/content",
    name="read_log",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def log_content(
    task_id: str,
    request: Request,
    parts: Parts,
    caller: Reader,
    rank: Annotated[int, Query(ge=0, le=511)] = 0,
    attempt: Annotated[int | None, Query(ge=1)] = None,
) -> Response:
    """The whole log of one replica as a file."""
    source = await TaskLog.open(parts, caller, task_id, rank=rank, attempt=attempt)
    give_back(request)
    content = source.content()
    first = await anext(content, b"")  # what cannot be read is told in words, not by an answer that breaks off
    answer = StreamingResponse(
        _behind(first, content),
        media_type="text/plain; charset=utf-8",
        headers=content_headers(f"{source.task_name}-{source.attempt}-{rank}.log", download=True),
    )
    return SentWhileSignedIn(answer, request, parts, caller)


@router.get("/tasks/{task_id}/metrics", name="read_metrics")
async def metrics(task_id: str, request: Request, parts: Parts, caller: Reader) -> TaskMetrics:
    """Scalars that the program reported, and its use of resources."""
    row = await _row(parts, caller, task_id)
    give_back(request)
    return await TaskMetricsService(parts.part(FilesClient), parts.find(Prometheus)).metrics(row)


@router.get("/tasks/{task_id}/files", name="list_files")
async def files(
    task_id: str, parts: Parts, caller: Reader, path: Path = "", limit: Limit = 200, cursor: Cursor = None
) -> Listing:
    """The output directory of a task."""
    row = await _row(parts, caller, task_id)
    return await parts.part(FilesClient).listing(row.owner, _output(row), path, limit, cursor)


@router.get(
    "/tasks/{task_id}/files/content",
    name="read_file",
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
    give_back(request)
    answer = await parts.part(FilesClient).content(
        row.owner,
        _output(row),
        path,
        download=download,
        limit_bytes=limit_bytes,
        byte_range=request.headers.get("range"),
    )
    return SentWhileSignedIn(answer, request, parts, caller)


async def _behind(first: bytes, content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in content:
        yield chunk


async def _row(parts: Parts, caller: Caller, task_id: str) -> TaskRow:
    async with parts.sessions() as session:
        return await TaskService(session).row(caller, task_id)


def _output(row: TaskRow) -> str:
    output = TaskSpec.model_validate(row.specification).output
    if output is None:
        raise NotFound(NoOutput())
    return output
