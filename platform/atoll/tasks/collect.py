"""What is kept of an ended task: the last lines of its log and its last scalars."""

from atoll.database.texts import keepable
from atoll.homes.client import FilesClient, HasHome
from atoll.tasks.logs import log_path
from atoll.tasks.scalars import Scalars, metrics_path
from atoll.web.errors import ApiError

LINES = 20
SCALARS = 16  # in the row of the task, which lists read
_TAIL_BYTES = 16 << 10
_NOTHING_TO_READ = (403, 404, 422)


async def _tail(files: FilesClient, owner: HasHome, path: str) -> str:
    content = b""
    try:
        async for chunk in files.read(owner, path, start=-_TAIL_BYTES, length=_TAIL_BYTES):
            content += chunk
    except ApiError as error:
        if error.status in _NOTHING_TO_READ:
            return ""  # it ended before it wrote anything, or its owner keeps it from being read
        raise
    return keepable(content.decode("utf-8", "replace"))


async def last_lines(files: FilesClient, owner: HasHome, task_id: str, attempt: int, rank: int) -> list[str]:
    """The end of a replica's log."""
    text = await _tail(files, owner, log_path(task_id, attempt, rank))
    return [line[:500] for line in text.splitlines()[-LINES:]]


async def last_scalars(files: FilesClient, owner: HasHome, task_id: str) -> dict[str, float] | None:
    """The newest value of each scalar, and the step."""
    lines = (await _tail(files, owner, metrics_path(task_id))).splitlines()
    read = Scalars()
    read.feed("\n".join(lines[-50:]).encode())
    series = read.series()[:SCALARS]
    if not series:
        return None
    return {"step": float(max(item.steps[-1] for item in series)), **{item.name: item.values[-1] for item in series}}
