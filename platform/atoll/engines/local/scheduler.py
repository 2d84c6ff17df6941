"""The local engine's queue: first come, first served, but a task that cannot start yet lets smaller ones pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from atoll import quantities
from atoll.engines.admission import Amount, Ask, NodeState, Obstacle, Placement, Share, Snapshot, decide
from atoll.engines.base import ClusterProvision, Submission


@dataclass(frozen=True)
class Machine:
    """A pretended node of this machine."""

    name: str
    arch: str
    devices: Mapping[str, int]
    cpu_cores: float
    memory_bytes: int


@dataclass(frozen=True)
class Held:
    """What a running attempt holds."""

    submission: Submission
    placement: Placement

    @property
    def nodes(self) -> int:
        """How many replicas there are."""
        return len(self.placement.replicas)


def ask(submission: Submission) -> Ask:
    """A submission in the words of admission."""
    return Ask(
        virtual_cluster=submission.virtual_cluster,
        user=submission.user_name,
        device_type=submission.specification.devices.type,
        devices=submission.specification.devices.count,
        nodes=submission.specification.devices.nodes,
        cpu_cores=quantities.parse(submission.specification.requests.cpu),
        memory_bytes=quantities.parse(submission.specification.requests.memory),
        arch=submission.specification.devices.architecture,
        group=submission.specification.devices.group,
    )


def snapshot(machines: Sequence[Machine], clusters: Sequence[ClusterProvision], held: Sequence[Held]) -> Snapshot:
    """What is free beside what is held."""
    used: dict[tuple[str, str], set[int]] = {}
    cpu: dict[str, Decimal] = {}
    memory: dict[str, Decimal] = {}
    per_user: dict[tuple[str, str, str], int] = {}
    reserved: dict[tuple[str, str], Amount] = {}
    for item in held:
        wanted = ask(item.submission)
        if wanted.device_type is not None:
            key = (wanted.virtual_cluster, wanted.device_type, wanted.user)
            per_user[key] = per_user.get(key, 0) + wanted.devices * wanted.nodes
        mine = (wanted.virtual_cluster, wanted.user)
        each = Amount(wanted.cpu_cores, wanted.memory_bytes)
        reserved[mine] = reserved.get(mine, Amount()).plus(each, wanted.nodes)
        for node, devices in item.placement.replicas:
            if wanted.device_type is not None:
                used.setdefault((node, wanted.device_type), set()).update(devices)
            cpu[node] = cpu.get(node, Decimal(0)) + wanted.cpu_cores
            memory[node] = memory.get(node, Decimal(0)) + wanted.memory_bytes
    whole = (
        sum((Decimal(str(machine.cpu_cores)) for machine in machines), Decimal(0)),
        Decimal(sum(machine.memory_bytes for machine in machines)),
    )
    return Snapshot(
        nodes=[
            NodeState(
                name=machine.name,
                arch=machine.arch,
                free={
                    kind: frozenset(range(count)) - used.get((machine.name, kind), set())
                    for kind, count in machine.devices.items()
                },
                total=machine.devices,
                cpu_cores_free=Decimal(str(machine.cpu_cores)) - cpu.get(machine.name, Decimal(0)),
                memory_bytes_free=machine.memory_bytes - memory.get(machine.name, Decimal(0)),
            )
            for machine in machines
        ],
        shares={
            (cluster.name, share.device_type): Share(share.count, share.max_per_user)
            for cluster in clusters
            for share in cluster.shares
        },
        held=per_user,
        user_most={cluster.name: Amount(*cluster.user_share.of(*whole, len(machines))) for cluster in clusters},
        reserved=reserved,
    )


def next_start(
    waiting: Sequence[Submission],
    machines: Sequence[Machine],
    clusters: Sequence[ClusterProvision],
    held: Sequence[Held],
) -> tuple[Held | None, dict[str, Obstacle]]:
    """The first waiting attempt that may start, and why those before it may not."""
    now_there = snapshot(machines, clusters, held)
    obstacles: dict[str, Obstacle] = {}
    for submission in waiting:
        verdict = decide(now_there, ask(submission))
        if isinstance(verdict, Placement):
            return Held(submission, verdict), obstacles
        obstacles[submission.attempt_id] = verdict
    return None, obstacles
