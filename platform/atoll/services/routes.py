"""Services and runs, by way of the control service."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response

from atoll.control.dependencies import Control
from atoll.control.schemas import Ports, Run, RunEvent, RunSummary, ServiceAction, ServiceLog, Services
from atoll.identity.caller import Caller
from atoll.identity.dependencies import allowed, stream_of
from atoll.services.policy import RUNS_READ, SERVICES_OPERATE, SERVICES_READ
from atoll.services.service import ServicesService
from atoll.web.dependencies import Cursor, Limit, Parts
from atoll.web.events import EventStream, described
from atoll.web.schema import Page

router = APIRouter(tags=["services"])


@router.get("/services", name="list")
async def services(caller: Annotated[Caller, allowed(SERVICES_READ)], control: Control) -> Services:
    """Every service with its state."""
    return await control.services(caller.name)


@router.get("/ports", name="list_ports")
async def ports(caller: Annotated[Caller, allowed(SERVICES_READ)], control: Control) -> Ports:
    """What listens on nodes and as Services, who may come there, and what listens without a row of the table."""
    return await control.ports(caller.name)


@router.post("/services/{name}/restart")
async def restart(
    name: str, caller: Annotated[Caller, allowed(SERVICES_OPERATE)], control: Control, parts: Parts
) -> ServiceAction:
    """Render the configuration again, restart, wait for health, and say what was done."""
    return await ServicesService(control, parts.sessions).restart(caller, name)


@router.get("/services/{name}/logs", name="read_log")
async def logs(
    caller: Annotated[Caller, allowed(SERVICES_READ)],
    name: str,
    control: Control,
    lines: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> ServiceLog:
    """The end of a service's log."""
    return await control.logs(name, lines, caller.name)


@router.get("/runs", name="list_runs")
async def runs(
    caller: Annotated[Caller, allowed(RUNS_READ)],
    control: Control,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[RunSummary]:
    """Runs of the installer, newest first."""
    return await control.runs(limit, cursor, caller.name)


@router.get("/runs/{run_id}", name="read_run")
async def run(run_id: str, caller: Annotated[Caller, allowed(RUNS_READ)], control: Control) -> Run:
    """One run with its phases."""
    return await control.run(run_id, caller.name)


@router.get(
    "/runs/{run_id}/events", name="follow_run", response_class=EventStream, responses=described({"run": RunEvent})
)
async def run_events(
    run_id: str,
    request: Request,
    parts: Parts,
    caller: Annotated[Caller, allowed(RUNS_READ)],
    control: Control,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """The journal of a run as it grows."""
    return stream_of(request, parts, caller, control.run_events(run_id, last_event_id, caller.name))
