"""Every driver of storage, registry and cards: the only place that knows what is particular about one of them.

A driver is a row here and, where it has work to do on nodes, a folder of tasks of its role with a file per phase
(`roles/storage/tasks/<name>/`). A row that no role carries out yet says so in `refusal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from installer.cluster.devices import DEVICE_TYPES, DeviceType
from installer.cluster.listeners import Listener, Who

if TYPE_CHECKING:
    from installer.cluster.schema import Cluster


class Words(NamedTuple):
    """What is wrong, and what to do about it."""

    message: str
    remedy: str


class Program(NamedTuple):
    """A program that runs on the servers of a driver."""

    unit: str
    version: tuple[str, ...]  # the command that says which version of it is installed there


Judge = Callable[["Cluster"], Iterator[Words]]


def _no_labels(_: DeviceType) -> dict[str, str]:
    return {}


# Tried with GlusterFS 10.3: glusterd dies of an option of 4,400 characters, and bears 3,976.
LONGEST_LIST = 3900
# Of the one brick of a server. No connection of any program begins there (32768-60999), so it is never taken.
BRICK_PORT = 24009


def _nothing(_: Cluster) -> Iterator[Words]:
    yield from ()


@dataclass(frozen=True)
class StorageDriver:
    """What holds the user data."""

    name: str
    managed: bool = False  # its servers are ours, on the nodes with the role `storage`
    shared: bool = True  # one file system that every node mounts
    on_nodes: bool = False  # data lie on disks of nodes
    quotas: bool = False  # it limits what the files of a user take
    settings: str = ""  # the key of section `storage` that it needs
    kernel: tuple[str, ...] = ()  # features of a node's kernel that it needs
    not_idmapped: str = ""  # what it is called, if no kernel has idmapped mounts of it: tasks get no user namespaces
    programs: tuple[Program, ...] = ()  # on its servers, as the table of services shows them
    configuration: tuple[str, ...] = ()  # their files, as the table of services shows them
    listeners: tuple[Listener, ...] = ()  # its rows of the table of ports
    misfit: Judge = _nothing  # what of the nodes does not fit it, as `validate` tells it
    refusal: Judge = _nothing  # what no role carries out yet, as preflight tells it


@dataclass(frozen=True)
class RegistryDriver:
    """What holds the images."""

    name: str
    managed: bool = False  # it runs on nodes of the cluster
    settings: str = ""
    programs: tuple[Program, ...] = ()  # on its hosts, as the table of services shows them
    configuration: tuple[str, ...] = ()  # their files, as the table of services shows them
    refusal: Judge = _nothing


@dataclass(frozen=True)
class DeviceDriver:
    """What offers the cards of a node to pods."""

    name: str
    needs_cards: bool = True
    # What its plugin in the bundle is told of a device type (`roles/accelerators/templates/<name>/plugin.yaml.j2`);
    # None: the bundle has none, and the vendor's is brought by the administrator.
    plugin: Callable[[DeviceType], dict[str, Any]] | None = None
    labels: Callable[[DeviceType], dict[str, str]] = (
        _no_labels  # those of feature discovery that Atoll sets in its place
    )


def _needs_servers(cluster: Cluster) -> Iterator[Words]:
    if not cluster.storage_nodes:
        yield Words(
            "storage driver `glusterfs` needs a node with the role `storage`, and there is none.",
            "Give `storage` to the roles of a node, or use another driver (nfs, cephfs, local).",
        )


def _for_gluster(cluster: Cluster) -> Iterator[Words]:
    yield from _needs_servers(cluster)
    listed = max(sum(len(word) + 1 for word in words) for words in _listed(cluster))
    if listed > LONGEST_LIST:
        yield Words(
            f"the volume of user data lists its {len(cluster.members)} nodes by name and address in {listed} "
            f"characters; glusterd ends at more than {LONGEST_LIST}.",
            "Give nodes shorter names, or take fewer of them.",
        )


def _listed(cluster: Cluster) -> tuple[list[str], list[str]]:
    return [node.name for node in cluster.members], [node.address for node in cluster.members]


def _one_node(cluster: Cluster) -> Iterator[Words]:
    if len(cluster.nodes) > 1:
        yield Words(
            f"storage driver `local` keeps files on one node, but here are {len(cluster.nodes)} nodes.",
            "Use `glusterfs` with a storage node, or an existing NFS or CephFS.",
        )


def _replicas(cluster: Cluster) -> Iterator[Words]:
    if len(cluster.storage_nodes) not in (0, 1, 3):  # without one it does not fit at all
        yield Words(
            f"GlusterFS on {len(cluster.storage_nodes)} storage nodes is not carried out yet",
            "Use one, which keeps everything once, or three, of which each keeps all of it.",
        )


def _one_registry(cluster: Cluster) -> Iterator[Words]:
    if len(cluster.registry.nodes) > 1:
        yield Words("a registry on several nodes is not carried out yet", "Name one node in `registry.nodes`.")


def not_yet(key: str, name: str, remedy: str) -> Judge:
    """Return the `refusal` of a driver that no role carries out."""

    def refusal(_: Cluster) -> Iterator[Words]:
        yield Words(f"`{key}: {name}` is not carried out yet", remedy)

    return refusal


_SERVERS = "Use `glusterfs` with a storage node."
STORAGE = {
    driver.name: driver
    for driver in (
        StorageDriver(
            "glusterfs",
            managed=True,
            on_nodes=True,
            quotas=True,
            kernel=("fuse",),
            not_idmapped="GlusterFS",
            programs=(Program("glusterd.service", ("glusterd", "--version")),),
            configuration=("/etc/glusterfs/glusterd.vol",),
            listeners=(
                # Who comes there may become a peer, which is root of the server: a mount does without it.
                Listener("management of GlusterFS", "glusterd", 24007, on="storage", who=(Who.STORAGE,)),
                Listener("brick of GlusterFS", "glusterfsd", BRICK_PORT, on="storage", who=(Who.NODES,)),
            ),
            misfit=_for_gluster,
            refusal=_replicas,
        ),
        StorageDriver("nfs", settings="nfs", not_idmapped="NFS", refusal=not_yet("storage.driver", "nfs", _SERVERS)),
        StorageDriver(
            "cephfs",
            settings="cephfs",
            kernel=("fuse",),
            not_idmapped="CephFS in user space",
            refusal=not_yet("storage.driver", "cephfs", _SERVERS),
        ),
        StorageDriver("local", shared=False, on_nodes=True, misfit=_one_node),
    )
}
REGISTRY = {
    driver.name: driver
    for driver in (
        RegistryDriver(
            "distribution",
            managed=True,
            programs=(Program("atoll-registry.service", ("registry", "--version")),),
            configuration=("/etc/atoll/registry/config.yml",),
            refusal=_one_registry,
        ),
        RegistryDriver(
            "harbor",
            settings="harbor",
            refusal=not_yet("registry.driver", "harbor", "Use `distribution`, the default."),
        ),
    )
}
DEVICES = {
    driver.name: driver
    for driver in (
        DeviceDriver("simulated", needs_cards=False, plugin=DeviceType.pretended, labels=DeviceType.pretended_labels),
        DeviceDriver("nvidia"),
        DeviceDriver("ascend"),
    )
}


def card_plugins() -> dict[str, dict[str, Any]]:
    """Return what the plugin of each driver is told, by driver and device type."""
    return {
        driver.name: {device.name: driver.plugin(device) for device in DEVICE_TYPES.values()}
        for driver in DEVICES.values()
        if driver.plugin is not None
    }


def card_labels() -> dict[str, Any]:
    """Return what labels of nodes Atoll owns for their cards, and which it sets, by driver and device type."""
    discovery = dict.fromkeys(device.discovery for device in DEVICE_TYPES.values())
    return {
        "owned": ["accelerators.atoll.io/", "atoll.io/accelerator", *discovery],
        "set": {
            driver.name: {device.name: driver.labels(device) for device in DEVICE_TYPES.values()}
            for driver in DEVICES.values()
        },
    }
