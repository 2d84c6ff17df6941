"""Devices of the whole cluster against what virtual clusters are granted of them. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from atoll.virtual_clusters.schemas import DeviceCapacity


@dataclass(frozen=True, slots=True)
class Detected:
    """Devices of one type on the machines that are for tasks; `away`: those of them that are down or cordoned."""

    total: int = 0
    away: int = 0

    @property
    def there(self) -> int:
        """How many tasks may be given now."""
        return self.total - self.away


def overcommitted(detected: Mapping[str, Detected], given: Mapping[str, int]) -> frozenset[str]:
    """Types of which more is granted than there is on machines that are up."""
    return frozenset(name for name, count in given.items() if count > detected.get(name, Detected()).there)


def capacity(
    known: Collection[str], detected: Mapping[str, Detected], given: Mapping[str, int]
) -> list[DeviceCapacity]:
    """Every type that is known, was seen, or is granted, by name."""
    promised = overcommitted(detected, given)
    found = []
    for name in sorted({*known, *detected, *given}):
        seen, count = detected.get(name, Detected()), given.get(name, 0)
        found.append(
            DeviceCapacity(
                type=name,
                total=seen.total,
                away=seen.away,
                given=count,
                free=max(0, seen.there - count),
                overcommitted=name in promised,
            )
        )
    return found
