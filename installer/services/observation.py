"""Looking at all services at once: a handful of calls to the API server, one SSH question per node."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from installer.services.access import Access
from installer.services.kubernetes_api import STOPPED_SELECTOR, KubernetesUnavailable
from installer.services.states import PartState, ServiceState, combine, unit_state, workload_state
from installer.services.table import SERVICES, Service, StaticPod, Unit, Workload, Workloads
from installer.ssh.nodes import NodeUnreachable, SshNode, ask_all, shown

Json = dict[str, Any]
# Waiting for these is part of a normal start; anything else that a container waits for is trouble.
PATIENCE = {"ContainerCreating", "PodInitializing"}
PROGRAMS = "/opt/atoll/bin:/usr/sbin"  # where nodes have the programs of units
VERSION = "version of a unit: "
SHOWN = ("Id", "ActiveState", "LoadState", "Result")
MOST_BYTES = 256 << 10


@dataclass
class Seen:
    """What was seen of the cluster in one look."""

    workloads: dict[tuple[str, str, str], Json] = field(default_factory=dict)
    pods: list[Json] = field(default_factory=list)
    units: dict[str, dict[str, dict[str, str]] | NodeUnreachable] = field(default_factory=dict)
    kubernetes_error: str = ""


def services(access: Access, only: Sequence[Service] = SERVICES) -> list[ServiceState]:
    """Return the state of the services. What cannot be asked is `unknown`, with the reason."""
    seen = look(access, only)
    return [service_state(service, access, seen) for service in only]


def look(access: Access, only: Sequence[Service] = SERVICES) -> Seen:
    """Ask API server and nodes at the same time for all that the services are made of."""
    parts = [part for service in only for part in service.parts]
    units = sorted({part for part in parts if isinstance(part, Unit)}, key=str)
    seen = Seen()
    with ThreadPoolExecutor(max_workers=2) as pool:
        on_nodes = pool.submit(_ask_units, access, units)
        if any(not isinstance(part, Unit) for part in parts):
            try:
                seen.workloads = access.kubernetes.workloads()
                seen.pods = access.kubernetes.pods()
            except KubernetesUnavailable as error:
                seen.kubernetes_error = error.message
        seen.units = on_nodes.result()
    return seen


def service_state(service: Service, access: Access, seen: Seen) -> ServiceState:
    """Judge one service by what was seen."""
    states = [state for part in service.parts for state in _part_states(part, access, seen)]
    troubles = dict.fromkeys(state.message for state in states if state.message)
    return ServiceState(
        name=service.name,
        title=service.title,
        state=combine(states),
        ready=sum(state.ready for state in states),
        wanted=sum(state.wanted for state in states),
        message="; ".join(troubles) if states else "not used in this cluster",
        nodes=tuple(sorted({node for state in states for node in state.nodes})),
        version=next((state.version for state in states if state.version), ""),
        actions=service.actions,
        parts=tuple(states),
    )


def _part_states(part: Workload | Workloads | Unit | StaticPod, access: Access, seen: Seen) -> Iterable[PartState]:
    if isinstance(part, Unit):
        return [_unit_state(part, node, seen) for node in access.nodes(part.on)]
    if seen.kubernetes_error:
        return [PartState(str(part), "unknown", message=seen.kubernetes_error)]
    if isinstance(part, StaticPod):
        return [_static_pod_state(part, node.name, seen) for node in access.nodes(part.on)]
    if isinstance(part, Workload):
        found = seen.workloads.get((part.kind, part.namespace, part.name))
        return [_workload_state(str(part), part.kind, found, seen)]
    there = [(key, item) for key, item in seen.workloads.items() if key[1] == part.namespace]
    if not there and access.cluster.device_types:
        return [PartState(str(part), "failed", 0, 1, message=f"{part}: there are none")]
    return [
        _workload_state(f"{kind} {space}/{name}", kind, item, seen)
        for (kind, space, name), item in sorted(there, key=_key)
    ]


def _key(entry: tuple[tuple[str, str, str], Json]) -> tuple[str, str, str]:
    return entry[0]


def _unit_state(unit: Unit, node: SshNode, seen: Seen) -> PartState:
    answer = seen.units.get(node.name)
    if answer is None or isinstance(answer, NodeUnreachable):
        return PartState(str(unit), "unknown", nodes=(node.name,), message=answer.message if answer else "not asked")
    said = answer.get(unit.name, {})
    return unit_state(
        str(unit),
        node.name,
        said.get("ActiveState", ""),
        said.get("LoadState", "not-found"),
        shown(said.get("Result", ""), 100),
        said.get("Version", ""),
    )


def version_in(said: str) -> str:
    """Return the version in what a program says of itself, empty if there is none."""
    found = re.search(r"(?<![\w.])v?\d{1,9}\.\d{1,9}(?:\.\d{1,9}){0,4}", said, re.ASCII)
    return found.group() if found else ""


def _ask_units(access: Access, units: Sequence[Unit]) -> dict[str, dict[str, dict[str, str]] | NodeUnreachable]:
    wanted: dict[str, list[Unit]] = {}
    for unit in units:
        for node in access.nodes(unit.on):
            wanted.setdefault(node.name, []).append(unit)

    def question(node: SshNode) -> dict[str, dict[str, str]]:
        names = [unit.name for unit in wanted[node.name]]
        shown = ["systemctl", "show", f"--property={','.join(SHOWN)}", *names]
        # A shell for all questions over one connection.
        asked = [unit for unit in wanted[node.name] if unit.version]
        versions = [f"echo; echo {VERSION}$({shlex.join(unit.version)} 2>/dev/null)" for unit in asked]
        line = "; ".join([f"PATH={PROGRAMS}:$PATH", shlex.join(shown), *versions])
        _, said, _ = node.ask(["sh", "-c", line], timeout_s=15, most_bytes=MOST_BYTES)
        said, *told = said.split(f"\n{VERSION}")
        blocks = [dict(row.split("=", 1) for row in block.splitlines() if "=" in row) for block in said.split("\n\n")]
        # An alias answers with its real Id, so units are told apart by their order.
        found = dict(zip(names, blocks, strict=False))
        for unit, text in zip(asked, told, strict=False):
            found.setdefault(unit.name, {})["Version"] = version_in(text)
        return found

    return ask_all([access.node(name) for name in wanted], question)


def _workload_state(part: str, kind: str, item: Json | None, seen: Seen) -> PartState:
    if item is None:
        return PartState(part, "failed", 0, 1, message=f"{part} does not exist")
    status, spec = item.get("status") or {}, item["spec"]
    if kind == "DaemonSet":
        stopped = STOPPED_SELECTOR in (spec["template"]["spec"].get("nodeSelector") or {})
        wanted = 0 if stopped else int(status.get("desiredNumberScheduled", 0))
        ready = int(status.get("numberReady", 0))
    else:
        wanted, ready = int(spec.get("replicas", 1)), int(status.get("readyReplicas", 0))
    pods = pods_of(item, seen.pods)
    nodes = [pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName")]
    trouble = next((text for pod in pods if (text := pod_trouble(pod))), "")
    return workload_state(part, wanted, min(ready, wanted), trouble, nodes, _version(spec["template"]["spec"]))


def _static_pod_state(part: StaticPod, node: str, seen: Seen) -> PartState:
    name = f"{part.name}-{node}"
    for pod in seen.pods:
        if pod["metadata"]["name"] == name and pod["metadata"]["namespace"] == part.namespace:
            return workload_state(str(part), 1, int(pod_ready(pod)), pod_trouble(pod), [node], _version(pod["spec"]))
    return PartState(str(part), "failed", 0, 1, (node,), f"{node}: pod {part.namespace}/{name} does not exist")


def pods_of(item: Json, pods: Iterable[Json]) -> list[Json]:
    """Return the pods that a workload's selector chooses."""
    labels = (item["spec"].get("selector") or {}).get("matchLabels") or {}
    space = item["metadata"]["namespace"]
    return [
        pod
        for pod in pods
        if pod["metadata"]["namespace"] == space and labels.items() <= (pod["metadata"].get("labels") or {}).items()
    ]


def pod_ready(pod: Json) -> bool:
    """Whether all containers of a pod are ready."""
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def pod_trouble(pod: Json) -> str:
    """Say what keeps a pod from being ready, empty if nothing is known to be wrong. Its node says most of it."""
    return shown(_pod_trouble(pod))


def _pod_trouble(pod: Json) -> str:
    name, status = pod["metadata"]["name"], pod.get("status") or {}
    for container in (status.get("initContainerStatuses") or []) + (status.get("containerStatuses") or []):
        waiting = container.get("state", {}).get("waiting") or {}
        if waiting.get("reason") and waiting["reason"] not in PATIENCE:
            last = (container.get("lastState") or {}).get("terminated") or {}
            code = f", last exit code {last['exitCode']}" if "exitCode" in last else ""
            return f"{name}: container {container['name']}: {waiting['reason']}{code}"
    for condition in status.get("conditions") or []:
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return f"{name}: {condition.get('message') or 'no node takes it'}"
    return f"{name}: {status.get('message') or 'failed'}" if status.get("phase") == "Failed" else ""


def _version(pod_spec: Json) -> str:
    image: str = (pod_spec.get("containers") or [{}])[0].get("image", "").partition("@")[0]
    image = image.partition("@")[0]  # a digest is no version
    return image.rpartition(":")[2] if ":" in image.rpartition("/")[2] else ""
