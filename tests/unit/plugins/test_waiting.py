"""Waiting ends at once, and says why, when a pod ends again and again. Needs nothing: kubectl is a script."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.ports import free_ports

PASSWORD = "correct-horse-battery"
WANTED = {"kind": "Deployment", "name": "api", "namespace": "atoll-system", "condition": "rollout", "timeout_s": 120}
KUBECTL = """
case "$*" in
*"rollout status"*|*" wait "*) cat {answers}/pods > {answers}/pods_before; cp {answers}/pods_next {answers}/pods
    echo "error: timed out waiting for the condition" >&2; exit 1 ;;
*"get pods,replicasets"*) cat {answers}/pods ;;
*"get deployment api"*|*"get job api"*) cat {answers}/object ;;
*"get secrets"*) cat {answers}/secrets ;;
*" logs "*) cat {answers}/said ;;
esac
"""


def pod(name: str, restarts: int, revision: str = "new", reason: str = "CrashLoopBackOff") -> dict[str, Any]:
    status = {
        "name": "api",
        "restartCount": restarts,
        "state": {"waiting": {"reason": reason}},
        "lastState": {"terminated": {"exitCode": 3, "reason": "Error"}},
    }
    return {
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"pod-template-hash": revision}},
        "spec": {"nodeName": "master1", "containers": [{"name": "api"}]},
        "status": {"containerStatuses": [status]},
    }


def replica_set(revision: str, number: int) -> dict[str, Any]:
    annotations = {"deployment.kubernetes.io/revision": str(number)}
    return {"kind": "ReplicaSet", "metadata": {"labels": {"pod-template-hash": revision}, "annotations": annotations}}


Answer = Callable[..., None]


@pytest.fixture
def answer(tmp_path: Path, programs: Any, monkeypatch: pytest.MonkeyPatch, module_utility: Any) -> Answer:
    """Say what the cluster has when waiting begins, and after the first look."""
    monkeypatch.setattr(module_utility("atoll_waiting"), "LOOK_S", 1)
    programs("kubectl", KUBECTL.format(answers=tmp_path))

    def put(first: list[Any], then: list[Any], log: str = "", status: dict[str, Any] | None = None) -> None:
        sets = [replica_set("old", 1), replica_set("new", 2)]
        object_ = {"metadata": {"generation": 2}, "spec": {"selector": {"matchLabels": {"app": "api"}}}}
        object_["status"] = {"observedGeneration": 2, **(status or {})}
        secret = {"data": {"database_password": base64.b64encode(PASSWORD.encode()).decode()}}
        for name, content in (
            ("pods", {"kind": "List", "items": [*first, *sets]}),
            ("pods_next", {"kind": "List", "items": [*then, *sets]}),
            ("object", {"kind": "Thing", **object_}),
            ("secrets", {"kind": "List", "items": [secret]}),
        ):
            (tmp_path / name).write_text(json.dumps(content))
        (tmp_path / "said").write_text(log)

    return put


def refusal(module_utility: Any, **more: Any) -> str:
    waiting, began = module_utility("atoll_waiting"), time.monotonic()
    with pytest.raises(module_utility("atoll_node").NodeError) as caught:
        waiting.reach({**WANTED, **more})
    assert time.monotonic() - began < 30
    return str(caught.value)


def test_a_pod_that_ends_again_and_again_is_told_at_once_with_its_last_lines(
    module_utility: Any, answer: Answer
) -> None:
    answer([], [pod("api-1", 2)], "starting\nconfig.yaml: devices: Input should be a valid list\n")
    said = refusal(module_utility)
    assert "Deployment atoll-system/api: container `api` of pod `api-1` on node `master1` ends again and again" in said
    assert "exit code 3, 2 restarts" in said
    assert said.endswith("  config.yaml: devices: Input should be a valid list")


def test_last_lines_tell_no_secret(module_utility: Any, answer: Answer) -> None:
    encoded = base64.b64encode(PASSWORD.encode()).decode()
    answer([], [pod("api-1", 5)], f"cannot connect with postgresql://atoll:{PASSWORD}@database\nheader {encoded}\n")
    said = refusal(module_utility)
    assert PASSWORD not in said
    assert encoded not in said
    assert "postgresql://atoll:***@database" in said


def test_a_pod_that_waits_long_to_be_started_again_is_told_when_time_is_over(
    module_utility: Any, answer: Answer
) -> None:
    answer([pod("api-1", 7)], [pod("api-1", 7)], "no such host: database\n")
    began = time.monotonic()
    said = refusal(module_utility, timeout_s=2)
    assert time.monotonic() - began > 1.5, "it ended before; it is about to be started again"
    assert "deployment/api did not reach `rollout`" in said
    assert "container `api` of pod `api-1` on node `master1` ends again and again" in said
    assert said.endswith("  no such host: database")


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ([], [pod("api-1", 1)]),  # it may have waited for a sibling
        ([], [pod("api-0", 9, revision="old")]),  # it is about to be replaced
        ([], [pod("api-1", 3, reason="PodInitializing")]),
    ],
)
def test_what_may_still_come_is_waited_for(module_utility: Any, answer: Answer, first: Any, then: Any) -> None:
    answer(first, then)
    said = refusal(module_utility, timeout_s=3)
    assert "did not reach `rollout`" in said
    assert "again and again" not in said


def test_a_pod_that_went_on_ending_since_we_began_is_told(module_utility: Any, answer: Answer) -> None:
    answer([pod("api-1", 7)], [pod("api-1", 8)])
    assert "8 restarts" in refusal(module_utility)


def test_a_job_that_has_given_up_is_told_at_once(module_utility: Any, answer: Answer) -> None:
    failed = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "no more tries"}
    ended = pod("api-1", 0, reason="")
    answer([], [ended], "the migration needs a newer database\n", {"conditions": [failed]})
    said = refusal(module_utility, kind="Job", condition="Complete")
    assert "Job atoll-system/api has failed (BackoffLimitExceeded: no more tries)" in said
    assert "the migration needs a newer database" in said


def test_another_failure_than_a_time_out_is_told_as_it_is(module_utility: Any, programs: Any, answer: Answer) -> None:
    answer([], [])
    programs("kubectl", 'case "$*" in *"rollout status"*) echo "exceeded its progress deadline" >&2; exit 1 ;; esac')
    assert "exceeded its progress deadline" in refusal(module_utility)


@pytest.mark.parametrize("uid", ["same", "new"])
def test_a_static_pod_that_ends_again_and_again_is_told_at_once(
    tmp_path: Path, programs: Any, monkeypatch: pytest.MonkeyPatch, module_utility: Any, uid: str
) -> None:
    waiting = module_utility("atoll_waiting")
    monkeypatch.setattr(waiting, "LOOK_S", 0)
    programs(
        "kubectl",
        f"""
case "$*" in
*"get pod control-m"*) cat {tmp_path}/pod ;;
*"get secrets"*) echo '{{"items": []}}' ;;
*" logs "*) echo "ImportError: no module named control" ;;
esac
""",
    )

    def stands(restarts: int, uid: str) -> None:
        one = pod("control-m", restarts)
        one["metadata"]["uid"] = uid
        (tmp_path / "pod").write_text(json.dumps(one))

    stands(4, "same")
    static = waiting.StaticPod("kube-system/control-m")
    static.look()  # it ended before we came, and not since
    stands(5 if uid == "same" else 2, uid)
    with pytest.raises(
        module_utility("atoll_node").NodeError, match="Static pod kube-system/control-m: container `api`"
    ) as told:
        static.look()
    assert "ImportError" in str(told.value)


def test_what_a_static_pod_offers_is_not_waited_for_when_it_ends_again_and_again(
    tmp_path: Path, programs: Any, plugin: Any, run: Any, monkeypatch: pytest.MonkeyPatch, module_utility: Any
) -> None:
    monkeypatch.setattr(module_utility("atoll_waiting"), "LOOK_S", 0)
    monkeypatch.setattr(plugin("modules", "atoll_verify"), "AGAIN_S", 0.01)
    for number in (1, 2, 3):
        (tmp_path / f"pod{number}").write_text(json.dumps(pod("control-m", number)))
    programs(
        "kubectl",
        f"""
case "$*" in
*"get pod control-m"*) cat {tmp_path}/pod1; mv {tmp_path}/pod2 {tmp_path}/pod1; mv {tmp_path}/pod3 {tmp_path}/pod2 ;;
*"get secrets"*) echo '{{"items": []}}' ;;
*" logs "*) echo "ImportError: no module named control" ;;
esac
""",
    )
    (port,) = free_ports(1)
    wanted = {"phase": "control", "ports": {port: "the control service"}, "static_pod": "kube-system/control-m"}
    failed = run("atoll_verify", **wanted, timeout_s=3)
    assert failed["failed"]
    assert "ImportError" in failed["msg"], "it says why nothing listens"
