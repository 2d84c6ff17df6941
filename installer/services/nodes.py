"""The machines of a cluster: what cluster.yaml says of them and what Kubernetes sees."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from installer.cluster import DEVICE_TYPES
from installer.cluster.schema import Node
from installer.services.access import Access
from installer.services.kubernetes_api import KubernetesUnavailable
from installer.ssh.nodes import shown


@dataclass(frozen=True)
class NodeState:
    """A machine as programs and people see it. `accelerators` are those that Kubernetes can give to pods."""

    name: str
    address: str
    roles: tuple[str, ...]
    arch: str
    ready: bool
    accelerators: dict[str, int] = field(default_factory=dict)
    message: str = ""
    maintenance: bool = False
    fenced: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return asdict(self) | {"roles": list(self.roles)}


def nodes(access: Access) -> list[NodeState]:
    """Return every node of cluster.yaml; one that Kubernetes does not know, or cannot be asked about, is not ready."""
    try:
        seen = {item["metadata"]["name"]: item for item in access.kubernetes.nodes()}
        error = ""
    except KubernetesUnavailable as failure:
        seen, error = {}, failure.message
    return [_state(node, seen.get(node.name), error) for node in access.cluster.nodes]


def _state(node: Node, item: dict[str, Any] | None, error: str) -> NodeState:
    ready, message = False, error or "Kubernetes does not know this node"
    found: dict[str, int] = {}
    if item is not None:
        condition: dict[str, Any] = next((one for one in item["status"]["conditions"] if one["type"] == "Ready"), {})
        ready = condition.get("status") == "True"
        message = "" if ready else shown(str(condition.get("message") or "not ready"))  # the node says it
        allocatable = item["status"].get("allocatable") or {}
        for accelerator in node.accelerators:
            resource = DEVICE_TYPES[accelerator.type].resource
            found[accelerator.type] = int(allocatable.get(resource, 0))
    return NodeState(
        name=node.name,
        address=str(node.address),
        roles=tuple(node.roles),
        arch=node.arch,
        ready=ready,
        accelerators=found,
        message=message,
        maintenance=node.maintenance,
        fenced=node.fenced,
    )
