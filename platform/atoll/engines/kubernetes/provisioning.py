"""The objects of a virtual cluster. Pure: from what is wanted to manifests."""

from collections.abc import Sequence
from decimal import Decimal
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from atoll import quantities
from atoll.engines.base import ClusterProvision, Member
from atoll.engines.kubernetes import names
from atoll.engines.kubernetes.client import KUEUE
from atoll.networks import Opening, Ports, exceptions, parsed

ENTRY_FILE = Path(__file__).parent.parent / "entry.py"
Manifest = dict[str, Any]


def manifests(
    wanted: ClusterProvision,
    *,
    cpu_cores: int,
    memory_bytes: int,
    machines: int,
    storage_root: Path,
    lends: bool = True,
    shut: Sequence[IPv4Network] = (),
) -> list[Manifest]:
    """Everything, in the order of creation. CPU and memory are those of all `machines` that take tasks.

    `lends`: virtual clusters that borrow may, and what is lent is taken back. `shut` is what stays closed to tasks
    whatever `wanted` opens (`networks.closed`).
    """
    most_cpu, most_memory = wanted.user_share.of(Decimal(cpu_cores), Decimal(memory_bytes), machines)
    most = {"cpu": quantities.cpu_text(most_cpu), "memory": str(int(most_memory))}
    labels = {**names.MANAGED_BY, names.CLUSTER_NAME: wanted.name}
    rooms = (False, True) if wanted.privileged else (False,)
    spaces = [names.namespace(wanted.name, privileged=privileged) for privileged in rooms]
    return [
        *(each for privileged in rooms for each in _room(wanted, labels, storage_root, shut, privileged=privileged)),
        _cohort(wanted, labels, cpu_cores, memory_bytes, borrows=lends and wanted.borrows),
        # First, as by it all that there is of a member is found when they leave (`removing`).
        *(_cluster_queue(wanted, labels, member, most, spaces, reclaims=lends) for member in wanted.members),
        *(_identity(space, labels, member) for space in spaces for member in wanted.members),
        *(_local_queue(wanted, space, labels, member) for space in spaces for member in wanted.members),
    ]


def _room(
    wanted: ClusterProvision,
    labels: dict[str, str],
    storage_root: Path,
    shut: Sequence[IPv4Network],
    *,
    privileged: bool,
) -> list[Manifest]:
    """A name space with what is in it for all members: that of all tasks, or that of privileged jobs."""
    space = names.namespace(wanted.name, privileged=privileged)
    opened = _openings(wanted.egress, shut)
    return [
        _namespace(space, labels, "baseline" if privileged else "restricted"),
        _default_deny(space, labels),
        *([_allow_list(space, labels, opened)] if opened else []),
        entry(wanted.name, privileged=privileged),
        *(_volume(space, labels, claim, storage_root / path) for claim, path in names.VOLUME_CLAIMS.items()),
        *(_volume_claim(space, labels, claim) for claim in names.VOLUME_CLAIMS),
    ]


def _namespace(namespace: str, labels: dict[str, str], level: str) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": namespace,
            "labels": {
                **labels,
                names.VIRTUAL_CLUSTER: "true",
                "pod-security.kubernetes.io/enforce": level,
                "pod-security.kubernetes.io/audit": level,
                "pod-security.kubernetes.io/warn": level,
            },
        },
    }


def _default_deny(namespace: str, labels: dict[str, str]) -> Manifest:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "default-deny", "namespace": namespace, "labels": labels},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
    }


def _openings(egress: Sequence[Opening], shut: Sequence[IPv4Network]) -> list[Manifest]:
    """Rules of a network policy. What of a network stays closed is left out of it; one all of which is, is no rule."""
    rules: list[Manifest] = []
    for opening in egress:
        left_out = exceptions(parsed(opening.network), shut)
        if left_out is None:
            continue
        block: Manifest = {"cidr": opening.network}
        if left_out:
            block["except"] = [str(each) for each in left_out]
        rules.append({"to": [{"ipBlock": block}], "ports": [_ports(each) for each in opening.ports]})
    return rules


def _ports(ports: Ports) -> Manifest:
    found: Manifest = {"protocol": ports.protocol.upper(), "port": ports.first}
    return found if ports.last == ports.first else {**found, "endPort": ports.last}


def _allow_list(namespace: str, labels: dict[str, str], rules: list[Manifest]) -> Manifest:
    """Where all tasks there are let out to, those that run included."""
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": names.ALLOW_LIST, "namespace": namespace, "labels": labels},
        "spec": {"podSelector": {}, "policyTypes": ["Egress"], "egress": rules},
    }


def entry(virtual_cluster: str, *, privileged: bool = False) -> Manifest:
    """The program that starts each replica there."""
    namespace = names.namespace(virtual_cluster, privileged=privileged)
    labels = {**names.MANAGED_BY, names.CLUSTER_NAME: virtual_cluster}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": names.ENTRY, "namespace": namespace, "labels": labels},
        "data": {"entry.py": ENTRY_FILE.read_text(encoding="utf-8")},
    }


def _identity(namespace: str, labels: dict[str, str], member: Member) -> Manifest:
    """So that programs which ask who they are get an answer in any image."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": names.identity(member.name), "namespace": namespace, "labels": labels},
        "data": {
            "passwd": (
                "root:x:0:0:root:/root:/bin/sh\n"
                "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
                f"{member.name}:x:{member.uid}:{member.uid}::/home/{member.name}:/bin/sh\n"
            ),
            "group": f"root:x:0:\nnogroup:x:65534:\n{member.name}:x:{member.uid}:\n",
        },
    }


def _volume(namespace: str, labels: dict[str, str], claim: str, path: Path) -> Manifest:
    """User data of one kind, mounted on every node at the same place; bound to this claim and to no other.

    Only the mounted tree has this directory: on a node without the mount the kubelet keeps the pod waiting, where it
    would make missing directories of a `subPath` itself, below the place of the mount.
    """
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": names.volume(namespace, claim), "labels": labels},
        "spec": {
            "capacity": {"storage": "1Ti"},  # Kubernetes wants a number; the storage's own quotas hold
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "",
            "volumeMode": "Filesystem",
            "hostPath": {"path": str(path), "type": "Directory"},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": namespace,
                "name": claim,
            },
        },
    }


def _volume_claim(namespace: str, labels: dict[str, str], claim: str) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim, "namespace": namespace, "labels": labels},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": names.volume(namespace, claim),
            "resources": {"requests": {"storage": "1Ti"}},
        },
    }


def _cohort(
    wanted: ClusterProvision, labels: dict[str, str], cpu_cores: int, memory_bytes: int, *, borrows: bool
) -> Manifest:
    """The virtual cluster's quota: its devices, and no more of them, unless it borrows what is idle of others.

    CPU and memory it has as all machines do: there is nothing to borrow.
    """
    own = {"borrowingLimit": "0"}
    resources: list[Manifest] = [
        {"name": "cpu", "nominalQuota": str(cpu_cores), **own},
        {"name": "memory", "nominalQuota": str(memory_bytes), **own},
        *(
            {"name": name, "nominalQuota": str(count), **({} if borrows else own)}
            for name, (count, _) in _shares(wanted).items()
        ),
    ]
    return {
        "apiVersion": KUEUE,
        "kind": "Cohort",
        "metadata": {"name": names.cohort(wanted.name), "labels": labels},
        "spec": {"parentName": names.ROOT_COHORT, "resourceGroups": [_group(resources)]},
    }


def _cluster_queue(
    wanted: ClusterProvision,
    labels: dict[str, str],
    member: Member,
    most_of_user: dict[str, str],
    spaces: Sequence[str],
    *,
    reclaims: bool,
) -> Manifest:
    """A member owns nothing and borrows from the virtual cluster, up to the limits of one user in all its spaces.

    Who was first is first in, and what does not fit now lets what came later pass: strictly in order, one task for all
    cards would keep cards idle until it has them. With `reclaims` a task of a virtual cluster that has not all that is
    its own interrupts tasks of those that have more than that; within one virtual cluster nobody interrupts anybody,
    since there each task is beyond the nothing that its queue owns.
    """
    name = "kubernetes.io/metadata.name"
    selector: Manifest = (
        {"matchLabels": {name: spaces[0]}}
        if len(spaces) == 1
        else {"matchExpressions": [{"key": name, "operator": "In", "values": [*spaces]}]}
    )
    resources: list[Manifest] = [
        *({"name": name, "nominalQuota": "0", "borrowingLimit": most} for name, most in most_of_user.items()),
        *(
            {"name": name, "nominalQuota": "0", "borrowingLimit": str(most)}
            for name, (_, most) in _shares(wanted).items()
        ),
    ]
    return {
        "apiVersion": KUEUE,
        "kind": "ClusterQueue",
        "metadata": {
            "name": names.cluster_queue(wanted.name, member.name),
            "labels": {**labels, names.USER: member.name},
        },
        "spec": {
            "cohortName": names.cohort(wanted.name),
            "namespaceSelector": selector,
            "queueingStrategy": "BestEffortFIFO",
            "preemption": {
                "reclaimWithinCohort": "Any" if reclaims else "Never",
                "withinClusterQueue": "Never",
                "borrowWithinCohort": {"policy": "Never"},
            },
            "resourceGroups": [_group(resources)],
        },
    }


def _local_queue(wanted: ClusterProvision, namespace: str, labels: dict[str, str], member: Member) -> Manifest:
    return {
        "apiVersion": KUEUE,
        "kind": "LocalQueue",
        "metadata": {
            "name": names.local_queue(member.name),
            "namespace": namespace,
            "labels": {**labels, names.USER: member.name},
        },
        "spec": {"clusterQueue": names.cluster_queue(wanted.name, member.name)},
    }


def _group(resources: list[Manifest]) -> Manifest:
    return {
        "coveredResources": [resource["name"] for resource in resources],
        "flavors": [{"name": names.FLAVOR, "resources": resources}],
    }


def _shares(wanted: ClusterProvision) -> dict[str, tuple[int, int]]:
    """Devices and the limit per user by resource; two types of one resource (arm64 and amd64 NPUs) add up."""
    shares: dict[str, tuple[int, int]] = {}
    for share in wanted.shares:
        count, most = shares.get(share.resource, (0, 0))
        shares[share.resource] = (count + share.count, most + share.max_per_user)
    return shares
