"""Which operations exclude each other. Pure.

Rendering is done by one writer at a time in any case (the cluster's lock); what goes on side by side is the rest:
restarting, and waiting until all is well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from installer.services.table import BY_NAME, RESTART_ONLY, Service


@dataclass(frozen=True)
class Activity:
    """Something that goes on: an action on a service, or a run, which is about the whole cluster (no service)."""

    what: str
    asked_by: str
    service: str | None = None


def exclude(one: Activity, other: Activity) -> bool:
    """Whether the two must not go on at the same time."""
    if one.service is None or other.service is None:
        return True
    mine, theirs = BY_NAME[one.service], BY_NAME[other.service]
    if carries_others(mine) or carries_others(theirs):
        return True
    return bool({*mine.parts} & {*theirs.parts} or {*mine.phases} & {*theirs.phases})


def carries_others(service: Service) -> bool:
    """Whether other services stand on this one, so that none of them is well while it restarts."""
    return service.actions == RESTART_ONLY


def hindrance(wanted: Activity, going_on: Iterable[Activity]) -> Activity | None:
    """Return the first of what goes on that excludes what is wanted."""
    return next((one for one in going_on if exclude(wanted, one)), None)
