"""From objects of the cluster to what the platform says about them. Pure."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from atoll.devices.types import DeviceType, card_of
from atoll.engines import codes, outcome
from atoll.engines.base import NOT_READY, SERVICE_ENDED, Endpoint, Observation, Phase, ReplicaObservation
from atoll.engines.kubernetes import manifests, names
from atoll.engines.specification import Mode
from atoll.web.codes import ReasonCode
from atoll.web.schema import Reason

Object = dict[str, Any]
# A pod's end and its JobSet's end come over separate watches: wait so long for the pod's words.
STRAGGLERS = timedelta(seconds=10)
_LACKING = re.compile(r"insufficient unused quota for (\S+) in flavor \S+, (\S+) more needed")
_TOO_MUCH = re.compile(r"insufficient quota for (\S+) in flavor \S+.*maximum capacity \((\S+)\)")
_UNSCHEDULABLE = re.compile(r"(\d+) Insufficient (\S+?)[,.]")
# Kueue sets a workload inactive after `backoffLimitCount` evictions and never looks at it again.
_GAVE_UP = codes.GaveUpStarting().reason()


def moment(text: str | None) -> datetime | None:
    """A Kubernetes time."""
    return datetime.fromisoformat(text) if text else None


def condition(item: Object, kind: str) -> Object | None:
    """A condition of that type that is true."""
    for entry in item.get("status", {}).get("conditions", ()):
        if entry["type"] == kind and entry["status"] == "True":
            found: Object = entry
            return found
    return None


def observation(
    attempt_id: str,
    job_set: Object | None,
    pods: Sequence[Object],
    workload: Object | None,
    now: datetime,
    types: Sequence[DeviceType] = (),
) -> Observation:
    """An attempt as its objects tell; resources are called what the device types say."""
    if job_set is None:
        return Observation(attempt_id=attempt_id, phase=Phase.GONE)
    job = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]
    count = int(job["completions"])
    memory_limit = manifests.container(job_set)["resources"]["limits"]["memory"]
    replicas = _replicas(pods, count, memory_limit, probed="readinessProbe" in manifests.container(job_set))
    completed = condition(job_set, "Completed") is not None
    # The replicas know first; the Job and then the JobSet take seconds to say so.
    decisive = replicas if completed else _decisive(replicas, job_set, pods, workload)
    service = job_set["metadata"].get("annotations", {}).get(names.MODE) == Mode.SERVICE
    if service and any(item.state == "succeeded" for item in decisive):
        return _seen(attempt_id, Phase.FAILED, SERVICE_ENDED, replicas)
    if completed or [item.state for item in decisive] == ["succeeded"] * count:
        return _seen(attempt_id, Phase.SUCCEEDED, None, replicas)
    failed = condition(job_set, "Failed")
    if failed is not None:
        first = _first_failed(replicas)
        if first is None and now - (moment(failed["lastTransitionTime"]) or now) < STRAGGLERS:
            return _seen(attempt_id, Phase.RUNNING, None, replicas)
        reason = first.reason if first is not None else None
        return _seen(attempt_id, Phase.FAILED, reason or codes.JobFailed(why=failed["message"]).reason(), replicas)
    first = _first_failed(decisive)
    if first is not None and all(item.state in ("succeeded", "failed") for item in replicas):
        return _seen(attempt_id, Phase.FAILED, first.reason, replicas)
    if job_set["spec"].get("suspend"):
        if workload is not None and workload.get("spec", {}).get("active") is False:
            return _seen(attempt_id, Phase.FAILED, _GAVE_UP, replicas)
        return _seen(attempt_id, Phase.WAITING, _why_waiting(workload, types), replicas)
    if len([item for item in decisive if item.state in ("running", "succeeded", "failed")]) == count:
        if any(item.ready is False for item in replicas):
            return _seen(attempt_id, Phase.STARTING, NOT_READY, replicas)
        return _seen(attempt_id, Phase.RUNNING, None, replicas)
    return _seen(attempt_id, Phase.STARTING, _why_starting(pods, types).reason(), replicas)


def endpoints(job_set: Object, pods: Sequence[Object]) -> list[Endpoint]:
    """Where the ports of running pods are."""
    return [
        Endpoint(
            rank=int(pod["metadata"]["labels"].get(names.JOB_INDEX, 0)),
            port=port["name"],
            host=pod["status"]["podIP"],
            number=int(port["containerPort"]),
        )
        for pod in pods
        if pod.get("status", {}).get("phase") == "Running" and pod["status"].get("podIP")
        for port in manifests.container(job_set).get("ports", ())
    ]


def is_straggling(seen: Observation, job_set: Object | None) -> bool:
    """Whether `observation` waits for a pod's words and has to be asked again without a change."""
    return job_set is not None and condition(job_set, "Failed") is not None and seen.phase is Phase.RUNNING


def has_ended(seen: Observation) -> bool:
    """Whether it is over for all of its replicas: one may fail, or a service end, while others run."""
    going = any(item.state in ("starting", "running") for item in seen.replicas)
    return seen.phase in (Phase.SUCCEEDED, Phase.FAILED) and not going


def _seen(
    attempt_id: str, phase: Phase, reason: Reason | None, replicas: tuple[ReplicaObservation, ...]
) -> Observation:
    return Observation(attempt_id=attempt_id, phase=phase, reason=reason, replicas=replicas)


def _decisive(
    replicas: Sequence[ReplicaObservation], job_set: Object, pods: Sequence[Object], workload: Object | None
) -> list[ReplicaObservation]:
    """Those whose pods stay: how a program ends that is told to make room says nothing about its task."""
    if job_set["spec"].get("suspend") or (workload is not None and condition(workload, "Evicted")):
        return []
    leaving = {pod["metadata"]["name"] for pod in pods if "deletionTimestamp" in pod["metadata"]}
    return [item for item in replicas if item.pod not in leaving]


def _first_failed(replicas: Sequence[ReplicaObservation]) -> ReplicaObservation | None:
    failed = [item for item in replicas if item.state == "failed"]
    latest = datetime.max.replace(tzinfo=UTC)
    return min(failed, key=lambda item: (item.finished_at or latest, item.rank), default=None)


def _replicas(pods: Sequence[Object], count: int, memory_limit: str, *, probed: bool) -> tuple[ReplicaObservation, ...]:
    newest: dict[int, Object] = {}
    for pod in sorted(pods, key=lambda item: item["metadata"]["creationTimestamp"]):
        newest[int(pod["metadata"]["labels"].get(names.JOB_INDEX, 0))] = pod
    return tuple(
        _replica(rank, newest[rank], memory_limit, probed=probed)
        if rank in newest
        else ReplicaObservation(rank=rank, state="waiting", ready=False if probed else None)
        for rank in range(count)
    )


def _replica(rank: int, pod: Object, memory_limit: str, *, probed: bool) -> ReplicaObservation:
    status = pod.get("status", {})
    told_of: Object = next(iter(status.get("containerStatuses", ())), {})
    state = told_of.get("state", {})
    values: dict[str, Any] = {
        "rank": rank,
        "pod": pod["metadata"]["name"],
        "node": pod["spec"].get("nodeName"),
        "devices": _devices(told_of),
        "ready": bool(told_of.get("ready")) if probed else None,
    }
    ended = state.get("terminated") or _held_back(status)
    if ended is not None:
        told = outcome.parse(ended.get("message", "")) or outcome.Outcome(exit_code=int(ended["exitCode"]))
        if ended.get("reason") == "OOMKilled":
            told = outcome.Outcome(exit_code=told.exit_code or 137, memory_exceeded=True)
        # Whose pod is put off its node has failed, though its program may have ended in peace when told to.
        why = _evicted(status) or outcome.reason(told, memory_limit)
        return ReplicaObservation(
            **values,
            state="succeeded" if why is None else "failed",
            exit_code=told.exit_code,
            reason=why,
            started_at=moment(ended.get("startedAt")),
            finished_at=moment(ended.get("finishedAt")),
        )
    if status.get("phase") == "Failed":  # it never ran, or its node is gone
        return ReplicaObservation(**values, state="failed", reason=_evicted(status) or _failed(status).reason())
    if "running" in state:
        return ReplicaObservation(**values, state="running", started_at=moment(state["running"].get("startedAt")))
    return ReplicaObservation(**values, state="starting" if values["node"] else "waiting")


def _held_back(status: Object) -> Object | None:
    """How a container that goes in front of the task's own ended, where that one cannot come any more."""
    for told_of in status.get("initContainerStatuses", ()):
        ended: Object | None = told_of.get("state", {}).get("terminated")
        if ended is not None and ended["exitCode"] != 0:
            return ended
    return None


def _devices(container: Object) -> list[int] | None:
    """Indices of devices, where the kubelet tells them (ResourceHealthStatus): the number at the end of each id."""
    found = []
    for resource in container.get("allocatedResourcesStatus", ()):
        for entry in resource.get("resources", ()):
            match = re.search(r"(\d+)$", entry.get("resourceID", ""))
            if match is None:
                return None
            found.append(int(match[1]))
    return sorted(found) or None


def _failed(status: Object) -> ReasonCode:
    why = status.get("message", "")
    return codes.PodFailed(why=why) if why else codes.PodEnded()


def _evicted(status: Object) -> Reason | None:
    if status.get("reason") == "Evicted":
        why = status.get("message", "").strip()  # the kubelet's sentences end with a blank
        return codes.Evicted(why=why).reason() if why else codes.EvictedSilently().reason()
    if status.get("reason") in ("NodeLost", "NodeShutdown", "Terminated"):
        return codes.NodeLost().reason()
    return None


def _why_waiting(workload: Object | None, types: Sequence[DeviceType]) -> Reason:
    if workload is None:
        return codes.Queued().reason()
    evicted = condition(workload, "Evicted")
    if evicted is not None and evicted.get("reason") == "Preempted":
        return codes.Preempted().reason()
    for entry in workload.get("status", {}).get("conditions", ()):
        if entry["type"] == "QuotaReserved" and entry["status"] == "False":
            return quota_words(entry.get("message", ""), types).reason()
    return codes.Queued().reason()


def quota_words(message: str, types: Sequence[DeviceType] = ()) -> ReasonCode:
    """Kueue's message in plain words; what is not known is passed on as it is."""
    lacking = [(match[1], match[2]) for match in _LACKING.finditer(message)]
    if lacking:
        devices = [item for item in lacking if "/" in item[0]]
        resource, more = (devices or lacking)[0]
        missing = codes.DevicesMissing if devices else codes.CapacityInUse
        return missing(resource=_said(resource, types), more=more)
    match = _TOO_MUCH.search(message)
    if match is not None:
        return codes.MoreThanCapacity(resource=_said(match[1], types), total=match[2])
    if "LocalQueue" in message or "ClusterQueue" in message:
        return codes.QueueNotReady()
    return codes.QueueSays(why=message[:300]) if message else codes.Queued()


def _said(resource: str, types: Sequence[DeviceType]) -> str:
    """A card by what people call it; `cpu` and `memory` have words in every language."""
    return card_of(resource, types) or resource


def _why_starting(pods: Sequence[Object], types: Sequence[DeviceType]) -> ReasonCode:
    for pod in pods:
        for entry in pod.get("status", {}).get("conditions", ()):
            if entry["type"] == "PodScheduled" and entry["status"] == "False":
                return _unschedulable(entry.get("message", ""), types)
        status = pod.get("status", {})
        for container in (*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())):
            waiting = container.get("state", {}).get("waiting", {})
            reason = waiting.get("reason", "")
            if reason in ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"):
                return codes.ImageNotPulled(image=container.get("image", ""), why=waiting.get("message", reason)[:300])
            if reason in ("CreateContainerConfigError", "CreateContainerError", "RunContainerError"):
                return codes.ContainerNotStarted(why=waiting.get("message", reason)[:400])
    if pods and all(pod["spec"].get("nodeName") for pod in pods):
        return codes.ContainerStarting()
    return codes.BeingPlaced()


def _unschedulable(message: str, types: Sequence[DeviceType]) -> ReasonCode:
    lacking = [match[2] for match in _UNSCHEDULABLE.finditer(message)]
    devices = [name for name in lacking if "/" in name]
    if lacking:
        resource = (devices or lacking)[0]
        return codes.NodesLack(resource=_said(resource, types))
    return codes.NotScheduled(why=message[:300]) if message else codes.NotScheduledYet()
