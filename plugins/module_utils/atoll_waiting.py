"""Waiting for what was applied, and saying at once why it will not come: a pod that ends again and again.

Runs on nodes with Python >= 3.8 and the standard library only.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Set, Tuple

from ansible.module_utils import atoll_cluster as cluster
from ansible.module_utils.atoll_node import NodeError

LOOK_S = 5  # so often pods are looked at while a condition is waited for
ENOUGH_RESTARTS = 2  # a program that needs a sibling may end once or twice before that is up
LAST_LINES = 15
LONGEST_LINE = 200
SHORTEST_SECRET = 6  # shorter values (a port, a name) occur in any text
REVISIONS = {"Deployment": "pod-template-hash", "DaemonSet": "controller-revision-hash"}
REVISIONS["StatefulSet"] = REVISIONS["DaemonSet"]
_ANY = range(256)


class Loop(NamedTuple):
    """A container that ends again and again."""

    pod: str
    node: str
    container: str
    restarts: int
    exit_code: int
    reason: str


def reach(wanted: Dict[str, Any]) -> None:
    """Wait for one condition; raise as soon as it cannot come, and with the pods and last events if it did not."""
    kind = wanted["kind"].lower()
    target = [kind, "--all"] if wanted["name"] == "all" else ["{}/{}".format(kind, wanted["name"])]
    words = ["--namespace", wanted["namespace"]] if wanted["namespace"] else []
    rollout = wanted["condition"] == "rollout"
    verb = ["rollout", "status"] if rollout else ["wait", "--for=condition=" + wanted["condition"]]
    end = time.monotonic() + wanted["timeout_s"]
    looks = wanted["namespace"] and wanted["name"] != "all"
    before = _restarts(_pods(wanted)) if looks else {}
    while True:
        left = max(1, int(end - time.monotonic()))
        slice_s = min(left, LOOK_S) if looks else left
        try:
            cluster.kubectl(*words, *verb, "--timeout={}s".format(slice_s), *target, timeout_s=slice_s + 30)
            return
        except NodeError as error:
            if looks:
                hopeless(wanted, before)
            if "timed out" in str(error) and time.monotonic() < end:
                continue
            seen = _seen(error, words)
            # What ended before this wait only, and was not started again within it, is told now.
            for loop in itertools.islice(loops(_pods(wanted), {}), 1) if looks else ():
                seen += "\n" + _words(" ".join(target), wanted["namespace"], loop)
            raise NodeError("{} did not reach `{}`:\n{}".format(" ".join(target), wanted["condition"], seen)) from None


def _seen(error: NodeError, words: List[str]) -> str:
    said = [str(error)]
    if words:
        said.append(cluster.kubectl(*words, "get", "pods", "--output", "wide", accept=_ANY))
        events = cluster.kubectl(*words, "get", "events", "--sort-by=.lastTimestamp", accept=_ANY)
        said.append("\n".join(events.splitlines()[-12:]))
    return "\n".join(said)


def hopeless(wanted: Dict[str, Any], before: Dict[Tuple[str, str], int]) -> None:
    """Raise with a pod's last lines if one ends again and again, or if a Job has given up."""
    pods = _pods(wanted)
    named = "{} {}/{}".format(wanted["kind"], wanted["namespace"], wanted["name"])
    _complain(named, wanted["namespace"], loops(pods, before))
    if wanted["kind"] == "Job":
        for condition in _object(wanted).get("status", {}).get("conditions", []):
            if condition["type"] == "Failed" and condition["status"] == "True" and wanted["condition"] != "Failed":
                why = "{}: {}".format(condition.get("reason", ""), condition.get("message", ""))
                lines = [
                    last_lines(wanted["namespace"], pod["metadata"]["name"], pod["spec"]["containers"][0]["name"])
                    for pod in pods[-1:]
                ]
                raise NodeError("\n".join(["{} has failed ({}). Its last lines:".format(named, why), *lines]))


class StaticPod:
    """A pod that a kubelet starts by its file, looked at while what it offers is waited for."""

    def __init__(self, named: str) -> None:
        """Remember how often it ended before; `named` is `namespace/name`."""
        self.namespace, _, self.name = named.partition("/")
        self._before = self._looked()
        self._next = time.monotonic() + LOOK_S

    def look(self) -> None:
        """Raise with its last lines if it ends again and again; every few seconds only, as a look asks the cluster."""
        if time.monotonic() < self._next:
            return
        pods = self._looked()
        same = {pod["metadata"].get("uid") for pod in pods} & {pod["metadata"].get("uid") for pod in self._before}
        before = _restarts(self._before) if same else {}  # one of another file counts anew
        _complain("Static pod {}/{}".format(self.namespace, self.name), self.namespace, loops(pods, before))
        self._next = time.monotonic() + LOOK_S

    def _looked(self) -> List[Dict[str, Any]]:
        words = ["--namespace", self.namespace, "get", "pod", self.name, "--output", "json", "--ignore-not-found"]
        return cluster.items_of(cluster.kubectl(*words, "--request-timeout={}s".format(LOOK_S), accept=_ANY))


def _complain(named: str, namespace: str, found: Iterator[Loop]) -> None:
    for loop in found:
        raise NodeError(_words(named, namespace, loop))


def _words(named: str, namespace: str, loop: Loop) -> str:
    return (
        "{}: container `{}` of pod `{}` on node `{}` ends again and again ({}, exit code {}, {} restarts). "
        "Its last lines:\n{}".format(
            named, loop.container, loop.pod, loop.node, loop.reason, loop.exit_code, loop.restarts,
            last_lines(namespace, loop.pod, loop.container),
        )
    )  # fmt: skip


def loops(pods: List[Dict[str, Any]], before: Dict[Tuple[str, str], int]) -> Iterator[Loop]:
    """Yield containers that ended again since `before` (restarts by pod and container) and wait to be started."""
    for pod in pods:
        for status in _statuses(pod):
            waiting = status.get("state", {}).get("waiting") or {}
            ended = status.get("lastState", {}).get("terminated") or {}
            restarts = status.get("restartCount", 0)
            known = before.get((pod["metadata"]["name"], status["name"]), 0)
            if waiting.get("reason") == "CrashLoopBackOff" and restarts >= ENOUGH_RESTARTS and restarts > known:
                yield Loop(
                    pod["metadata"]["name"], pod["spec"].get("nodeName", ""), status["name"], restarts,
                    ended.get("exitCode", -1), ended.get("reason", "Error"),
                )  # fmt: skip


def _statuses(pod: Dict[str, Any]) -> List[Dict[str, Any]]:
    status = pod.get("status", {})
    return [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]


def _restarts(pods: List[Dict[str, Any]]) -> Dict[Tuple[str, str], int]:
    return {
        (pod["metadata"]["name"], status["name"]): status.get("restartCount", 0)
        for pod in pods
        for status in _statuses(pod)
    }


def _object(wanted: Dict[str, Any]) -> Dict[str, Any]:
    said = cluster.kubectl(
        "--namespace", wanted["namespace"], "get", wanted["kind"].lower(), wanted["name"],
        "--output", "json", "--ignore-not-found", accept=_ANY,
    )  # fmt: skip
    found = cluster.items_of(said)
    return found[0] if found else {}


def _pods(wanted: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Return the pods of an object as it was applied last; those of earlier revisions are on their way out."""
    item = _object(wanted)
    labels = item.get("spec", {}).get("selector", {}).get("matchLabels")
    if not labels or item.get("status", {}).get("observedGeneration", 0) < item["metadata"].get("generation", 0):
        return []
    selector = ",".join("{}={}".format(key, value) for key, value in sorted(labels.items()))
    said = cluster.kubectl(
        "--namespace", wanted["namespace"], "get", "pods,replicasets,controllerrevisions",
        "--selector", selector, "--output", "json", accept=_ANY,
    )  # fmt: skip
    found = cluster.items_of(said)
    pods = [one for one in found if one["kind"] == "Pod" and not one["metadata"].get("deletionTimestamp")]
    label = REVISIONS.get(wanted["kind"])
    if label is None:
        return pods
    newest = max((one for one in found if one["kind"] != "Pod"), key=_revision, default=None)
    wanted_hash = newest["metadata"].get("labels", {}).get(label) if newest else None
    return [pod for pod in pods if pod["metadata"].get("labels", {}).get(label) == wanted_hash]


def _revision(item: Dict[str, Any]) -> int:
    annotations = item["metadata"].get("annotations") or {}
    return int(item.get("revision") or annotations.get("deployment.kubernetes.io/revision") or 0)


def last_lines(namespace: str, pod: str, container: str) -> str:
    """Return what a container that ended said last, without the values of secrets."""
    words = ["--namespace", namespace, "logs", pod, "--container", container, "--tail", str(LAST_LINES)]
    said = cluster.kubectl(*words, "--previous", accept=_ANY) or cluster.kubectl(*words, accept=_ANY)
    text = masked(said, secrets_of(namespace))
    return "\n".join("  " + line[:LONGEST_LINE] for line in text.splitlines()[-LAST_LINES:]) or "  (it said nothing)"


def secrets_of(namespace: str) -> Set[str]:
    """Return the values of a name space's secrets, as text and as they are written in objects."""
    values: Set[str] = set()
    for item in cluster.items_of(cluster.kubectl("--namespace", namespace, "get", "secrets", "--output", "json")):
        for encoded in (item.get("data") or {}).values():
            values.add(encoded)
            try:
                values.update(base64.b64decode(encoded).decode().splitlines())
            except (binascii.Error, UnicodeDecodeError):
                continue
    return {value.strip() for value in values if len(value.strip()) >= SHORTEST_SECRET}


def masked(text: str, secrets: Set[str]) -> str:
    """Return a text with stars where a secret stood; the longest first, as one may be a part of another."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
