"""Checks of the nodes: names, addresses, roles, cards, disks, the lab. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from installer.cluster.checks.finding import Check, Circumstances, Finding
from installer.cluster.devices import DEVICE_TYPES
from installer.cluster.drivers import DEVICES
from installer.cluster.schema import Cluster
from installer.cluster.source import Where

# Names of groups of the inventory; a node of that name would be taken for the group.
GROUP_NAMES = {"all", "ungrouped", "masters", "workers", "storage", "registry", "accelerated", "planned", "localhost"}


def _names(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for index, node in enumerate(cluster.nodes):
        if node.name in seen:
            yield Finding(
                ("nodes", index, "name"),
                f"`name` is that of node {seen[node.name] + 1} of the list too.",
                "Give each node a name of its own.",
            )
        seen.setdefault(node.name, index)
        if node.name in GROUP_NAMES:
            yield Finding(
                ("nodes", index, "name"),
                f"`name` {node.name} is also a group of nodes.",
                f"Choose another one, like {node.name}1.",
            )


def _addresses(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for index, node in enumerate(cluster.nodes):
        where = ("nodes", index, "address")
        if node.address in seen:
            yield Finding(
                where,
                f"`address` {node.address} is that of node `{seen[node.address]}` too.",
                "Give each node an address of its own.",
            )
        seen.setdefault(node.address, node.name)
        address = ipaddress.IPv4Address(node.address)
        if address.is_loopback or address.is_multicast or address.is_unspecified or address.is_link_local:
            yield Finding(
                where,
                f"`address` {node.address} cannot be reached by other nodes.",
                "Write the address of the node on the network that all nodes share.",
            )
    virtual = cluster.kubernetes.virtual_address
    if virtual in seen:
        yield Finding(
            ("kubernetes", "virtual_address"),
            f"`kubernetes.virtual_address` {virtual} is that of node `{seen[virtual]}` too.",
            "Choose an address of the nodes' network that nobody has.",
        )


def _masters(cluster: Cluster, circumstances: Circumstances) -> Iterator[Finding]:
    places = [index for index, node in enumerate(cluster.nodes) if node.is_master]
    count = len(places)
    if not circumstances.complete:
        return
    if count == 0:
        yield Finding(("nodes",), "no node has the role `master`.", "Give `roles: [master]` to one node, or to three.")
    elif count % 2 == 0 and not circumstances.installed:
        yield Finding(
            ("nodes", places[-1], "roles"),
            f"this is master number {count}; an even number of masters survives no more failures than one less.",
            f"Install with {count - 1} or {count + 1} masters.",
        )
    elif count > 7:
        yield Finding(
            ("nodes", places[7], "roles"),
            f"these are {count} masters; every write waits for most of them.",
            "Use one, three, five or seven masters.",
        )
    if count < 3 and cluster.kubernetes.virtual_address is not None:
        yield Finding(
            ("kubernetes", "virtual_address"),
            f"`kubernetes.virtual_address` needs three masters, here is {count}.",
            "Add masters, or remove the address.",
        )


def _roles(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    for index, node in enumerate(cluster.nodes):
        if len(set(node.roles)) != len(node.roles):
            yield Finding(("nodes", index, "roles"), "a role is there twice.", "Name each role once.")


def _fenced(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    for index, node in enumerate(cluster.nodes):
        if not node.fenced:
            continue
        serves = {role for role in node.roles if role != "worker"} | (
            {"registry"} if node in cluster.registry_nodes else set()
        )
        if serves:
            yield Finding(
                ("nodes", index, "fenced"),
                f"a node cannot be shut out while others need it for {' and '.join(sorted(serves))}.",
                "Only a worker can be fenced. Switch this server off, and say `maintenance: true` instead.",
            )


def _accelerators(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    for index, node in enumerate(cluster.nodes):
        if node.accelerators and "worker" not in node.roles:
            yield Finding(
                ("nodes", index, "accelerators"),
                "it has accelerators, but no task ever runs on it.",
                "Add `worker` to its roles, or remove `accelerators`.",
            )
        seen: set[str] = set()
        for number, accelerator in enumerate(node.accelerators):
            where: Where = ("nodes", index, "accelerators", number)
            device = DEVICE_TYPES[accelerator.type]
            if accelerator.type in seen:
                yield Finding(where, f"accelerator `{device.name}` is there twice.", "Add the counts up in one item.")
            seen.add(accelerator.type)
            if device.arch != node.arch:
                yield Finding(
                    (*where, "type"),
                    f"accelerator `{device.name}` needs arch {device.arch}, but the node is {node.arch}.",
                    "Change `arch` or `accelerators.type` of this node.",
                )
            if DEVICES[accelerator.effective_driver].needs_cards and accelerator.effective_driver != device.driver:
                yield Finding(
                    (*where, "driver"),
                    f"driver `{accelerator.driver}` does not serve `{device.name}`.",
                    f"Use `{device.driver}`, or `simulated` on a machine without cards.",
                )
            if accelerator.count not in device.node_counts:
                counts = ", ".join(map(str, device.node_counts))
                yield Finding(
                    (*where, "count"),
                    f"a node cannot have {accelerator.count} of `{device.name}`.",
                    f"Use one of {counts}.",
                )
        resources = [DEVICE_TYPES[name].vendor for name in sorted(seen)]
        if len(set(resources)) > 1:
            yield Finding(
                ("nodes", index, "accelerators"),
                "accelerators of two vendors in one node are not supported.",
                "Put them in different nodes.",
            )


def _disks(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    for index, node in enumerate(cluster.nodes):
        for key in ("device", "mount"):
            values = [str(getattr(disk, key)) for disk in node.data_disks]
            for number, value in enumerate(values):
                if value in values[:number]:
                    yield Finding(
                        ("nodes", index, "data_disks", number, key),
                        f"`{key}` {value} is used by two data disks.",
                        "Each disk has one device and one place.",
                    )
        for number, disk in enumerate(node.data_disks):
            if disk.mount in {"/", "/boot", "/etc", "/usr", "/var", "/dev", "/proc", "/sys", "/run", "/tmp"}:  # noqa: S108
                yield Finding(
                    ("nodes", index, "data_disks", number, "mount"),
                    f"a disk at {disk.mount} would hide the system's own files.",
                    "Choose a folder like /srv.",
                )


def _lab(cluster: Cluster, circumstances: Circumstances) -> Iterator[Finding]:
    lab = cluster.lab
    if lab is None:
        return
    interface = ipaddress.IPv4Interface(lab.address)
    for index, node in enumerate(cluster.nodes):
        address = ipaddress.IPv4Address(node.address)
        if address not in interface.network:
            yield Finding(
                ("nodes", index, "address"),
                f"`address` {node.address} is not in the lab's network {interface.network}.",
                "Choose one from it, or remove the section `lab` if this is a real server.",
            )
        if address == interface.ip:
            yield Finding(
                ("nodes", index, "address"),
                f"`address` {node.address} is this machine's own on the bridge (`lab.address`).",
                "Choose another one.",
            )
        if node.arch != "amd64":
            yield Finding(
                ("nodes", index, "arch"),
                f"a lab node has the architecture of this machine, not {node.arch}.",
                "Use amd64; for Ascend cards in the lab the device type is `huawei_npu_amd64`.",
            )
        if node.data_disks:
            yield Finding(
                ("nodes", index, "data_disks"),
                "a lab node has no disks of its own.",
                "Remove `data_disks`: its data lie below /var/lib/atoll/lab on this machine.",
            )
        for number, accelerator in enumerate(node.accelerators):
            if DEVICES[accelerator.effective_driver].needs_cards:
                yield Finding(
                    ("nodes", index, "accelerators", number),
                    "a lab node has no cards.",
                    "Write `driver: simulated`.",
                )
    for name in lab.nodes:
        if name not in {node.name for node in cluster.nodes} and circumstances.complete:
            yield Finding(
                ("lab", "nodes", name),
                f"`lab.nodes`: there is no node `{name}`.",
                "Name a node of the list `nodes`.",
            )


CHECKS: tuple[Check, ...] = (_names, _addresses, _masters, _roles, _fenced, _accelerators, _disks, _lab)
