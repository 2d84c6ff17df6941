"""From what was seen of the parts to the state of a service, in the words of the portal. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["running", "degraded", "starting", "stopped", "failed", "unknown"]


@dataclass(frozen=True)
class PartState:
    """One part of a service, or its share on one node."""

    part: str
    state: State
    ready: int = 0
    wanted: int = 0
    nodes: tuple[str, ...] = ()
    message: str = ""
    version: str = ""


@dataclass(frozen=True)
class ServiceState:
    """A service as people and programs see it."""

    name: str
    title: str
    state: State
    ready: int
    wanted: int
    message: str = ""
    nodes: tuple[str, ...] = ()
    version: str = ""
    actions: tuple[str, ...] = ()
    parts: tuple[PartState, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """Return it in the shape of the API."""
        data = asdict(self)
        data["replicas"] = {"ready": data.pop("ready"), "wanted": data.pop("wanted")}
        data["nodes"], data["actions"] = list(self.nodes), list(self.actions)
        data["parts"] = [asdict(part) | {"nodes": list(part.nodes)} for part in self.parts]
        return data


def workload_state(part: str, wanted: int, ready: int, trouble: str, nodes: Iterable[str], version: str) -> PartState:
    """Judge a workload by its replicas; `trouble` says why a pod is not ready, empty if nothing is wrong."""
    state: State
    if wanted == 0:
        state = "stopped"
    elif ready >= wanted:
        state = "running"
    elif ready > 0:
        state = "degraded"
    else:
        state = "failed" if trouble else "starting"
    return PartState(part, state, ready, wanted, tuple(sorted(set(nodes))), "" if ready >= wanted else trouble, version)


UNIT_STATES: dict[str, State] = {
    "active": "running",
    "reloading": "running",
    "activating": "starting",
    "deactivating": "starting",
    "inactive": "stopped",
    "failed": "failed",
}


def unit_state(part: str, node: str, active: str, load: str, result: str, version: str = "") -> PartState:
    """Judge a systemd unit by what `systemctl show` says of it."""
    if load in {"not-found", "masked", "error", "bad-setting"}:
        return PartState(part, "failed", 0, 1, (node,), f"{node}: the unit is {load}")
    state = UNIT_STATES.get(active, "unknown")
    message = f"{node}: {active} ({result})" if state == "failed" else ""
    return PartState(part, state, int(state == "running"), int(state != "stopped"), (node,), message, version)


def combine(states: Sequence[PartState]) -> State:
    """Sum the states of the parts up: the worst that says something about the whole."""
    kinds = {part.state for part in states}
    if not states:
        return "stopped"  # nothing of it belongs in this cluster
    if kinds == {"unknown"}:
        return "unknown"
    if kinds == {"running"}:
        return "running"
    if kinds <= {"stopped"}:
        return "stopped"
    if "failed" in kinds:
        return "degraded" if "running" in kinds else "failed"
    if "starting" in kinds and "degraded" not in kinds and "unknown" not in kinds:
        return "starting"
    return "degraded"
