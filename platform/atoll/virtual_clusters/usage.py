"""What lies a floor above virtual clusters and is asked by them: tasks and machines, as whoever has them tells."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor
from atoll.virtual_clusters.capacity import Detected


@dataclass(frozen=True, slots=True)
class Usage:
    """`devices` by id of the virtual cluster and device type, the numbers of tasks by id."""

    devices: Mapping[tuple[str, str], int] = field(default_factory=dict)
    running: Mapping[str, int] = field(default_factory=dict)
    waiting: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UsageReader:
    """A part of the API's process."""

    read: Callable[[AsyncSession], Awaitable[Usage]]
    detected: Callable[[AsyncSession], Awaitable[Mapping[str, Detected]]]
    addresses: Callable[[AsyncSession], Awaitable[Collection[str]]]  # of all machines


@dataclass(frozen=True, slots=True)
class ClusterTasks:
    """A part of the API's process: the tasks in a virtual cluster that have not ended.

    `of_each`: how many, by their owner. `stop(session, actor, id of the virtual cluster, owners)` asks for a stop of
    those of `owners`, who lose it, and tells how many there were; that `actor` may was judged before.
    """

    of_each: Callable[[AsyncSession, str], Awaitable[Mapping[str, int]]]
    stop: Callable[[AsyncSession, Actor, str, Collection[str]], Awaitable[int]]
