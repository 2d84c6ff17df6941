"""The inventory that Ansible gets: groups and variables of a cluster, with the steps of a plan. Pure.

Used by plugins/inventory/atoll.py; docs/develop.md lists the variables.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from installer.cluster import CPU_ONLY, TREE, Cluster, Node, known_hosts, state_directory
from installer.cluster.defaults import shipped
from installer.cluster.devices import rows
from installer.cluster.drivers import card_labels, card_plugins
from installer.cluster.given import ssh_key, with_given
from installer.cluster.ports import firewall
from installer.cluster.resource_limit import disk_set_aside
from installer.cluster.sign_in import reached, secret_files, ways_in
from installer.planning.phases import PHASES
from installer.planning.plan import Plan
from installer.planning.projection import Digests, acting_master, devices, input_hash, nodes_of, portal_address, project
from installer.planning.standing import leaving
from installer.ssh.options import jump_options, pinned_options

ROLE_GROUPS = ("masters", "workers", "storage", "registry", "accelerated", "first_master")
# These bound what a node's answer takes of this machine's memory.
STAND_INS = TREE / "installer" / "ssh" / "programs"
# Sections that roles get under other names, or that are no business of roles.
_NOT_EMITTED = {"resource_limit"}


@dataclass
class Inventory:
    """Groups by name, variables of all hosts, variables per host."""

    groups: dict[str, list[str]] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    hosts: dict[str, dict[str, Any]] = field(default_factory=dict)


def inventory(
    cluster: Cluster, digests: Digests, bundle: Path, plan: Plan | None = None, standing: Cluster | None = None
) -> Inventory:
    """Return the inventory; with a plan its steps decide who is in the groups of phases, else every phase is.

    Nodes that stand and are no longer wanted are in it, so that they can be reached, in no group but `leaving`.
    """
    made = Inventory(variables=_variables(cluster, digests, bundle))
    made.groups = _role_groups(cluster)
    made.groups["maintenance"] = [node.name for node in cluster.nodes if node.left_out]
    if plan is None:
        made.groups |= _all_phases(cluster)
    else:
        made.groups |= _planned_phases(plan)
    made.groups["planned"] = _planned(cluster, made.groups)
    for node in cluster.nodes:
        made.hosts[node.name] = _host_variables(cluster, node)
    if standing is not None:
        made.groups["leaving"] = [node.name for node in leaving(cluster, standing)]
        for node in leaving(cluster, standing):
            made.hosts[node.name] = _host_variables(standing, node)
    for phase in PHASES:
        for node in nodes_of(phase, cluster):
            hashes = made.hosts[node.name].setdefault("atoll_input_hashes", {})
            hashes[phase.name] = input_hash(project(phase, cluster, node, digests))
    return made


def _acting(nodes: list[Node]) -> list[Node]:
    return [node for node in nodes if not node.left_out]


def _role_groups(cluster: Cluster) -> dict[str, list[str]]:
    members = {
        "masters": cluster.masters,
        "workers": cluster.workers,
        "storage": cluster.storage_nodes,
        "registry": cluster.registry_nodes,
        "accelerated": [node for node in cluster.members if node.accelerators],
        "first_master": [acting_master(cluster)],
    }
    return {name: [node.name for node in members[name]] for name in ROLE_GROUPS}


def _all_phases(cluster: Cluster) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {phase.removal_group: [] for phase in PHASES if phase.removable}
    return groups | {phase.group: [node.name for node in _acting(nodes_of(phase, cluster))] for phase in PHASES}


def _planned_phases(plan: Plan) -> dict[str, list[str]]:
    groups = {}
    for phase in PHASES:
        groups[phase.group] = [step.node for step in plan.of(phase.name, "apply", "verify")]
        if phase.removable:
            groups[phase.removal_group] = [step.node for step in plan.of(phase.name, "remove")]
    return groups


def _planned(cluster: Cluster, groups: dict[str, list[str]]) -> list[str]:
    busy = {name for group, names in groups.items() if group.startswith(("phase_", "remove_")) for name in names}
    return [node.name for node in cluster.nodes if node.name in busy]


def _variables(cluster: Cluster, digests: Digests, bundle: Path) -> dict[str, Any]:
    found: dict[str, Any] = {
        "atoll_version": digests.version,
        "atoll_cluster_name": cluster.name,
        "atoll_masters": _pairs(cluster.masters),
        "atoll_registry_hosts": _pairs(cluster.registry_nodes),
        "atoll_storage_hosts": _pairs(cluster.storage_nodes),
        "atoll_members": _pairs(cluster.members),
        "atoll_fenced": [node.name for node in cluster.fenced],
        "atoll_first_master": acting_master(cluster).name,
        "atoll_portal_address": portal_address(cluster),
        "atoll_bundle": str(bundle),
        "atoll_state": str(state_directory(cluster)),
        "atoll_device_types": rows(cluster.device_types),
        "atoll_card_labels": card_labels(),
        "atoll_card_plugins": card_plugins(),
        "atoll_resource_limit": _resource_limit(cluster),
        "atoll_ways_in": ways_in(cluster.sign_in),
        "atoll_ways_in_files": with_given(cluster, secret_files(cluster.sign_in)),
        "atoll_providers": reached(cluster.sign_in),
        # Nodes have a python3 at this place (preflight checks it); looking for others costs a connection per node.
        "ansible_python_interpreter": "/usr/bin/python3",
        **{f"ansible_{program}_executable": str(STAND_INS / program) for program in ("ssh", "sftp", "scp")},
    }
    for section in sorted(shipped().keys() - _NOT_EMITTED):
        for key, value in getattr(cluster, section).model_dump(mode="json").items():
            found[f"{section}_{key}"] = with_given(cluster, value)
    found["platform_virtual_clusters"] = _virtual_clusters(cluster)
    return found


def _pairs(nodes: list[Node]) -> list[dict[str, str]]:
    return [{"name": node.name, "address": node.address} for node in nodes]


def _resource_limit(cluster: Cluster) -> dict[str, Any]:
    """Return the limits of what occurs, in the form of the services' configuration."""
    limits = cluster.resource_limit
    found: dict[str, Any] = {"request_ratio": limits.request_ratio}
    for name in (CPU_ONLY, *cluster.device_types):
        of = limits.of(name)
        disk = of.local_disk or cluster.platform.task_local_disk
        found[name] = of.model_dump() | {"local_disk": disk, "local_disk_request": disk_set_aside(of, disk)}
    return found


def _virtual_clusters(cluster: Cluster) -> list[dict[str, Any]]:
    there = devices(cluster)
    made = []
    for virtual in cluster.platform.virtual_clusters:
        content = virtual.model_dump(mode="json")
        made.append(content if virtual.devices is not None else content | {"devices": there})
    return made


def _host_variables(cluster: Cluster, node: Node) -> dict[str, Any]:
    ssh = cluster.ssh_of(node)
    return {
        "ansible_host": node.address,
        "ansible_port": ssh.port,
        "ansible_user": ssh.user,
        "ansible_ssh_private_key_file": str(ssh_key(cluster, node)),
        "ansible_ssh_common_args": ssh_arguments(cluster, node),
        "ansible_become": ssh.uses_sudo,
        "atoll_node": {
            "name": node.name,
            "address": node.address,
            "roles": list(node.roles),
            "arch": node.arch,
            "accelerators": [
                {"type": card.type, "count": card.count, "driver": card.effective_driver} for card in node.accelerators
            ],
            "data_disks": [disk.model_dump(mode="json") for disk in node.data_disks],
            "labels": dict(node.labels),
            "left_out": node.left_out,
            "firewall": firewall(cluster, node),
        },
    }


def ssh_arguments(cluster: Cluster, node: Node) -> str:
    """Return the arguments of ssh that pin the host key and lead through the jump host, for a shell to split."""
    ssh = cluster.ssh_of(node)
    pinned = known_hosts(cluster)
    return shlex.join([*pinned_options(pinned), *jump_options(ssh.jump, ssh_key(cluster, node), pinned)])
