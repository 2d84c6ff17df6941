"""Starting workers: one process per request, under the uid of the files' owner."""

import asyncio
import contextlib
import errno
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from atoll.configuration import ConfigurationError
from atoll.files import windows
from atoll.files.names import MOST_NAMES
from atoll.files.slots import Pool, Slots
from atoll.files.windows import Windows
from atoll.homes import codes
from atoll.homes.schemas import ArchiveRequest, Owner
from atoll.web.errors import ApiError, Invalid, NotAllowed, NotFound, Unavailable

WORKER = Path(__file__).with_name("worker.py")
EXAMPLES = Path(__file__).with_name("examples")
HANG_S = 5.0
ANSWER_S = 20.0  # less than the 30 s for which the other side waits
# asyncio reads up to twice its limit ahead, in this process: little of what nobody reads, but an answer in whole.
_CONTENT_LIMIT = 1 << 16
_LINE_LIMIT = 1 << 23
_CHUNK = 1 << 16
# One new home in a hundred is root's for GlusterFS a second longer than it is for `stat` (11.1, measured): how long its
# owner waits before each new try.
SETTLING_S = (0.1, 0.3, 0.6, 1.0, 1.0)
# Not more than this is read at once, as a look: the end of a log does not wait for downloads.
SMALL_READ = 1 << 16

# Who reads may do so for hours, and looks and archives must not wait for that.
READS = Pool(most=16, per_owner=4, waiting=4)
LOOKS = Pool(most=6, per_owner=3)
ARCHIVES = Pool(most=4, per_owner=2)

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MIB = 1 << 20
# What each takes at most: this process with its windows; a worker that sends a content, with what is on its way; any
# other worker, and the line of its answer.
BASE_BYTES = 124 * _MIB
READ_BYTES = 7 * _MIB
WORK_BYTES = 20 * _MIB
_LINE_BYTES = _LINE_LIMIT
MOST_BYTES = BASE_BYTES + READS.most * READ_BYTES + LOOKS.most * (WORK_BYTES + _LINE_BYTES) + ARCHIVES.most * WORK_BYTES


class Homes:
    """The homes below one storage root."""

    def __init__(self, storage: Path, *, switch_user: bool) -> None:
        self.root = storage / "home"
        self._windows = Windows()
        self._settling: dict[str, float] = {}  # names of new homes, until when (monotonic, s) they may seem root's
        self._reads, self._looks, self._archives = Slots(READS), Slots(LOOKS), Slots(ARCHIVES)
        # Where tasks are processes of this user (the local engine), so are workers.
        self._switches_user = switch_user
        if switch_user and os.geteuid() != 0:
            raise ConfigurationError("`files` has to run as root, so that its workers can become the users")

    def path(self, owner: Owner) -> Path:
        """Where the home lies."""
        return self.root / owner.name

    async def ensure(self, owner: Owner) -> None:
        """Make the home on first use: the owner's, closed to others, with the examples."""
        home = self.path(owner)
        fresh = await asyncio.to_thread(self._make, home, owner.uid)
        for pause in (*(SETTLING_S if fresh else ()), None):
            try:
                async with self._started(self._looks, owner, {"operation": "examples", "examples": str(EXAMPLES)}):
                    return
            except NotAllowed:
                if pause is None:
                    raise
                await asyncio.sleep(pause)

    def _make(self, home: Path, uid: int) -> bool:
        """By descriptors: whatever stands under the name of the home, root changes nothing but a directory.

        Says whether the home has become the owner's just now; who changes its times by a task does not make it so.
        """
        with contextlib.ExitStack() as held:
            try:
                if not self._switches_user:  # else it is mounted, or nothing is made in its place
                    self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
                homes = os.open(self.root, _DIRECTORY)
                held.callback(os.close, homes)
                with contextlib.suppress(FileExistsError):
                    os.mkdir(home.name, mode=0o700, dir_fd=homes)
                made = os.open(home.name, _DIRECTORY, dir_fd=homes)
                held.callback(os.close, made)
                if self._switches_user:
                    status = os.fstat(made)
                    if (status.st_uid, status.st_gid) != (uid, uid):
                        os.fchown(made, uid, uid)
                        now = time.monotonic()
                        young = {name: until for name, until in self._settling.items() if until > now}
                        self._settling = {**young, home.name: now + sum(SETTLING_S)}
                    if status.st_mode & 0o777 != 0o700:
                        os.fchmod(made, 0o700)
                return self._settling.get(home.name, 0.0) > time.monotonic()
            except OSError as error:
                raise Unavailable(codes.NoHome(why=error.strerror or type(error).__name__)) from error

    async def listing(self, owner: Owner, path: str, after: str | None, limit: int) -> dict[str, Any]:
        """One page of a directory. Raises NotFound, Invalid, NotAllowed."""
        behind = windows.place(after) if after is not None else None
        known = self._windows.cut(owner.name, path, behind, limit) if behind is not None else None
        request = {
            "operation": "list",
            "path": path,
            "after": behind,
            "limit": limit,
            "window": max(limit, windows.WINDOW),
            "names": [name for _, name in known.places] if known is not None else None,
        }
        async with self._started(self._looks, owner, request) as (answer, _):
            pass
        if known is None:
            places = [(bool(flag), str(name)) for flag, name in answer["window"]]
            self._windows.keep(owner.name, path, places, complete=answer["complete"])
            known = windows.Cut(places[:limit], more=len(places) > limit or not answer["complete"])
        following = windows.cursor(known.places[-1]) if known.more else None
        return {"items": answer["items"], "after": following, "read": answer["read"]}

    async def archive(self, body: ArchiveRequest) -> dict[str, Any]:
        """One step of an archive. Raises NotFound, Invalid, NotAllowed, Unavailable."""
        step = body.model_dump(exclude={"owner", "operation"})
        request = {**step, "operation": "archive", "id": body.operation}
        async with self._started(self._archives, body.owner, request) as (answer, _):
            return answer

    @contextlib.asynccontextmanager
    async def read(
        self, owner: Owner, path: str, start: int, length: int | None
    ) -> AsyncIterator[tuple[dict[str, Any], AsyncIterator[bytes]]]:
        """Facts about a file, and its bytes. What is small is held when this begins, however slowly it is taken."""
        request = {"operation": "read", "path": path, "start": start, "length": length}
        if length is not None and length <= SMALL_READ:
            async with self._started(self._looks, owner, request, limit=_CONTENT_LIMIT) as (answer, output):
                try:
                    async with asyncio.timeout(ANSWER_S):
                        content = await output.read()
                except TimeoutError as error:
                    raise Unavailable(codes.StorageUnavailable()) from error
            yield answer, _once(content)
            return
        async with self._started(self._reads, owner, request, limit=_CONTENT_LIMIT) as (answer, output):
            yield answer, _chunks(output)

    @contextlib.asynccontextmanager
    async def _started(
        self, slots: Slots, owner: Owner, request: dict[str, Any], *, limit: int = _LINE_LIMIT
    ) -> AsyncIterator[tuple[dict[str, Any], asyncio.StreamReader]]:
        async with slots.taken(owner.name):
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-IS",
                str(WORKER),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={"LC_ALL": "C.UTF-8"},
                limit=limit,
            )
            assert process.stdin is not None  # noqa: S101 - both were asked for
            assert process.stdout is not None  # noqa: S101
            try:
                order = {**request, "root": str(self.path(owner)), "uid": owner.uid if self._switches_user else None}
                process.stdin.write(json.dumps(order).encode())
                process.stdin.write_eof()
                try:
                    async with asyncio.timeout(ANSWER_S):
                        line = await process.stdout.readline()
                except TimeoutError as error:
                    raise Unavailable(codes.StorageUnavailable()) from error
                if not line:
                    raise Unavailable(codes.FileWorkerFailed())
                answer: dict[str, Any] = json.loads(line)
                if not answer.pop("ok"):
                    raise _refusal(answer, request)
                yield answer, process.stdout
            finally:
                await _end(process, process.stdout)


async def _end(process: asyncio.subprocess.Process, output: asyncio.StreamReader) -> None:
    """A worker that has said everything ends by itself; one whose reader left, or that hangs, is killed."""
    try:
        async with asyncio.timeout(HANG_S):
            ending = not await output.read(1)
    except TimeoutError:
        ending = False
    if not ending and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    # One that the kernel holds (storage that hangs) ends when it can; nobody waits for it.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(HANG_S):
            while await output.read(_CHUNK):  # asyncio ends the wait only once the pipe was read to its end
                pass
            await process.wait()


async def _chunks(output: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while data := await output.read(_CHUNK):
        yield data


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


def _refusal(answer: dict[str, Any], request: dict[str, Any]) -> ApiError:
    path = str(request.get("path") or ".")
    # Only an archive that is begun is about another place than the one that is asked for.
    begun = request["operation"] == "archive" and request["action"] != "survey"
    where = str(request["target"]) if begun else path
    if answer["code"] == "not_a_file":
        return Invalid(codes.NotAFile(path=where))
    match answer["errno"]:
        case errno.E2BIG:
            return Invalid(codes.DirectoryTooLarge(path=path, entries=MOST_NAMES))
        case errno.EOVERFLOW:
            return Invalid(codes.FileHollow(path=str(answer.get("path", path))))
        case errno.ENOENT:
            return NotFound(codes.NoSuchFile(path=where))
        case errno.ENOTDIR:
            return Invalid(codes.NotADirectory(path=where))
        case errno.EEXIST:
            return Invalid(codes.FileExists(path=where))
        case errno.EINVAL:
            return Invalid(codes.FileNameUnfit(path=where))
        case errno.ENOSPC | errno.EDQUOT:
            return Invalid(codes.StorageFull())
        case errno.EAGAIN:
            return Unavailable(codes.FileBusy(path=where))
        case errno.EACCES | errno.EPERM:
            return NotAllowed(codes.FileNotReadable(path=where))
        case errno.EXDEV | errno.ELOOP:
            return NotAllowed(codes.PathLeadsOut(path=where))
        case errno.ENAMETOOLONG:
            return Invalid(codes.PathTooLong(path=where))
        case _:
            return Unavailable(codes.FileNotRead(path=where, why=str(answer["message"])))
