"""Runs of the installer, from their journals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response

from installer.control.answers import Run, RunEvent, Runs, RunSummary
from installer.control.callers import Asking, Caller
from installer.control.problems import NO_SUCH_RUN, Problem
from installer.control.settings import Settings
from installer.control.streams import Stream, Streams, after, events_of
from installer.control.timeline import timeline
from installer.control.trail import Trail
from installer.running import runs


def routes(settings: Settings, trail: Trail) -> APIRouter:
    """Make what is said about runs."""
    router = APIRouter(tags=["runs"])
    streams = Streams("runs_events")

    def read(run_id: str, caller: Caller) -> Path:
        folder = _folder(settings, run_id)
        if caller.user is not None:
            trail.tell(f"{caller} reads run {run_id}", caller.user)
        return folder

    @router.get("/runs", operation_id="runs_list")
    def list_runs(limit: Annotated[int, Query(ge=1, le=1000)] = 50, cursor: str | None = None) -> Runs:
        found = runs.runs(settings.state, limit + 1, before=cursor)
        more = found[limit - 1].id if len(found) > limit else None
        return Runs(items=[RunSummary.model_validate(run.summary()) for run in found[:limit]], next_cursor=more)

    @router.get("/runs/{run_id}", operation_id="runs_get")
    def one_run(run_id: str, caller: Asking) -> Run:
        return Run.model_validate(runs.run(read(run_id, caller)).to_json())

    @router.get(
        "/runs/{run_id}/events",
        operation_id="runs_events",
        response_class=Stream,
        responses=events_of({"run": RunEvent}),
    )
    def run_events(run_id: str, caller: Asking, last_event_id: Annotated[str | None, Header()] = None) -> Response:
        return streams.of(caller, timeline(read(run_id, caller), after(last_event_id)))

    return router


def _folder(settings: Settings, run_id: str) -> Path:
    folder = runs.find(settings.state, run_id)
    if folder is None:
        raise Problem(NO_SUCH_RUN, f"There is no run `{run_id}`.", "GET /runs lists them.", run=run_id)
    return folder
