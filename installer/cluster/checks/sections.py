"""Checks of the sections: networks, storage, registry, limits, platform. Pure."""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Iterator

from installer.cluster.checks.finding import Check, Circumstances, Finding
from installer.cluster.drivers import REGISTRY, STORAGE
from installer.cluster.quantities import amount
from installer.cluster.resource_limit import LIMITED
from installer.cluster.schema import Cluster
from installer.cluster.sections import Storage
from installer.cluster.source import Where

# Two processes of the API have 62 sessions while one takes over from the other; each holds 8 MiB.
DATABASE_BYTES = 1 << 30


def _networks(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    pods, services = (
        ipaddress.IPv4Network(cluster.network.pod_network),
        ipaddress.IPv4Network(cluster.network.service_network),
    )
    if pods.overlaps(services):
        yield Finding(
            ("network", "service_network"),
            f"`network.service_network` {services} overlaps `network.pod_network` {pods}.",
            "Choose two networks that have no address in common.",
        )
    for name, network in (("pod_network", pods), ("service_network", services)):
        if network.prefixlen > 24 or network.prefixlen < 8:
            yield Finding(
                ("network", name),
                f"`network.{name}` {network} has an unusable size.",
                "Use a prefix length between 8 and 24, like 10.244.0.0/16.",
            )
        hit = [node for node in cluster.nodes if ipaddress.IPv4Address(node.address) in network]
        if hit:
            names = ", ".join(f"`{node.name}` ({node.address})" for node in hit[:3])
            yield Finding(
                ("network", name),
                f"`network.{name}` {network} contains addresses of nodes: {names}{' …' if len(hit) > 3 else ''}.",
                "Choose a network that is used nowhere else in your house.",
            )
    if cluster.lab is not None:
        lab = ipaddress.IPv4Interface(cluster.lab.address).network
        for name, network in (("pod_network", pods), ("service_network", services)):
            if network.overlaps(lab):
                yield Finding(
                    ("network", name),
                    f"`network.{name}` {network} overlaps the lab's network {lab}.",
                    "Change one of the two.",
                )
    if cluster.network.node_prefix <= pods.prefixlen:
        yield Finding(
            ("network", "node_prefix"),
            f"`network.node_prefix` {cluster.network.node_prefix} leaves no network for a node in {pods}.",
            f"Use a number above {pods.prefixlen}.",
        )
        return
    room = 2 ** (cluster.network.node_prefix - pods.prefixlen)
    if room < len(cluster.nodes):
        yield Finding(
            ("network", "pod_network"),
            f"`network.pod_network` {pods} has room for {room} nodes, here are {len(cluster.nodes)}.",
            "Choose a larger network, or a larger `network.node_prefix`.",
        )
    if 2 ** (32 - cluster.network.node_prefix) - 4 < cluster.kubernetes.max_pods:
        yield Finding(
            ("kubernetes", "max_pods"),
            f"`kubernetes.max_pods` {cluster.kubernetes.max_pods} is more than a node's network "
            f"(/{cluster.network.node_prefix}) has addresses.",
            "Lower it, or use a smaller `network.node_prefix`.",
        )


def _storage(cluster: Cluster, circumstances: Circumstances) -> Iterator[Finding]:
    storage = cluster.storage
    for words in STORAGE[storage.driver].misfit(cluster) if circumstances.complete else ():
        yield Finding(("storage", "driver"), *words)
    for name in filter(None, (driver.settings for driver in STORAGE.values())):
        wanted, given = STORAGE[storage.driver].settings == name, getattr(storage, name) is not None
        if wanted and not given:
            yield Finding(
                ("storage", "driver"),
                f"storage driver `{storage.driver}` needs `storage.{name}`.",
                f"Add `storage.{name}`; cluster.example.yaml shows its keys.",
            )
        if given and not wanted:
            yield Finding(
                ("storage", name),
                f"`storage.{name}` is given, but `storage.driver` is `{storage.driver}`.",
                f"Remove it, or use the driver `{name}`.",
            )


def _quotas(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    storage = cluster.storage
    # The shipped default is no request: nobody has to take it back to use another driver.
    fields = Storage.model_fields
    other = {
        "user_quota": storage.user_quota not in (None, fields["user_quota"].default),
        "user_quotas": bool(storage.user_quotas),
        "user_file_quota": storage.user_file_quota not in (None, fields["user_file_quota"].default),
        "user_file_quotas": bool(storage.user_file_quotas),
    }
    for key in (key for key, said in other.items() if said and not STORAGE[storage.driver].quotas):
        yield Finding(
            ("storage", key),
            f"`storage.{key}` is given, but storage driver `{storage.driver}` limits nobody.",
            "Remove it, and set quotas on the server or file system itself.",
        )


def _registry(cluster: Cluster, circumstances: Circumstances) -> Iterator[Finding]:
    registry = cluster.registry
    for name, driver in REGISTRY.items():
        given = driver.settings and getattr(registry, driver.settings) is not None
        if driver.settings and (registry.driver == name) != given:
            yield Finding(
                ("registry", "driver"),
                f"`registry.driver` is `{registry.driver}`, but `registry.{driver.settings}` is "
                f"{'given' if given else 'missing'}.",
                f"Driver `{name}` and the section `registry.{driver.settings}` belong together.",
            )
    known = {node.name for node in cluster.nodes}
    for index, name in enumerate(registry.nodes):
        if name not in known and circumstances.complete:
            yield Finding(
                ("registry", "nodes", index),
                f"`registry.nodes`: there is no node `{name}`.",
                f"The nodes are: {', '.join(sorted(known))}.",
            )


def _limits(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    for name in LIMITED:
        limits = cluster.resource_limit.of(name)
        for resource in ("cpu", "memory"):
            steps = [(step, str(getattr(getattr(limits, step), resource))) for step in ("floor", "default", "ceiling")]
            for (low, less), (high, more) in itertools.pairwise(steps):
                if amount(less) > amount(more):
                    yield Finding(
                        ("resource_limit", name, high, resource),
                        f"`resource_limit.{name}`: {low} of {resource} ({less}) is above the {high} ({more}).",
                        "Write floor ≤ default ≤ ceiling; what you leave out has its shipped value.",
                    )
        disk = limits.local_disk or cluster.platform.task_local_disk
        request = limits.local_disk_request
        if request is not None and amount(request) > amount(disk):
            yield Finding(
                ("resource_limit", name, "local_disk_request"),
                f"`resource_limit.{name}`: local_disk_request ({request}) is above local_disk ({disk}).",
                "Set aside no more than a pod may write, or write a greater `local_disk`.",
            )


def _platform(cluster: Cluster, circumstances: Circumstances) -> Iterator[Finding]:
    platform = cluster.platform
    if (platform.certificate_file is None) != (platform.key_file is None):
        missing = "key_file" if platform.key_file is None else "certificate_file"
        given = "certificate_file" if platform.key_file is None else "key_file"
        yield Finding(
            ("platform", given),
            f"`platform.{given}` is given without `platform.{missing}`.",
            "Give both, or neither to use a certificate of the cluster's own authority.",
        )
    seen: set[str] = set()
    for index, virtual in enumerate(platform.virtual_clusters):
        where: Where = ("platform", "virtual_clusters", index)
        if virtual.name in seen:
            yield Finding((*where, "name"), f"virtual cluster `{virtual.name}` is there twice.", "Remove one of them.")
        seen.add(virtual.name)
        for key, counts in (("devices", virtual.devices or {}), ("max_devices_per_user", virtual.max_devices_per_user)):
            for name in counts:
                if name not in cluster.device_types and circumstances.complete:
                    yield Finding(
                        (*where, key, name),
                        f"virtual cluster `{virtual.name}`: no node has `{name}`.",
                        "Remove it, or add `accelerators` to a node.",
                    )
    if amount(cluster.database.memory) < DATABASE_BYTES:
        yield Finding(
            ("database", "memory"),
            f"`database.memory: {cluster.database.memory}` is too little: sessions of the services take some 500 MiB.",
            "Give it 1Gi or more.",
        )
    if cluster.smtp.host is not None and cluster.smtp.sender is None:
        yield Finding(("smtp", "host"), "`smtp.host` is given without `smtp.sender`.", "Add the sender's address.")
    if cluster.smtp.user is not None and cluster.smtp.password_file is None:
        yield Finding(
            ("smtp", "user"), "`smtp.user` is given without `smtp.password_file`.", "Add a file with the password."
        )


CHECKS: tuple[Check, ...] = (_networks, _storage, _quotas, _registry, _limits, _platform)
