"""The control service's answers fit the API's schemas: both rooms' types, held against each other. Needs nothing."""

from typing import Any

from atoll.control.schemas import Run, RunSummary, ServiceAction, Services

from installer.running import runs
from installer.services.actions import ActionResult
from installer.services.states import PartState, ServiceState


def test_services_of_the_control_service_are_services_of_the_api() -> None:
    part = PartState("deployment/api", "running", 1, 1, ("master1",))
    state = ServiceState("api", "API", "degraded", 1, 2, "one is missing", ("master1",), "0.1.0", ("restart",), (part,))
    line = {name: value for name, value in state.to_json().items() if name != "parts"}
    read = Services.model_validate({"items": [line]})
    assert read.items[0].replicas.wanted == 2


def test_runs_of_the_control_service_are_runs_of_the_api() -> None:
    fields: dict[str, Any] = {
        "verb": "apply",
        "state": "failed",
        "started_at": runs.moment(1_800_000_000),
        "finished_at": runs.moment(1_800_000_060),
        "seconds": 60.0,
        "changed": 3,
        "failed": 1,
        "message": "no space left",
    }
    run = runs.Run("20261121-100000-ab", **fields)
    run.phases.append(
        runs.RunPhase(name="host", state="succeeded", nodes={"master1": "succeeded"}, seconds=3.5, changed=2)
    )
    assert Run.model_validate(run.to_json()).phases[0].nodes == {"master1": "succeeded"}
    assert RunSummary.model_validate(run.summary()).failed == 1


def test_what_an_action_did_is_read() -> None:
    done = ActionResult("api", "restart", ok=True, changed=True, message="api is running (1/1)", seconds=4.25)
    assert ServiceAction.model_validate(done.to_json()).ok
