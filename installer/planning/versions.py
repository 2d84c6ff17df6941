"""Which versions fit what stands: Atoll goes forward only, and Kubernetes keeps its minor version. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from packaging.version import Version

from installer.cluster import Cluster
from installer.planning.observations import Observations
from installer.planning.projection import Digests

API_SERVER = "image/base/registry.k8s.io/kube-apiserver:"


def misfits(wanted: Cluster, seen: Observations, digests: Digests) -> Iterator[str]:
    """Say which versions forbid to do anything."""
    yield from _older_atoll(seen, digests)
    yield from _other_kubernetes(wanted, seen, digests)


def notes(wanted: Cluster, seen: Observations, digests: Digests) -> Iterator[str]:
    """Say what a newer patch of Kubernetes in the bundle does not reach."""
    comes = kubernetes_of(digests)
    for master, stands in _standing(wanted, seen).items():
        if comes and stands != comes and _minor(stands) == _minor(comes):
            yield (
                f"The control plane of `{master}` stays at Kubernetes {stands}, though the bundle has {comes}: only "
                "`./atoll upgrade` will change it, which is not there yet."
            )


def kubernetes_of(digests: Digests) -> str:
    """Return the Kubernetes version of the bundle; empty without a bundle."""
    return next((name.removeprefix(API_SERVER) for name in digests.artifacts if name.startswith(API_SERVER)), "")


def _standing(wanted: Cluster, seen: Observations) -> dict[str, str]:
    found = {node.name: seen.node(node.name).kubernetes for node in wanted.masters}
    return {name: version for name, version in found.items() if version}


def _older_atoll(seen: Observations, digests: Digests) -> Iterator[str]:
    places = [*((f"node `{name}`", node) for name, node in seen.nodes.items()), ("the cluster", seen.cluster)]
    known = [
        (Version(record.version), f"phase `{phase}` of {place}")
        for place, found in places
        for phase, record in found.records.items()
        if record.version
    ]
    newest, where = max(known, key=itemgetter(0), default=(None, ""))
    if newest is not None and digests.version and Version(digests.version) < newest:
        yield (
            f"Atoll {newest} was applied here ({where}), and this tree is the older {digests.version}. Use the tree of "
            f"{newest} or a newer one; going back is not possible."
        )


def _other_kubernetes(wanted: Cluster, seen: Observations, digests: Digests) -> Iterator[str]:
    comes = kubernetes_of(digests)
    standing = _standing(wanted, seen)
    for master, stands in standing.items():
        if comes and _minor(stands) != _minor(comes):
            yield (
                f"Master `{master}` runs Kubernetes {stands}, and the bundle has {comes}. Another minor version needs "
                f"`./atoll upgrade`, which is not there yet: use the tree and bundle of Atoll with Kubernetes "
                f"{_minor(stands)}."
            )
            return
    new = [node.name for node in wanted.masters if "control_plane" not in seen.node(node.name).records]
    other = [(master, stands) for master, stands in standing.items() if comes and stands != comes]
    if new and other:
        master, stands = other[0]
        yield (
            f"Master `{new[0]}` is new and would join with Kubernetes {stands}, which `{master}` runs, but the bundle "
            f"has {comes}. Add it with the bundle of {stands}."
        )


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
