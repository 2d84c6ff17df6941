"""What a phase on a node depends on. Pure.

Never the list of all nodes, but where it is about them: every firewall has to let a newcomer in, so all plan `host`;
`volume` serves it, and `accelerators` labels it if it has cards. A worker that is added changes the input of no other
phase of another node. Masters, registry hosts and storage hosts are few, and every node has to know them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from installer.cluster import Cluster, Node
from installer.cluster.devices import rows
from installer.cluster.drivers import REGISTRY, STORAGE, card_labels, card_plugins
from installer.cluster.ports import firewall
from installer.planning.phases import Phase, Scope

Known = Mapping[str, str]


@dataclass(frozen=True)
class Digests:
    """Digests of what phases use beside cluster.yaml: the tree's roles, the bundle's files, files of the user."""

    roles: Known = field(default_factory=dict)
    artifacts: Known = field(default_factory=dict)
    files: Known = field(default_factory=dict)
    version: str = ""
    today: str = ""  # like 2026-11-21
    certificates_end: tuple[str, ...] = ()  # names of certificates of which less than a third of their life is left
    _used: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def used(self, phase: Phase, arch: str) -> dict[str, str]:
        """Return the artifacts that a phase uses on nodes of an architecture; worked out once, since nodes are many."""
        if (phase.name, arch) not in self._used:
            patterns = [pattern.replace("{arch}", arch) for pattern in phase.artifacts]
            self._used[phase.name, arch] = {
                name: digest
                for name, digest in sorted(self.artifacts.items())
                if any(fnmatchcase(name, pattern) for pattern in patterns)
            }
        return self._used[phase.name, arch]


def _pairs(nodes: list[Node]) -> list[dict[str, str]]:
    return [{"name": node.name, "address": node.address} for node in nodes]


def acting_master(cluster: Cluster) -> Node:
    """Return the master on which cluster-wide phases run: the first that is not in maintenance."""
    return next((node for node in cluster.masters if not node.left_out), cluster.first_master)


def accelerated_nodes(cluster: Cluster) -> list[dict[str, Any]]:
    """Return the nodes with cards, which the phase `accelerators` labels: a list that grows with the cluster."""
    return [{"name": node.name, "cards": _cards(node)} for node in cluster.members if node.accelerators]


def _cards(node: Node) -> list[dict[str, Any]]:
    return [{"type": card.type, "count": card.count, "driver": card.effective_driver} for card in node.accelerators]


def devices(cluster: Cluster) -> dict[str, int]:
    """Return how many cards of each type the members have: a virtual cluster without own numbers may use them."""
    there = dict.fromkeys(cluster.device_types, 0)
    for node in cluster.members:
        for card in node.accelerators:
            there[card.type] += card.count
    return there


def shared_devices(cluster: Cluster) -> dict[str, int] | None:
    """Return `devices`, or None where each virtual cluster says its numbers, so that a card more changes nothing."""
    says_all = all(virtual.devices is not None for virtual in cluster.platform.virtual_clusters)
    return None if says_all else devices(cluster)


def portal_address(cluster: Cluster) -> str:
    """Return the address at which browsers reach the portal when `platform.origin` does not say it."""
    return cluster.kubernetes.virtual_address or cluster.first_master.address


FACTS: dict[str, Callable[[Cluster], Any]] = {
    "cluster_name": lambda cluster: cluster.name,
    "masters": lambda cluster: _pairs(cluster.masters),
    "registry_hosts": lambda cluster: _pairs(cluster.registry_nodes),
    "storage_hosts": lambda cluster: _pairs(cluster.storage_nodes),
    "members": lambda cluster: _pairs(cluster.members),
    "fenced": lambda cluster: [node.name for node in cluster.fenced],
    "device_types": lambda cluster: rows(cluster.device_types),
    "card_labels": lambda _: card_labels(),
    "card_plugins": lambda _: card_plugins(),
    "accelerated_nodes": accelerated_nodes,
    "shared_devices": shared_devices,
    "portal_address": portal_address,
}
NODE_FACTS: dict[str, Callable[[Cluster, Node], Any]] = {
    "is_first_master": lambda cluster, node: node.name == acting_master(cluster).name,
    "serves_registry": lambda cluster, node: node in cluster.registry_nodes,
    "accelerators": lambda _, node: _cards(node),
    "firewall": firewall,
}
CONDITIONS: dict[str, Callable[[Cluster], bool]] = {
    "own_registry": lambda cluster: REGISTRY[cluster.registry.driver].managed,
    "own_storage": lambda cluster: STORAGE[cluster.storage.driver].managed,
    "has_accelerators": lambda cluster: bool(cluster.device_types),
    "has_fenced": lambda cluster: bool(cluster.fenced),
}


def nodes_of(phase: Phase, cluster: Cluster) -> list[Node]:
    """Return the nodes on which a phase belongs, those in maintenance included."""
    if phase.only_if and not CONDITIONS[phase.only_if](cluster):
        return []
    match phase.on:
        case Scope.ALL:
            return list(cluster.nodes)
        case Scope.MASTERS:
            return cluster.masters
        case Scope.JOINED:
            return [node for node in cluster.nodes if not node.is_master]
        case Scope.STORAGE:
            return cluster.storage_nodes
        case Scope.REGISTRY:
            return cluster.registry_nodes
        case Scope.CLUSTER:
            return [acting_master(cluster)]


def project(phase: Phase, cluster: Cluster, node: Node, digests: Digests) -> dict[str, Any]:
    """Return all that a phase on a node depends on, by a name that a person understands."""
    inputs: dict[str, Any] = {}
    for name in phase.inputs:
        inputs |= _values(name, cluster, node, digests)
    inputs[f"role {phase.role}"] = digests.roles.get(phase.role, "")
    used = digests.used(phase, node.arch)
    if used:
        inputs["bundle"] = used
    return inputs


def _values(name: str, cluster: Cluster, node: Node, digests: Digests) -> dict[str, Any]:
    section, _, key = name.partition(".")
    if section == "node":
        fact = NODE_FACTS.get(key)
        return {name: fact(cluster, node) if fact else _plain(getattr(node, key))}
    if section in FACTS and not key:
        return {name: FACTS[section](cluster)}
    content = getattr(cluster, section).model_dump(mode="json")
    keys = [key] if key else list(content)
    found = {}
    for each in keys:
        found[f"{section}.{each}"] = _with_digests(content[each], digests)
    return found


def _with_digests(value: Any, digests: Digests) -> Any:
    """Return a value with the digest of each file of the user beside its path, however deep it stands."""
    if isinstance(value, dict):
        return {key: _with_digests(inner, digests) for key, inner in value.items()}
    return [value, digests.files[value]] if isinstance(value, str) and value in digests.files else value


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def input_hash(inputs: Mapping[str, Any]) -> str:
    """Return the hash of a projection: one short hash per input, so that `changed_keys` can tell which changed."""
    return " ".join(f"{name.replace(' ', ':')}={_short(value)}" for name, value in sorted(inputs.items()))


def changed_keys(before: str, after: str) -> list[str]:
    """Return which inputs differ between two hashes, in the words of `project`."""
    old, new = (dict(part.rpartition("=")[::2] for part in text.split()) for text in (before, after))
    return sorted(key.replace(":", " ") for key in old.keys() | new.keys() if old.get(key) != new.get(key))


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
