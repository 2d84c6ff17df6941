"""What the Kubernetes engine says about what it sees. Needs nothing; the rest is a system test."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from atoll.devices.types import DeviceType
from atoll.engines.base import Phase
from atoll.engines.kubernetes import keeping, manifests, names, observing
from atoll.engines.specification import Mode

from installer.cluster import DEVICE_TYPES
from tests.unit.platform.engines.test_kubernetes import submission

TYPES = [DeviceType(**device.row()) for device in DEVICE_TYPES.values()]
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def pod(rank: int, **status: Any) -> dict[str, Any]:
    return {
        "metadata": {
            "name": f"pod-{rank}",
            "creationTimestamp": "2026-11-21T11:00:00Z",
            "labels": {"batch.kubernetes.io/job-completion-index": str(rank)},
        },
        "spec": {"nodeName": "worker1"},
        "status": status,
    }


def ended(rank: int, exit_code: int, message: str = "", reason: str = "Error") -> dict[str, Any]:
    terminated = {
        "exitCode": exit_code,
        "reason": reason,
        "message": message,
        "startedAt": "2026-11-21T11:00:01Z",
        "finishedAt": f"2026-11-21T11:00:1{rank}Z",
    }
    return pod(rank, phase="Failed", containerStatuses=[{"state": {"terminated": terminated}}])


def running(rank: int) -> dict[str, Any]:
    return pod(rank, containerStatuses=[{"state": {"running": {"startedAt": "2026-11-21T11:00:01Z"}}}])


def job_set(nodes: int = 1, suspend: bool = False, **conditions: datetime) -> dict[str, Any]:
    made = manifests.job_set(submission(nodes=nodes))
    made["spec"]["suspend"] = suspend
    made["status"] = {
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": at.isoformat(), "message": "jobset failed"}
            for kind, at in conditions.items()
        ]
    }
    return made


def test_what_is_gone_is_gone() -> None:
    assert observing.observation("a", None, [], None, NOW).phase is Phase.GONE


def test_a_container_that_the_kernel_killed_for_memory_says_so() -> None:
    seen = observing.observation("a", job_set(Failed=NOW), [ended(0, 137, reason="OOMKilled")], None, NOW)
    assert seen.phase is Phase.FAILED
    assert seen.reason is not None
    assert seen.reason.message == "The memory limit of 400Mi was exceeded."


# As the kubelet writes it (pkg/kubelet/eviction), for one container, for the pod, and for a volume of it.
FULL = (
    'Container task exceeded its local ephemeral storage limit "20Gi". ',
    "Pod ephemeral local storage usage exceeds the total limit of containers 20Gi. ",
    'Usage of EmptyDir volume "tmp" exceeds the limit "20Gi". ',
)


@pytest.mark.parametrize("ends", ["killed", "in peace", "before it ran", "told by the pod alone"])
@pytest.mark.parametrize("message", [*FULL, "", None])
def test_a_pod_that_fills_its_nodes_disk_is_evicted_and_its_task_fails(message: str | None, ends: str) -> None:
    full, other = ended(0, 0 if ends == "in peace" else 137), running(1)
    if ends == "before it ran":
        full["status"] = {"phase": "Failed"}
    full["status"] |= {"reason": "Evicted"} | ({} if message is None else {"message": message})
    made = job_set(2) if ends == "told by the pod alone" else job_set(2, Failed=NOW)
    pods = [full, ended(1, 143) if ends == "told by the pod alone" else other]
    seen = observing.observation("a", made, pods, None, NOW)
    words = f"The node had to end it: {message.strip()}" if message else "The node had to end it."
    assert seen.phase is Phase.FAILED
    assert (seen.replicas[0].state, seen.replicas[0].reason) == ("failed", seen.reason)
    assert seen.reason is not None
    assert (seen.reason.code, seen.reason.message) == ("evicted", words)


def test_a_task_that_had_to_make_room_for_another_one_waits_and_is_told_why() -> None:
    why = [
        {"type": "Evicted", "status": "True", "reason": "Preempted", "message": "Preempted to accommodate a workload"}
    ]
    seen = observing.observation("a", job_set(suspend=True), [], {"status": {"conditions": why}}, NOW)
    assert seen.phase is Phase.WAITING
    assert seen.reason is not None
    assert seen.reason.code == "preempted", "why it does not run any more is not told"


def leaving(pod: dict[str, Any]) -> dict[str, Any]:
    """A pod that is being removed."""
    return {**pod, "metadata": {**pod["metadata"], "deletionTimestamp": "2026-11-21T11:00:05Z"}}


@pytest.mark.parametrize("exit_code", [0, 143])
@pytest.mark.parametrize("mode", [Mode.BATCH, Mode.SERVICE])
@pytest.mark.parametrize("told_by", ["the pods", "one pod", "the JobSet", "the workload"])
def test_how_a_program_ends_that_makes_room_decides_nothing(told_by: str, mode: Mode, exit_code: int) -> None:
    made = job_set(2, suspend=told_by == "the JobSet")
    made["metadata"].setdefault("annotations", {})[names.MODE] = mode
    pods = [ended(rank, exit_code) for rank in range(2)]
    if told_by == "the pods":
        pods = [leaving(each) for each in pods]
    if told_by == "one pod":
        pods = [leaving(pods[0]), running(1)]
    why = {"type": "Evicted", "status": "True", "reason": "Preempted", "message": "Preempted to accommodate"}
    workload = {"status": {"conditions": [why] if told_by == "the workload" else []}}
    seen = observing.observation("a", made, pods, workload, NOW)
    assert seen.phase not in (Phase.FAILED, Phase.SUCCEEDED), "it made room, and is told to have ended"
    assert not observing.has_ended(seen), "it would not be stopped"
    after = observing.observation("a", job_set(2), [*pods, *map(again, range(2))], {"status": {}}, NOW)
    assert after.phase is Phase.RUNNING, "its next turn is not seen for what its last one left"


def again(rank: int) -> dict[str, Any]:
    """The pod of the next turn."""
    made = running(rank)
    return {**made, "metadata": {**made["metadata"], "name": f"again-{rank}", "creationTimestamp": "2026-11-21T11:01Z"}}


def test_a_replica_that_failed_decides_though_the_others_are_taken_away_for_it() -> None:
    seen = observing.observation("a", job_set(2), [ended(0, 3), leaving(ended(1, 143))], None, NOW)
    assert seen.phase is Phase.FAILED
    assert seen.reason is not None
    assert seen.reason.params == {"exit_code": 3}


def test_a_task_whose_pod_was_removed_by_others_has_failed_once_its_set_says_so() -> None:
    gone = leaving(ended(0, 143))
    assert observing.observation("a", job_set(), [gone], None, NOW).phase is Phase.STARTING
    seen = observing.observation("a", job_set(Failed=NOW), [gone], None, NOW)
    assert seen.phase is Phase.FAILED
    assert seen.reason is not None
    assert seen.reason.params["exit_code"] == 143


def test_that_a_pod_is_being_removed_is_kept_of_it() -> None:
    assert "deletionTimestamp" in keeping.pod(leaving(ended(0, 143)))["metadata"], "whoever makes room has failed"
    assert "deletionTimestamp" not in keeping.pod(ended(0, 143))["metadata"]


def test_a_task_of_one_pod_that_is_evicted_is_no_success() -> None:
    full = ended(0, 0)
    full["status"] |= {"reason": "Evicted", "message": FULL[0]}
    seen = observing.observation("a", job_set(), [full], None, NOW)
    assert seen.phase is Phase.FAILED
    assert seen.reason is not None
    assert seen.reason.code == "evicted"


def test_a_crash_gives_the_exit_code_of_the_replica_that_failed_first() -> None:
    pods = [ended(1, 3), ended(0, 9)]
    seen = observing.observation("a", job_set(2, Failed=NOW), pods, None, NOW)
    assert seen.reason is not None
    assert seen.reason.params == {"exit_code": 9}


def test_a_failed_set_waits_a_moment_for_the_words_of_its_pod() -> None:
    made = job_set(Failed=NOW)
    early = observing.observation("a", made, [running(0)], None, NOW + timedelta(seconds=1))
    assert early.phase is Phase.RUNNING
    assert observing.is_straggling(early, made)
    late = observing.observation("a", made, [running(0)], None, NOW + timedelta(seconds=11))
    assert late.phase is Phase.FAILED


def test_it_runs_once_every_replica_runs() -> None:
    assert observing.observation("a", job_set(2), [running(0), pod(1)], None, NOW).phase is Phase.STARTING
    assert observing.observation("a", job_set(2), [running(0), running(1)], None, NOW).phase is Phase.RUNNING


@pytest.mark.parametrize(
    ("message", "code", "words"),
    [
        (
            "couldn't assign flavors to pod set task: insufficient unused quota for nvidia.com/gpu in flavor default, "
            "4 more needed",
            "devices_in_use",
            "All others are in use; still missing: 4 GPU.",
        ),
        (
            "couldn't assign flavors to pod set task: insufficient unused quota for cpu in flavor default, 300m more "
            "needed",
            "capacity_in_use",
            "What you may have of it is in use, by you or by others; still missing: 300m CPU.",
        ),
        ("LocalQueue ada doesn't exist", "queue_not_ready", "Its queue is being made."),
        ("something new", "queue_says", "It waits for its turn. The queue says: something new"),
    ],
)
def test_the_queue_says_why_in_plain_words(message: str, code: str, words: str) -> None:
    conditions = [{"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": message}]
    workload = {"metadata": {}, "status": {"conditions": conditions}}
    seen = observing.observation("a", job_set(suspend=True), [], workload, NOW, TYPES)
    assert seen.phase is Phase.WAITING
    assert seen.reason is not None
    assert (seen.reason.code, seen.reason.message) == (code, words)


@pytest.mark.parametrize(("active", "phase"), [(True, Phase.WAITING), (False, Phase.FAILED)])
def test_a_task_that_the_queue_gave_up_has_failed(active: bool, phase: Phase) -> None:
    workload = {"metadata": {}, "spec": {"active": active}, "status": {}}
    seen = observing.observation("a", job_set(suspend=True), [], workload, NOW)
    assert seen.phase is phase
    assert seen.reason is not None
    assert (seen.reason.code == "gave_up_starting") is not active


def test_a_task_whose_network_policy_does_not_come_says_so_though_its_own_container_never_was() -> None:
    message = '{"exit_code": 66, "memory_exceeded": false, "problem": "network_policy_not_enforced", "last_lines": []}'
    held = ended(0, 66, message)["status"]["containerStatuses"]
    own = [{"state": {"waiting": {"reason": "PodInitializing"}}}]
    done = pod(0, phase="Pending", initContainerStatuses=ended(0, 0)["status"]["containerStatuses"])
    assert observing.observation("a", job_set(), [done], None, NOW).phase is Phase.STARTING
    seen = observing.observation(
        "a", job_set(), [pod(0, phase="Failed", initContainerStatuses=held, containerStatuses=own)], None, NOW
    )
    assert seen.phase is Phase.FAILED
    assert seen.reason is not None
    assert seen.reason.code == "network_policy_not_enforced"


@pytest.mark.parametrize("which", ["initContainerStatuses", "containerStatuses"])
def test_an_image_that_cannot_be_pulled_is_named(which: str) -> None:
    waiting = {"reason": "ImagePullBackOff", "message": "not found"}
    seen = observing.observation(
        "a", job_set(), [pod(0, **{which: [{"image": "x/y:1", "state": {"waiting": waiting}}]})], None, NOW
    )
    assert seen.reason is not None
    assert (seen.reason.code, seen.reason.params["image"]) == ("image_not_pulled", "x/y:1")
