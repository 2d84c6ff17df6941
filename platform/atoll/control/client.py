"""A client of the control service: mutual TLS, and its answers as ours."""

from collections.abc import AsyncIterator
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from httpx_sse import EventSource
from pydantic import BaseModel, ValidationError
from sse_starlette import ServerSentEvent

from atoll.configuration import Control, trusting
from atoll.control import codes
from atoll.control.schemas import ImageDescription, Images, Ports, Run, RunSummary, ServiceAction, ServiceLog, Services
from atoll.web import siblings
from atoll.web.codes import ProblemCode, restored
from atoll.web.errors import ApiError, Conflict, Invalid, NotAllowed, NotFound, Unavailable
from atoll.web.schema import Page

# What the control service tells by a code; `installer/control/problems.py` has the same with their parameters.
TOLD = (
    codes.BadClusterYaml,
    codes.Busy,
    codes.KubernetesUnavailable,
    codes.NoImageName,
    codes.NodeUnreachable,
    codes.NoSuchAction,
    codes.NoSuchImage,
    codes.NoSuchRun,
    codes.NoSuchService,
    codes.NotInCluster,
    codes.NotInstalled,
    codes.RegistryUnavailable,
    codes.UserNotAllowed,
    codes.UsersUnavailable,
)
_ERRORS: dict[int, type[ApiError]] = {403: NotAllowed, 404: NotFound, 409: Conflict, 422: Invalid}


class ControlClient:
    """Services, runs and images. Each request is for a user, whom the control service judges by itself.

    Raises NotAllowed for one who may not, or whose session has ended.
    """

    def __init__(self, configuration: Control) -> None:
        context = trusting(configuration.ca)
        context.load_cert_chain(configuration.certificate, configuration.key)
        self._http = siblings.client(configuration.url, context, timeout=30)

    async def close(self) -> None:
        """Give connections back."""
        await self._http.aclose()

    async def services(self, user: str) -> Services:
        """Every service."""
        return _read(Services, await self._ask(user, "GET", "/services"))

    async def ports(self, user: str) -> Ports:
        """What listens, and who may come. The control service asks every node."""
        return _read(Ports, await self._ask(user, "GET", "/ports"))

    async def restart(self, name: str, user: str) -> ServiceAction:
        """Restart, and wait until healthy."""
        return _read(ServiceAction, await self._ask(user, "POST", f"/services/{_named(name)}/restart", timeout=300))

    async def logs(self, name: str, lines: int, user: str) -> ServiceLog:
        """The end of a log."""
        return _read(
            ServiceLog, await self._ask(user, "GET", f"/services/{_named(name)}/logs", params={"lines": lines})
        )

    async def runs(self, limit: int, cursor: str | None, user: str) -> Page[RunSummary]:
        """Runs, newest first."""
        params: dict[str, Any] = {"limit": limit}
        if cursor is not None:
            params["cursor"] = cursor
        return _read(Page[RunSummary], await self._ask(user, "GET", "/runs", params=params))

    async def run(self, run_id: str, user: str) -> Run:
        """One run."""
        return _read(Run, await self._ask(user, "GET", f"/runs/{_named(run_id)}"))

    async def run_events(self, run_id: str, after: str | None, user: str) -> AsyncIterator[ServerSentEvent]:
        """The events of a run, passed on as they are."""
        known = after is not None and after.isascii() and after.isdigit()  # as it numbers them
        headers = _for(user) | ({"Last-Event-ID": str(after)} if known else {})
        timeout = httpx.Timeout(10, read=60)
        try:
            async with self._http.stream(
                "GET", f"/runs/{_named(run_id)}/events", headers=headers, timeout=timeout
            ) as answer:
                if answer.is_error:
                    return
                async for event in EventSource(answer).aiter_sse():
                    yield ServerSentEvent(event=event.event, id=event.id or None, data=event.data)
        except httpx.HTTPError:
            return  # the browser connects again with the last id

    async def images(self, user: str) -> Images:
        """The imported images."""
        return _read(Images, await self._ask(user, "GET", "/images"))

    async def image(self, repository: str, tag: str, user: str) -> ImageDescription:
        """One image of the registry. Raises NotFound."""
        params = {"repository": repository, "tag": tag}
        return _read(ImageDescription, await self._ask(user, "GET", "/images/described", params=params))

    async def _ask(self, user: str, method: str, path: str, **more: Any) -> Any:
        try:
            answer = await self._http.request(method, path, headers=_for(user), **more)
            content = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise Unavailable(codes.ControlUnavailable(why=type(error).__name__)) from error
        if answer.is_error:
            raise _ERRORS.get(answer.status_code, Unavailable)(_problem(answer.status_code, content))
        return content


Model = TypeVar("Model", bound=BaseModel)


def _named(name: str) -> str:
    """A name that somebody chose, as one part of a path and nothing else: no query, no way up, no odd characters."""
    return quote(name, safe="").replace(".", "%2E")


def _for(user: str) -> dict[str, str]:
    return {"Atoll-User": user}


def _problem(status: int, content: Any) -> ProblemCode:
    """What the control service told, as it is declared here; what is not is told in its own words."""
    said = content if isinstance(content, dict) else {}
    detail = str(said.get("detail") or f"The control service answered {status}.")
    known = restored(TOLD, str(said.get("code")), {**(said.get("params") or {}), "detail": detail})
    return known or codes.ControlFailed(detail=detail)


def _read(model: type[Model], content: Any) -> Model:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise Unavailable(codes.ControlVersion()) from error
