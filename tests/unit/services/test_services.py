"""The table of services and how states are judged. Needs nothing."""

import threading
from typing import Any

import pytest

from installer.planning import BY_NAME as PHASES
from installer.redaction import BLOT, Redactor
from installer.services.actions import rollout_missing
from installer.services.observation import pod_trouble
from installer.services.states import PartState, State, combine, unit_state, workload_state
from installer.services.stop import Stop
from installer.services.table import SERVICES


def test_every_service_is_rendered_by_phases_that_exist() -> None:
    assert {phase for service in SERVICES for phase in service.phases} <= set(PHASES)
    assert len({service.name for service in SERVICES}) == len(SERVICES)


@pytest.mark.parametrize(
    ("wanted", "ready", "trouble", "state"),
    [
        (0, 0, "", "stopped"),
        (2, 2, "", "running"),
        (2, 1, "x", "degraded"),
        (1, 0, "", "starting"),
        (1, 0, "x", "failed"),
    ],
)
def test_a_workload_is_judged_by_its_replicas(wanted: int, ready: int, trouble: str, state: State) -> None:
    assert workload_state("w", wanted, ready, trouble, [], "").state == state


def test_a_trouble_that_is_over_is_not_told() -> None:
    assert workload_state("w", 1, 1, "crashed before", [], "").message == ""


@pytest.mark.parametrize(
    ("active", "load", "state"),
    [
        ("active", "loaded", "running"),
        ("failed", "loaded", "failed"),
        ("inactive", "loaded", "stopped"),
        ("inactive", "not-found", "failed"),
        ("activating", "loaded", "starting"),
    ],
)
def test_a_unit_is_judged_by_systemd(active: str, load: str, state: State) -> None:
    assert unit_state("u", "n", active, load, "exit-code").state == state


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([], "stopped"),
        (["running", "running"], "running"),
        (["stopped", "stopped"], "stopped"),
        (["running", "failed"], "degraded"),
        (["failed", "stopped"], "failed"),
        (["running", "starting"], "starting"),
        (["running", "unknown"], "degraded"),
        (["unknown"], "unknown"),
        (["running", "stopped"], "degraded"),
    ],
)
def test_the_worst_part_speaks_for_the_whole(parts: list[State], whole: State) -> None:
    assert combine([PartState("p", state) for state in parts]) == whole


def deployment(generation: int = 2, **status: int) -> dict[str, Any]:
    return {"kind": "Deployment", "metadata": {"generation": generation}, "spec": {"replicas": 2}, "status": status}


@pytest.mark.parametrize(
    ("status", "missing"),
    [
        ({"observedGeneration": 1}, "not seen yet"),
        ({"observedGeneration": 2, "updatedReplicas": 1, "replicas": 3}, "1 of 2 pods are renewed"),
        ({"observedGeneration": 2, "updatedReplicas": 2, "replicas": 3}, "1 former pods"),
        ({"observedGeneration": 2, "updatedReplicas": 2, "replicas": 2, "availableReplicas": 1}, "1 of 2 renewed"),
        ({"observedGeneration": 2, "updatedReplicas": 2, "replicas": 2, "availableReplicas": 2}, ""),
    ],
)
def test_a_rollout_is_over_only_when_former_pods_are_gone_and_new_ones_serve(
    status: dict[str, int], missing: str
) -> None:
    assert missing in rollout_missing(deployment(**status))
    assert bool(rollout_missing(deployment(**status))) == bool(missing)


def test_why_a_pod_waits_is_told_with_its_last_exit_code() -> None:
    container = {
        "name": "api",
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 137}},
    }
    pod = {"metadata": {"name": "api-1"}, "status": {"containerStatuses": [container]}}
    assert pod_trouble(pod) == "api-1: container api: CrashLoopBackOff, last exit code 137"
    container["state"] = {"waiting": {"reason": "ContainerCreating"}}
    assert pod_trouble(pod) == ""


def test_secrets_are_blotted_out_of_nested_data_longest_first() -> None:
    redactor = Redactor(["abcdefgh", "abcdefgh-and-more", "short"])
    assert redactor.data({"a abcdefgh": ["abcdefgh-and-more", 1, ("short",)]}) == {f"a {BLOT}": [BLOT, 1, ["short"]]}


def test_what_waits_is_ended_once_also_when_it_comes_too_late() -> None:
    stop, ended = Stop(), []
    stop.add(lambda: ended.append("early"))
    thread = threading.Thread(target=stop.set)
    thread.start()
    thread.join()
    stop.add(lambda: ended.append("late"))
    stop.set()
    assert ended == ["early", "late"]
