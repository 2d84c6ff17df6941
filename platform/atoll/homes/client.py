"""How the API and `jobs` reach users' files: always by way of `files`."""

import posixpath
import re
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import httpx
from fastapi.responses import Response, StreamingResponse

from atoll.homes import codes
from atoll.homes.schemas import ArchiveAction, ArchiveRequest, ListRequest, Owner, ReadRequest, content_headers
from atoll.web import siblings
from atoll.web.codes import restored
from atoll.web.errors import ApiError, Invalid, NotAllowed, NotFound, TooMany, Unavailable
from atoll.web.pagination import decode, encode
from atoll.web.schema import FileEntry, Listing

_RANGE = re.compile(r"^bytes=(\d{1,15})-(\d{0,15})$")
_NO_LIMIT = httpx.Timeout(10, read=None)


class HasHome(Protocol):
    """A caller or a user's row."""

    @property
    def name(self) -> Any:
        """The user name, which is also the name of the home."""

    @property
    def uid(self) -> Any:
        """The uid."""


class FilesClient:
    """A client of `files`."""

    def __init__(self, url: str, token: str, homes_as_seen: str, authority: Path | None = None) -> None:
        """Raise ConfigurationError where the authority of its certificate cannot be read."""
        self._http = siblings.sibling(f"{url}/internal/files", token, authority, timeout_s=30)
        self._homes = homes_as_seen

    async def close(self) -> None:
        """Give connections back."""
        await self._http.aclose()

    def home_as_seen(self, user: HasHome) -> str:
        """The home's path as a program in a task sees it."""
        return f"{self._homes}/{user.name}"

    async def ensure_home(self, user: HasHome) -> None:
        """The home shall exist, with the examples."""
        await self._post("/home", {"owner": _owner(user).model_dump()})

    async def home(self, user: HasHome, path: str, limit: int, cursor: str | None) -> Listing:
        """A directory of the home; the first look makes the home."""
        try:
            return await self.listing(user, "", path, limit, cursor)
        except NotFound:
            if path.strip("/"):
                raise
            await self.ensure_home(user)
            return await self.listing(user, "", path, limit, cursor)

    async def listing(self, user: HasHome, root: str, path: str, limit: int, cursor: str | None) -> Listing:
        """A directory below `root` in the user's home."""
        place = below(root, path)
        request = ListRequest(owner=_owner(user), path=place, after=decode(cursor), limit=limit)
        answer = (await self._post("/list", request.model_dump())).json()
        return Listing(
            path=path.strip("/"),
            location=posixpath.join(self.home_as_seen(user), place).rstrip("/"),
            items=[
                FileEntry(
                    name=item["name"],
                    path=posixpath.join(path.strip("/"), item["name"]),
                    kind=item["kind"],
                    size_bytes=item["size_bytes"],
                    modified_at=datetime.fromtimestamp(item["modified_at"], UTC),
                )
                for item in answer["items"]
            ],
            next_cursor=encode(answer["after"]) if answer["after"] is not None else None,
        )

    async def archive(
        self, user: HasHome, action: ArchiveAction, path: str, target: str, *, operation: str, fence: int, **more: Any
    ) -> dict[str, Any]:
        """One step of an archive; `files.archiving` says what each takes and gives."""
        request = ArchiveRequest(
            owner=_owner(user), action=action, path=path, target=target, operation=operation, fence=fence, **more
        )
        answer: dict[str, Any] = (await self._post("/archive", request.model_dump())).json()
        return answer

    async def content(
        self,
        user: HasHome,
        root: str,
        path: str,
        *,
        download: bool,
        limit_bytes: int | None = None,
        byte_range: str | None = None,
    ) -> Response:
        """A file as an answer to a browser; understands one range."""
        start, length, ranged = 0, limit_bytes, False
        if byte_range and (match := _RANGE.match(byte_range)):
            start, ranged = int(match[1]), True
            if match[2]:
                if int(match[2]) < start:
                    raise Invalid(codes.RangeEndsFirst())
                length = int(match[2]) - start + 1
        request = ReadRequest(owner=_owner(user), path=below(root, path), start=start, length=length)
        upstream = await self._stream(request)
        size = int(upstream.headers["X-File-size-bytes"])
        if ranged and start >= size:
            await upstream.aclose()
            raise Invalid(codes.InvalidRange(size_bytes=size))
        sent = max(0, min(size - start, length if length is not None else size))
        headers = content_headers(posixpath.basename(path), download=download)
        headers["Content-Length"] = str(sent)
        headers["Accept-Ranges"] = "bytes"
        if ranged:
            headers["Content-Range"] = f"bytes {start}-{start + sent - 1}/{size}"
        return StreamingResponse(
            _Exactly(upstream, sent),
            status_code=206 if ranged else 200,
            media_type="application/octet-stream" if download else "text/plain; charset=utf-8",
            headers=headers,
        )

    async def read(
        self, user: HasHome, path: str, *, start: int = 0, length: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """Bytes of a file of the home. Raises NotFound."""
        upstream = await self._stream(ReadRequest(owner=_owner(user), path=path, start=start, length=length))
        try:
            async for chunk in upstream.aiter_raw():
                yield chunk
        finally:
            await upstream.aclose()

    async def _stream(self, request: ReadRequest) -> httpx.Response:
        try:
            answer = await self._http.send(
                self._http.build_request("POST", "/read", json=request.model_dump(), timeout=_NO_LIMIT), stream=True
            )
            if answer.is_error:
                await answer.aread()
        except httpx.HTTPError as error:
            raise _silent(error) from error
        _check(answer)
        return answer

    async def _post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        try:
            answer = await self._http.post(path, json=body)
        except httpx.HTTPError as error:
            raise _silent(error) from error
        _check(answer)
        return answer


def below(root: str, path: str) -> str:
    """`path` below `root`, both relative to the home. Raises Invalid for a path that climbs."""
    if ".." in path.split("/"):
        raise Invalid(codes.PathLeadsOut(path=path))
    return posixpath.join(root, path.strip("/")).strip("/")


def _owner(user: HasHome) -> Owner:
    return Owner(name=user.name, uid=user.uid)


def _silent(error: httpx.HTTPError) -> Unavailable:
    return Unavailable(codes.FilesUnavailable(why=type(error).__name__))


# What `files` tells; all else is a failure of it.
TOLD = (
    codes.DirectoryTooLarge,
    codes.FileBusy,
    codes.FileExists,
    codes.FileHollow,
    codes.FileNameUnfit,
    codes.FileNotRead,
    codes.FileNotReadable,
    codes.FileWorkerFailed,
    codes.FilesCrowded,
    codes.NoHome,
    codes.NoSuchFile,
    codes.NotADirectory,
    codes.NotAFile,
    codes.PathLeadsOut,
    codes.PathTooLong,
    codes.StorageFull,
    codes.StorageUnavailable,
    codes.TooManyFileRequests,
)
_REFUSALS: dict[int, type[ApiError]] = {403: NotAllowed, 404: NotFound, 422: Invalid, 429: TooMany, 503: Unavailable}


def _check(answer: httpx.Response) -> None:
    """Pass the other side's problem on as our own."""
    if not answer.is_error:
        return
    problem = answer.json() if answer.headers.get("content-type", "").startswith("application/problem+json") else {}
    detail = str(problem.get("detail") or f"It answered {answer.status_code}.")
    told = restored(TOLD, str(problem.get("code")), problem.get("params") or {}) or codes.FilesFailed(detail=detail)
    later = answer.headers.get("Retry-After")
    refusal = _REFUSALS.get(answer.status_code)
    error = (refusal or ApiError)(told, headers={"Retry-After": later} if later is not None else None)
    if refusal is None:
        error.status = 502
    raise error


class _Exactly:
    """As many bytes as the headers promised, also when the file grows meanwhile.

    No generator: one that nobody began to read runs nothing when it is closed, and the connection were not given back.
    """

    def __init__(self, upstream: httpx.Response, size: int) -> None:
        self._upstream, self._left = upstream, size
        self._chunks = upstream.aiter_raw()

    def __aiter__(self) -> "_Exactly":
        return self

    async def __anext__(self) -> bytes:
        """The next bytes; closed behind the last."""
        chunk = await anext(self._chunks, b"") if self._left > 0 else b""
        if not chunk:
            await self.aclose()
            raise StopAsyncIteration
        kept = chunk[: self._left]
        self._left -= len(kept)
        return kept

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._upstream.aclose()
