"""May a task start now, and where? Pure: no clock, no database, no engine.

The local engine schedules with it, the estimate asks it, and tests hold it against Kueue.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from atoll.devices.types import choose
from atoll.engines import codes
from atoll.quantities import cpu_text, memory_text
from atoll.web.codes import FieldCode, ReasonCode


@dataclass(frozen=True)
class Ask:
    """What a task needs. `devices`, `cpu_cores` and `memory_bytes` are per node, the latter two as requested."""

    virtual_cluster: str
    user: str
    device_type: str | None  # None: no devices
    devices: int
    nodes: int
    cpu_cores: Decimal
    memory_bytes: Decimal
    arch: str | None = None  # of the machines; None: any
    group: int = 1  # of the device type: see `choose`


@dataclass(frozen=True)
class NodeState:
    """What is free on a node."""

    name: str
    arch: str
    free: Mapping[str, frozenset[int]]
    total: Mapping[str, int]
    cpu_cores_free: Decimal
    memory_bytes_free: Decimal
    ready: bool = True  # one that is being restarted takes nothing now, but will


@dataclass(frozen=True)
class Share:
    """A virtual cluster's devices of one type. `lent`: idle ones of others, which it may have beyond its own now."""

    total: int
    max_per_user: int
    lent: int = 0


@dataclass(frozen=True)
class Amount:
    """CPU and memory, as requested."""

    cpu_cores: Decimal = Decimal(0)
    memory_bytes: Decimal = Decimal(0)

    def plus(self, more: "Amount", times: int = 1) -> "Amount":
        """With so many times `more`."""
        return Amount(self.cpu_cores + more.cpu_cores * times, self.memory_bytes + more.memory_bytes * times)


@dataclass(frozen=True)
class Snapshot:
    """The cluster at one moment. `held`: devices per (virtual cluster, device type, user).

    `user_most`: what one user may reserve, per virtual cluster; `reserved`: per (virtual cluster, user).
    """

    nodes: Sequence[NodeState]
    shares: Mapping[tuple[str, str], Share]
    held: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    user_most: Mapping[str, Amount] = field(default_factory=dict)
    reserved: Mapping[tuple[str, str], Amount] = field(default_factory=dict)


@dataclass(frozen=True)
class Obstacle:
    """Why not. One that does not go away when other tasks end is also a mistake of the request."""

    reason: ReasonCode
    mistake: FieldCode | None = None

    @property
    def forever(self) -> bool:
        """Whether it could never start."""
        return self.mistake is not None


@dataclass(frozen=True)
class Placement:
    """The node and the devices of each replica, by rank."""

    replicas: Sequence[tuple[str, tuple[int, ...]]]


def decide(snapshot: Snapshot, ask: Ask) -> Placement | Obstacle:
    """Where the task may start now, or the obstacle that would go away last."""
    return _never(snapshot, ask) or _quota(snapshot, ask) or _user_share(snapshot, ask) or _place(snapshot, ask)


def _fits_node(node: NodeState, ask: Ask) -> bool:
    if ask.arch not in (None, node.arch):
        return False
    return ask.device_type is None or ask.devices == 0 or node.total.get(ask.device_type, 0) >= ask.devices


def _share(snapshot: Snapshot, ask: Ask) -> Share | None:
    return None if ask.device_type is None else snapshot.shares.get((ask.virtual_cluster, ask.device_type))


def _free(node: NodeState, ask: Ask) -> frozenset[int]:
    return frozenset() if ask.device_type is None else node.free.get(ask.device_type, frozenset())


def _never(snapshot: Snapshot, ask: Ask) -> Obstacle | None:
    wanted = ask.devices * ask.nodes
    share = _share(snapshot, ask)
    if share is None and wanted:
        return Obstacle(
            codes.DeviceTypeNotInVirtualClusterReason(
                virtual_cluster=ask.virtual_cluster, device_type=str(ask.device_type)
            ),
            codes.DeviceTypeNotInVirtualCluster(),
        )
    if share is not None and wanted > share.total:
        return Obstacle(
            codes.MoreThanVirtualClusterHasReason(
                needed=wanted, total=share.total, virtual_cluster=ask.virtual_cluster
            ),
            codes.MoreThanVirtualClusterHas(total=share.total),
        )
    if share is not None and wanted > share.max_per_user:
        return Obstacle(
            codes.MoreThanUserMayHoldReason(needed=wanted, max_per_user=share.max_per_user),
            codes.MoreThanUserMayHold(max_per_user=share.max_per_user),
        )
    able = [node for node in snapshot.nodes if _fits_node(node, ask)]
    if len(able) >= ask.nodes:
        return _beyond_share(snapshot, ask)
    if ask.device_type is None:
        return Obstacle(
            codes.NotEnoughNodesReason(needed=ask.nodes, nodes=len(able)), codes.NotEnoughNodes(nodes=len(able))
        )
    return Obstacle(
        codes.NotEnoughNodesWithDevicesReason(
            needed=ask.nodes, nodes=len(able), devices=ask.devices, device_type=ask.device_type
        ),
        codes.NotEnoughNodesWithDevices(nodes=len(able)),
    )


def _quota(snapshot: Snapshot, ask: Ask) -> Obstacle | None:
    share = _share(snapshot, ask)
    wanted = ask.devices * ask.nodes
    if share is None or ask.device_type is None or wanted == 0:
        return None
    mine = snapshot.held.get((ask.virtual_cluster, ask.device_type, ask.user), 0)
    everybody = sum(
        count
        for (cluster, device_type, _), count in snapshot.held.items()
        if (cluster, device_type) == (ask.virtual_cluster, ask.device_type)
    )
    there = share.total + share.lent
    if mine + wanted > share.max_per_user and share.max_per_user < there:
        return Obstacle(codes.UserLimitReached(needed=wanted, held=mine, max_per_user=share.max_per_user))
    if everybody + wanted > there:
        free = max(0, there - everybody)
        return Obstacle(
            codes.DevicesInUse(needed=wanted, free=free, total=share.total, virtual_cluster=ask.virtual_cluster)
        )
    return None


def _beyond_share(snapshot: Snapshot, ask: Ask) -> Obstacle | None:
    """It would not fit if the user had nothing else."""
    for resource, needed, _, most in _of_share(snapshot, ask, Amount()):
        return Obstacle(
            codes.MoreThanUserShareReason(resource=resource, needed=needed, most=most),
            codes.MoreThanUserShare(resource=resource, most=most),
        )
    return None


def _user_share(snapshot: Snapshot, ask: Ask) -> Obstacle | None:
    """CPU and memory of one user: however many tasks, they leave the rest to the others."""
    mine = snapshot.reserved.get((ask.virtual_cluster, ask.user), Amount())
    for resource, needed, held, most in _of_share(snapshot, ask, mine):
        return Obstacle(codes.UserShareUsedUp(resource=resource, needed=needed, held=held, most=most))
    return None


def _of_share(snapshot: Snapshot, ask: Ask, mine: Amount) -> Iterator[tuple[str, str, str, str]]:
    """What does not fit into a user's share beside `mine`: its name, how much is needed, held and the most."""
    most = snapshot.user_most.get(ask.virtual_cluster)
    if most is None:
        return
    wanted = Amount().plus(Amount(ask.cpu_cores, ask.memory_bytes), ask.nodes)
    for resource, needed, held, limit, text in (
        ("cpu", wanted.cpu_cores, mine.cpu_cores, most.cpu_cores, cpu_text),
        ("memory", wanted.memory_bytes, mine.memory_bytes, most.memory_bytes, memory_text),
    ):
        if held + needed > limit:
            yield resource, text(needed), text(held), text(limit)


def _place(snapshot: Snapshot, ask: Ask) -> Placement | Obstacle:
    chosen: list[tuple[str, tuple[int, ...]]] = []
    # The fullest node first: big gaps stay for big tasks.
    candidates = sorted(
        (node for node in snapshot.nodes if node.ready and _fits_node(node, ask)),
        key=lambda node: (len(_free(node, ask)), node.name),
    )
    taken: set[str] = set()
    for _ in range(ask.nodes):
        for node in candidates:
            has_room = node.cpu_cores_free >= ask.cpu_cores and node.memory_bytes_free >= ask.memory_bytes
            if node.name in taken or not has_room:
                continue
            devices = choose(_free(node, ask), ask.devices, ask.group)
            if devices is None:
                continue
            chosen.append((node.name, devices))
            taken.add(node.name)  # each replica of a distributed task has a node of its own
            break
        else:
            return _no_room(ask, len(chosen))
    return Placement(tuple(chosen))


def _no_room(ask: Ask, nodes: int) -> Obstacle:
    if ask.device_type is None:
        return Obstacle(codes.NoNodeHasCpuAndMemory(needed=ask.nodes, nodes=nodes))
    return Obstacle(
        codes.NoNodeHasRoom(needed=ask.nodes, nodes=nodes, devices=ask.devices, device_type=ask.device_type)
    )
