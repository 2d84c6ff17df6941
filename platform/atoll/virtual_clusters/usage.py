"""What is held in virtual clusters, as whoever holds it tells: tasks lie a floor above."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession


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
