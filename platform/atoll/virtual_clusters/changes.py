"""What an edit of a virtual cluster may do while tasks are in it. Pure: no database, no clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from atoll.networks import Opening
from atoll.virtual_clusters.models import PodSecurity

MOST_DEVICES = 100_000
MOST_HOURS = 87_600  # ten years


@dataclass(frozen=True, slots=True)
class Quota:
    """Devices of one type, and the most that one member may hold of them."""

    count: int
    max_per_user: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What a virtual cluster grants: its own devices, with `borrows` idle ones of others, too.

    `max_hours` None: a task may run for ever. `egress`: nowhere, unless said.
    """

    quotas: Mapping[str, Quota] = field(default_factory=dict)
    max_hours: int | None = None
    borrows: bool = False
    pod_security: PodSecurity = PodSecurity.RESTRICTED
    egress: tuple[Opening, ...] = ()


def edited(
    before: Terms,
    devices: Mapping[str, int] | None,
    most: Mapping[str, int] | None,
    max_hours: int | None,
    borrows: bool | None = None,
    pod_security: PodSecurity | None = None,
    egress: tuple[Opening, ...] | None = None,
) -> Terms:
    """`before` with other numbers of devices (None: the same types and numbers) and other limits per user.

    A type that `most` leaves out keeps its limit, and no more than there is; a new one has none below its number.
    `borrows` None: as before.
    """
    counts = {name: quota.count for name, quota in before.quotas.items()} if devices is None else devices

    def limit(name: str, count: int) -> int:
        if most is not None and name in most:
            return most[name]
        return min(count, before.quotas[name].max_per_user) if name in before.quotas else count

    return Terms(
        {name: Quota(count, limit(name, count)) for name, count in counts.items()},
        max_hours,
        before.borrows if borrows is None else borrows,
        pod_security or before.pod_security,
        before.egress if egress is None else egress,
    )


def only_grows(before: Terms, after: Terms) -> bool:
    """Whether whoever is in it has as much as before, or more: such an edit disturbs no task that waits or runs.

    But for networks, which are closed at any time.
    """
    longer = after.max_hours is None or (before.max_hours is not None and after.max_hours >= before.max_hours)
    lent = after.borrows or not before.borrows
    freer = after.pod_security in (before.pod_security, PodSecurity.BASELINE)
    kept = all(_holds(after.quotas.get(name), quota) for name, quota in before.quotas.items())
    return longer and lent and freer and kept


def confines(before: Terms, after: Terms) -> bool:
    """Whether tasks are let out to less than before, or the engine has to make room for another kind of them."""
    opened = {(each.network, ports) for each in after.egress for ports in each.ports}
    let_out = {(each.network, ports) for each in before.egress for ports in each.ports}
    return not let_out <= opened or after.pod_security != before.pod_security


def _holds(after: Quota | None, before: Quota) -> bool:
    return after is not None and after.count >= before.count and after.max_per_user >= before.max_per_user
