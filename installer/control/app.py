"""What the control service answers. Shapes: `platform/atoll/control/schemas.py`, as the portal sees them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import anyio
from anyio import to_thread
from fastapi import Body, FastAPI, Header, Query, Request
from fastapi.responses import Response
from sse_starlette import EventSourceResponse

from installer.cluster import version
from installer.control import images, problems
from installer.control.current import Current
from installer.control.operations import Operation, Operations
from installer.control.problems import Problem
from installer.control.settings import Settings
from installer.control.timeline import timeline
from installer.redaction import Redactor
from installer.running import runs as earlier
from installer.running.rendering import Narrator, render_service
from installer.running.run import writing
from installer.services.access import Access
from installer.services.actions import ActionResult, Say, act
from installer.services.configuration import configuration
from installer.services.logs import follow, logs
from installer.services.nodes import nodes
from installer.services.observation import services
from installer.services.states import ServiceState
from installer.services.stop import Stop
from installer.services.table import BY_NAME, SERVICES, Action, Service

FRESH_SECONDS = 2.0
Lines = Annotated[int, Query(ge=1, le=10_000)]


def create_app(settings: Settings) -> FastAPI:
    """Make the application for one cluster."""
    app = FastAPI(title="Atoll control service", version=version(), docs_url=None, redoc_url=None)
    problems.install(app)
    current = Current(settings)
    operations = Operations()
    seen = Recent(lambda: services(current.for_reading()))
    started_at = earlier.moment(time.time())

    @app.get("/healthz")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/about")
    def about() -> dict[str, str]:
        return {"cluster": settings.cluster, "node": settings.node, "version": version(), "started_at": started_at}

    @app.get("/nodes")
    def list_nodes() -> dict[str, Any]:
        return {"items": [node.to_json() for node in nodes(current.for_reading())]}

    @app.get("/services")
    def list_services() -> dict[str, Any]:
        return {"items": [summary(state) for state in seen.get()]}

    @app.get("/services/{name}")
    def one_service(name: str) -> dict[str, Any]:
        return services(current.for_reading(), [_service(name)])[0].to_json()

    @app.get("/services/{name}/config")
    def service_configuration(name: str) -> dict[str, Any]:
        redactor = Redactor.of_file(settings.state / "secrets.yaml")
        return {"service": name, "files": configuration(current.for_reading(), _service(name), redactor)}

    @app.get("/services/{name}/logs")
    def service_logs(name: str, lines: Lines = 200, follow: bool = False) -> Response:
        service, access = _service(name), current.for_reading()
        redactor = Redactor.of_file(settings.state / "secrets.yaml")
        if not follow:
            text = json.dumps({"lines": [redactor.text(line) for line in logs(access, service, lines)]})
            return Response(text, media_type="application/json")
        return EventSourceResponse(_followed(access, service, lines, redactor))

    @app.post("/services/{name}/{action}")
    async def do(
        request: Request, name: str, action: str, revision: Annotated[str | None, Body(embed=True)] = None
    ) -> Response:
        service = _service(name)
        known = next((one for one in service.actions if one == action), None)
        if known is None:
            knows = ", ".join(service.actions)
            raise Problem(405, "no_such_action", f"`{name}` cannot be told to {action}.", f"It knows: {knows}.")
        caller = str(getattr(request.state, "caller", "unnamed"))
        operation = operations.begin(name, action, caller, _work(settings, current, service, known, revision))
        if "text/event-stream" in request.headers.get("accept", ""):
            return EventSourceResponse(_told(operation))
        result = await to_thread.run_sync(operation.result, abandon_on_cancel=True)
        return Response(json.dumps(result.to_json()), media_type="application/json")

    app.include_router(images.routes(settings))

    @app.get("/runs")
    def list_runs(limit: Annotated[int, Query(ge=1, le=1000)] = 50, cursor: str | None = None) -> dict[str, Any]:
        found = earlier.runs(settings.state, limit + 1, before=cursor)
        more = found[limit - 1].id if len(found) > limit else None
        return {"items": [run.summary() for run in found[:limit]], "next_cursor": more}

    @app.get("/runs/{run_id}")
    def one_run(run_id: str) -> dict[str, Any]:
        return earlier.run(_folder(settings, run_id)).to_json()

    @app.get("/runs/{run_id}/events")
    def run_events(run_id: str, last_event_id: Annotated[str | None, Header()] = None) -> Response:
        after = int(last_event_id) if last_event_id and last_event_id.isdigit() else 0
        return EventSourceResponse(timeline(_folder(settings, run_id), after))

    return app


class Recent:
    """Keeps an answer for a moment, so that many watchers cost one look; a second asker waits for the first's look."""

    def __init__(self, look: Callable[[], list[ServiceState]]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._at = -FRESH_SECONDS
        self._answer: list[ServiceState] = []

    def get(self) -> list[ServiceState]:
        """Return what was seen at most FRESH_SECONDS ago."""
        with self._lock:
            if time.monotonic() - self._at > FRESH_SECONDS:
                self._answer = self._look()
                self._at = time.monotonic()
            return self._answer


def summary(state: ServiceState) -> dict[str, Any]:
    """Return a service as one line of the list."""
    return {name: value for name, value in state.to_json().items() if name != "parts"}


def _service(name: str) -> Service:
    try:
        return BY_NAME[name]
    except KeyError:
        names = ", ".join(service.name for service in SERVICES)
        raise Problem(404, "no_such_service", f"There is no service `{name}`.", f"There are: {names}.") from None


def _folder(settings: Settings, run_id: str) -> Path:
    folder = earlier.find(settings.state, run_id)
    if folder is None:
        raise Problem(404, "no_such_run", f"There is no run `{run_id}`.", "GET /runs lists them.")
    return folder


def _work(
    settings: Settings, current: Current, service: Service, action: Action, revision: str | None
) -> Callable[[Say], ActionResult]:
    if service.name == "control":
        return lambda say: _restart_self(say)

    def work(say: Say) -> ActionResult:
        def render(service: Service, say: Say) -> int:
            return render_service(settings.cluster, service, revision, say)

        # What starts renders first, and rendering becomes the one writer itself.
        alone = writing(settings.state, f"stop {service.name}", version(), Narrator(say))
        with alone if action == "stop" else contextlib.nullcontext():
            return act(current.for_acting(), service, action, render, say)

    return work


def _restart_self(say: Say) -> ActionResult:
    """End this process after the answer is out; the kubelet starts it again. Its manifest is rendered by `apply`."""
    say("The control service ends itself; the kubelet starts it again.")
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGTERM))
    timer.daemon = True
    timer.start()
    return ActionResult("control", "restart", True, True, "control is restarting", 0.0)


def _told(operation: Operation) -> Iterator[dict[str, str]]:
    for text in operation.messages():
        yield {"event": "message", "data": json.dumps({"text": text})}
    yield {"event": "finished", "data": json.dumps(operation.result().to_json())}


async def _followed(access: Access, service: Service, lines: int, redactor: Redactor) -> AsyncIterator[dict[str, str]]:
    stop = Stop()
    source = follow(access, service, lines, stop)
    try:
        while (line := await to_thread.run_sync(next, source, None, abandon_on_cancel=True)) is not None:
            yield {"event": "line", "data": json.dumps({"text": redactor.text(line)})}
    finally:
        # Also when the watcher has gone: shielded, since this task is being cancelled then.
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(stop.set)
