"""From nodes and their pods to what the platform says about machines. Pure."""

import contextlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from ipaddress import IPv4Address, ip_address
from typing import Any, Literal

from atoll import quantities
from atoll.database.texts import keepable
from atoll.devices.types import DeviceType
from atoll.engines import codes
from atoll.engines.base import NodeDevicesObservation, NodeObservation
from atoll.engines.kubernetes import names
from atoll.engines.kubernetes.observing import moment
from atoll.web.schema import Reason

Object = dict[str, Any]
_ROLES: dict[str, Literal["master", "worker", "storage"]] = {
    "control-plane": "master",
    "master": "master",
    "worker": "worker",
    "storage": "storage",
}
# Of one machine. What a kubelet says beyond it is not believed: slots are shown one by one, sums are kept.
MOST_CORES, MOST_MEMORY, MOST_PODS, MOST_DEVICES, MOST_ADDRESSES = 1 << 14, 1 << 48, 1 << 14, 256, 32
_EXPONENTS = {"n": Decimal("1e-9"), "u": Decimal("1e-6"), "k": Decimal(1000)}


def amount(text: str) -> Decimal:
    """A quantity as the API writes it, also in forms that people do not use."""
    if text and text[-1] in _EXPONENTS and text[:-1].isdigit():
        return Decimal(text[:-1]) * _EXPONENTS[text[-1]]
    return quantities.parse(text)


def requests(pod: Object) -> dict[str, Decimal]:
    """What a pod asks for: the sum of its containers, or its largest init container where that is more."""
    spec = pod["spec"]
    total: dict[str, Decimal] = {}
    for container in spec.get("containers", ()):
        for name, text in container.get("resources", {}).get("requests", {}).items():
            total[name] = total.get(name, Decimal(0)) + amount(text)
    for container in spec.get("initContainers", ()):
        for name, text in container.get("resources", {}).get("requests", {}).items():
            total[name] = max(total.get(name, Decimal(0)), amount(text))
    return total


def holds(pod: Object) -> bool:
    """Whether a pod holds what it asked for."""
    return bool(pod["spec"].get("nodeName")) and pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")


def takes_tasks(node: Object) -> bool:
    """Whether ordinary pods may be placed on it."""
    spec = node.get("spec", {})
    if spec.get("unschedulable"):
        return False
    return not any(
        taint["effect"] in ("NoSchedule", "NoExecute") and not taint["key"].startswith("node.kubernetes.io/")
        for taint in spec.get("taints", ())
    )


def have_user_namespaces(nodes: Iterable[Object], arch: str | None) -> bool:
    """Whether every machine that takes tasks of an architecture (None: of any) can give a pod a user namespace."""
    labels = [node["metadata"].get("labels", {}) for node in nodes if takes_tasks(node)]
    fitting = [each for each in labels if arch is None or each.get("kubernetes.io/arch") == arch]
    return bool(fitting) and all(each.get(names.USER_NAMESPACES) == "true" for each in fitting)


def observe(nodes: Iterable[Object], pods: Iterable[Object], devices: Sequence[DeviceType]) -> list[NodeObservation]:
    """All machines by name."""
    by_node: dict[str, list[Object]] = {}
    for pod in pods:
        if holds(pod):
            by_node.setdefault(pod["spec"]["nodeName"], []).append(pod)
    return sorted(
        (_observed(node, by_node.get(node["metadata"]["name"], []), devices) for node in nodes),
        key=lambda item: item.name,
    )


def _observed(node: Object, pods: list[Object], devices: Sequence[DeviceType]) -> NodeObservation:
    """A machine. Its kubelet says of it what it likes, and keeps no other machine from being seen by that."""
    try:
        return _observe(node, pods, devices)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        why = codes.KubeletNotReady(why=_text(f"what it says of itself cannot be: {error}")).reason()
        of_others = _observe({**node, "status": {"addresses": node.get("status", {}).get("addresses")}}, [], devices)
        return of_others.model_copy(update={"state": "not_ready", "reason": why, "pods": len(pods)})


def _bounded(what: str, text: str, most: int) -> Decimal:
    found = amount(text)
    if found > most:
        raise ValueError(f"{what}: {text}")
    return found


def _observe(node: Object, pods: list[Object], devices: Sequence[DeviceType]) -> NodeObservation:
    metadata, status = node["metadata"], node["status"]
    labels, info = metadata.get("labels", {}), status.get("nodeInfo", {})
    allocatable = status.get("allocatable", {})
    asked: dict[str, Decimal] = {}
    for pod in pods:
        for name, value in requests(pod).items():
            asked[name] = asked.get(name, Decimal(0)) + value
    arch = labels.get("kubernetes.io/arch", info.get("architecture", ""))
    state, reason, since = _state(node)
    return NodeObservation(
        name=metadata["name"],
        address=_address(status),
        other_addresses=tuple(each for each in addresses([node]) if each != _address(status)),
        roles=_roles(labels),
        arch=arch,
        state=state,
        reason=reason,
        takes_tasks=takes_tasks(node),
        cpu_cores=float(_bounded("cpu", allocatable.get("cpu", "0"), MOST_CORES)),
        cpu_requested=float(asked.get("cpu", Decimal(0))),
        memory_bytes=int(_bounded("memory", allocatable.get("memory", "0"), MOST_MEMORY)),
        memory_requested=int(asked.get("memory", Decimal(0))),
        pods=len(pods),
        pods_max=int(_bounded("pods", allocatable.get("pods", "0"), MOST_PODS)),
        devices=tuple(
            NodeDevicesObservation(
                type=device.type,
                resource=device.resource,
                total=int(_bounded(device.resource, allocatable[device.resource], MOST_DEVICES)),
                used=int(asked.get(device.resource, Decimal(0))),
            )
            for device in devices
            if device.arch == arch and amount(allocatable.get(device.resource, "0")) > 0
        ),
        os=_text(info.get("osImage", "")),
        kernel=_text(info.get("kernelVersion", "")),
        kubelet=_text(info.get("kubeletVersion", "")),
        runtime=_text(info.get("containerRuntimeVersion", "")),
        joined_at=moment(metadata["creationTimestamp"]) or datetime.now(UTC),
        state_since=since,
    )


def _address(status: Object) -> str:
    """Where the cluster reaches it; empty where its kubelet tells nothing that is an address."""
    for item in status.get("addresses") or ():
        if item.get("type") == "InternalIP":
            with contextlib.suppress(ValueError):
                return str(ip_address(str(item.get("address"))))
    return ""


def addresses(nodes: Iterable[Object]) -> list[str]:
    """All IPv4 addresses that machines have, of whatever type, in order: tasks reach a machine at none of them."""
    found: set[str] = set()
    for node in nodes:
        for item in (node.get("status", {}).get("addresses") or ())[:MOST_ADDRESSES]:
            with contextlib.suppress(ValueError):
                found.add(str(IPv4Address(str(item.get("address")))))
    return sorted(found)


def _text(text: str) -> str:
    return keepable(text)[:400]


def _roles(labels: dict[str, str]) -> tuple[Literal["master", "worker", "storage"], ...]:
    prefix = "node-role.kubernetes.io/"
    found = {
        _ROLES[name[len(prefix) :]] for name in labels if name.startswith(prefix) and name[len(prefix) :] in _ROLES
    }
    return tuple(sorted(found)) or ("worker",)


def _state(node: Object) -> tuple[Literal["ready", "not_ready", "unknown", "cordoned"], Reason | None, datetime]:
    created = moment(node["metadata"]["creationTimestamp"]) or datetime.now(UTC)
    ready: Object = next((item for item in node["status"].get("conditions", ()) if item["type"] == "Ready"), {})
    since = moment(ready.get("lastTransitionTime")) or created
    match ready.get("status"):
        case "True":
            if node.get("spec", {}).get("unschedulable"):
                return "cordoned", codes.Cordoned().reason(), since
            return "ready", None, since
        case "False":
            why = _text(ready.get("message", "")) or _text(ready.get("reason", ""))
            return "not_ready", codes.KubeletNotReady(why=why).reason(), since
        case _:
            return "unknown", codes.NodeSilent().reason(), since


def task_capacity(nodes: Iterable[NodeObservation]) -> tuple[int, int, int]:
    """CPU cores, memory and number of machines that take tasks, ready or not: a reboot does not shrink quotas."""
    able = [node for node in nodes if node.takes_tasks]
    return int(sum(node.cpu_cores for node in able)), sum(node.memory_bytes for node in able), len(able)
