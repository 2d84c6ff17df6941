"""The services of the cluster: what they are, what they say, and what can be done to them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import AsyncIterator
from typing import Annotated, Any

import anyio
from anyio import to_thread
from fastapi import APIRouter, Body, Query, Request
from fastapi.responses import Response

from installer.cluster import version
from installer.control import answers
from installer.control.callers import Asking
from installer.control.current import Current
from installer.control.operations import Operations, Work
from installer.control.problems import NO_SUCH_ACTION, NO_SUCH_SERVICE, Problem
from installer.control.recent import Recent
from installer.control.routers.operations import told
from installer.control.settings import Settings
from installer.control.streams import Stream, Streams, events_of
from installer.control.trail import Trail
from installer.redaction import Redactor
from installer.running.rendering import Narrator, render_service
from installer.running.run import writing
from installer.services.access import Access
from installer.services.actions import ActionResult, Say, act
from installer.services.configuration import configuration
from installer.services.logs import follow, logs
from installer.services.observation import services
from installer.services.states import ServiceState
from installer.services.stop import Stop
from installer.services.table import BY_NAME, SERVICES, Action, Service

FRESH_SECONDS = 2.0
Lines = Annotated[int, Query(ge=1, le=10_000)]


def routes(settings: Settings, current: Current, operations: Operations, trail: Trail) -> APIRouter:
    """Make what is said about services, and done to them."""
    router = APIRouter(tags=["services"])
    seen = Recent(lambda: services(current.for_reading()), FRESH_SECONDS)
    one_writer = threading.Lock()
    followed = Streams("services_logs")

    @router.get("/services", operation_id="services_list")
    def list_services() -> answers.Services:
        return answers.Services(items=[answers.ServiceLine.model_validate(summary(state)) for state in seen.get()])

    @router.get("/services/{name}", operation_id="services_get")
    def one_service(name: str) -> answers.Service:
        return answers.Service.model_validate(services(current.for_reading(), [_service(name)])[0].to_json())

    @router.get("/services/{name}/config", operation_id="services_config")
    def service_configuration(name: str) -> answers.ServiceConfiguration:
        redactor = Redactor.of_file(settings.state / "secrets.yaml")
        found = configuration(current.for_reading(), _service(name), redactor)
        return answers.ServiceConfiguration(service=name, files=found)

    @router.get(
        "/services/{name}/logs",
        operation_id="services_logs",
        response_model=answers.LogLines,
        responses=events_of({"line": answers.LogLine}),
    )
    def service_logs(name: str, caller: Asking, lines: Lines = 200, follow: bool = False) -> Any:
        service, access = _service(name), current.for_reading()
        if caller.user is not None:
            trail.tell(f"{caller} reads the log of {name}", caller.user)
        redactor = Redactor.of_file(settings.state / "secrets.yaml")
        if follow:
            return followed.of(caller, _followed(access, service, lines, redactor))
        return answers.LogLines(lines=[redactor.text(line) for line in logs(access, service, lines)])

    @router.post(
        "/services/{name}/{action}",
        operation_id="services_act",
        response_model=answers.ActionResult,
        responses=events_of({"message": answers.OperationMessage, "finished": answers.ActionResult}),
    )
    async def do(
        request: Request,
        response: Response,
        caller: Asking,
        name: str,
        action: str,
        revision: Annotated[str | None, Body(embed=True)] = None,
    ) -> Any:
        service = _service(name)
        known = next((one for one in service.actions if one == action), None)
        if known is None:
            knows = ", ".join(service.actions)
            text = f"`{name}` cannot be told to {action}."
            raise Problem(NO_SUCH_ACTION, text, f"It knows: {knows}.", service=name, action=action)
        caller.may_act(known, revision)
        work = _work(settings, current, service, known, revision, one_writer)
        operation = await to_thread.run_sync(operations.begin, name, action, str(caller), work)
        place = {"Location": f"/operations/{operation.id}"}
        if "text/event-stream" in request.headers.get("accept", ""):
            return Stream(told(operation), headers=place)
        response.headers.update(place)
        async for _ in operation.follow():
            pass
        return operation.result()

    return router


def summary(state: ServiceState) -> dict[str, Any]:
    """Return a service as one line of the list."""
    return {name: value for name, value in state.to_json().items() if name != "parts"}


def _service(name: str) -> Service:
    try:
        return BY_NAME[name]
    except KeyError:
        names = ", ".join(service.name for service in SERVICES)
        raise Problem(NO_SUCH_SERVICE, f"There is no service `{name}`.", f"There are: {names}.", service=name) from None


def _work(
    settings: Settings,
    current: Current,
    service: Service,
    action: Action,
    revision: str | None,
    one_writer: threading.Lock,
) -> Work:
    if service.name == "control":
        return lambda say: _restart_self(say)

    def work(say: Say) -> ActionResult:
        @contextlib.contextmanager
        def in_turn() -> Any:
            # The cluster's lock refuses a second writer; operations of this service wait for each other instead.
            if not one_writer.acquire(blocking=False):
                say("waits until another operation has rendered its configuration")
                one_writer.acquire()
            try:
                yield
            finally:
                one_writer.release()

        def render(service: Service, say: Say) -> int:
            with in_turn():
                return render_service(settings.cluster, service, revision, say)

        if action != "stop":  # what starts renders first, and rendering becomes the one writer itself
            return act(current.for_acting(), service, action, render, say)
        with in_turn(), writing(settings.state, f"stop {service.name}", version(), Narrator(say)):
            return act(current.for_acting(), service, action, render, say)

    return work


def _restart_self(say: Say) -> ActionResult:
    """End this process after the answer is out; the kubelet starts it again. Its manifest is rendered by `apply`."""
    say("The control service ends itself; the kubelet starts it again.")
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGTERM))
    timer.daemon = True
    timer.start()
    return ActionResult("control", "restart", True, True, "control is restarting", 0.0)


async def _followed(access: Access, service: Service, lines: int, redactor: Redactor) -> AsyncIterator[dict[str, str]]:
    stop = Stop()
    source = follow(access, service, lines, stop)
    own = anyio.CapacityLimiter(1)  # a thread beside those that answer requests: it waits for the next line
    try:
        while (line := await to_thread.run_sync(next, source, None, abandon_on_cancel=True, limiter=own)) is not None:
            yield {"event": "line", "data": json.dumps({"text": redactor.text(line)})}
    finally:
        # Also when the watcher has gone: shielded, since this task is being cancelled then.
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(stop.set)
