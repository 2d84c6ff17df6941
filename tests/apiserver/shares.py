"""Who holds which devices, recomputed from what Kueue wrote into its workloads, against what was granted then. Pure.

Nothing here asks the platform, or how Kueue reckons: an event of a workload says what it holds from now on, and after
each event that lets somebody hold more of something, nobody may hold more of that than was granted at that moment.
Who lowers what is lent interrupts nobody: it is had back by who asks for it. `Watcher` is fed with the events;
`tests/unit/testing/test_shares.py` tries it by itself.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Object = Mapping[str, Any]
# Kubernetes writes times in whole seconds, and what an edit said is in force a moment after it was taken.
SLACK_S = 5.0
_QUEUE = re.compile(r"vc-(?P<cluster>.+?)--(?P<user>.+)")


@dataclass(frozen=True)
class Grant:
    """What a virtual cluster grants, by the names of resources. `borrows`: what is idle of others, too."""

    devices: Mapping[str, int] = field(default_factory=dict)
    most_per_user: Mapping[str, int] = field(default_factory=dict)
    borrows: bool = False


@dataclass
class _Entry:
    grant: Grant
    begun: float
    ended: float = math.inf


@dataclass
class Ledger:
    """What was granted when. What is being edited has both: what it had, and what it shall have."""

    _noted: dict[str, list[_Entry]] = field(default_factory=dict)

    def note(self, cluster: str, grant: Grant, at: float) -> None:
        """From `at` on it may be so."""
        self._noted.setdefault(cluster, []).append(_Entry(grant, at))

    def settle(self, cluster: str, at: float) -> None:
        """From `at` on only the last one is true."""
        for entry in self._noted[cluster][:-1]:
            entry.ended = min(entry.ended, at)

    def now(self, cluster: str) -> Grant:
        """The last one."""
        return self._noted[cluster][-1].grant

    @property
    def clusters(self) -> list[str]:
        """All that ever were."""
        return sorted(self._noted)

    def around(self, cluster: str, at: float) -> list[Grant]:
        """All that held at some time within `SLACK_S` of then; none for a virtual cluster that was not there."""
        return [
            entry.grant
            for entry in self._noted.get(cluster, ())
            if entry.begun - SLACK_S <= at <= entry.ended + SLACK_S
        ]


@dataclass(frozen=True)
class Holding:
    """What one workload holds."""

    cluster: str
    user: str
    devices: Mapping[str, int]
    job: str = ""


def condition(item: Object, kind: str) -> Object | None:
    """A condition of that type that is true."""
    for entry in item.get("status", {}).get("conditions", ()):
        if entry["type"] == kind and entry["status"] == "True":
            found: Object = entry
            return found
    return None


def of_workload(workload: Object) -> Holding | None:
    """What a workload of a virtual cluster has of the quota; None where it has nothing."""
    admission = workload.get("status", {}).get("admission")
    queue = _QUEUE.fullmatch(admission["clusterQueue"]) if admission else None
    if queue is None or condition(workload, "Finished") or not condition(workload, "QuotaReserved"):
        return None
    given_back = {
        each["name"]: int(each["count"]) for each in workload["status"].get("reclaimablePods", ()) if each.get("count")
    }
    devices: Counter[str] = Counter()
    for part in admission["podSetAssignments"]:
        count = int(part.get("count", 1))
        left = count - min(count, given_back.get(part["name"], 0))
        for name, amount in part.get("resourceUsage", {}).items():
            if "/" in name and count:
                devices[name] += int(amount) * left // count
    job = next((owner["name"] for owner in workload["metadata"].get("ownerReferences", ())), "")
    return Holding(queue["cluster"], queue["user"], {name: held for name, held in devices.items() if held}, job)


def reserved_at(workload: Object) -> float:
    """When Kueue gave it what it has, in seconds of the epoch."""
    entry = condition(workload, "QuotaReserved")
    assert entry is not None, workload
    return datetime.fromisoformat(entry["lastTransitionTime"]).timestamp()


@dataclass
class Held:
    """All holdings by the uid of what holds, kept up to date by events; `most` is the most that ever was held."""

    _by_uid: dict[str, Holding] = field(default_factory=dict)
    most: Counter[tuple[str, str]] = field(default_factory=Counter)

    def become(self, uid: str, holding: Holding | None) -> set[str]:
        """It holds that from now on. Return the resources of which it is more than before."""
        before = self._by_uid.pop(uid, None)
        if holding is None or not holding.devices:
            return set()
        self._by_uid[uid] = holding
        for name, held in self.by_cluster()[holding.cluster].items():
            place = (holding.cluster, name)
            self.most[place] = max(self.most[place], held)
        had = {} if before is None else before.devices
        return {name for name, count in holding.devices.items() if count > had.get(name, 0)}

    def by_cluster(self) -> dict[str, Counter[str]]:
        """Devices by virtual cluster and resource."""
        found: dict[str, Counter[str]] = {}
        for holding in self._by_uid.values():
            found.setdefault(holding.cluster, Counter()).update(holding.devices)
        return found

    def by_user(self) -> dict[tuple[str, str], Counter[str]]:
        """The same by virtual cluster and user."""
        found: dict[tuple[str, str], Counter[str]] = {}
        for holding in self._by_uid.values():
            found.setdefault((holding.cluster, holding.user), Counter()).update(holding.devices)
        return found

    @property
    def jobs(self) -> set[str]:
        """The names of all that hold something."""
        return {holding.job for holding in self._by_uid.values()}


def beyond(held: Held, ledger: Ledger, at: float, grown: Collection[str]) -> list[str]:
    """Who holds more of `grown` than was granted then: a user, a virtual cluster, or all together."""
    told = []
    granted = {cluster: ledger.around(cluster, at) for cluster in {*ledger.clusters, *held.by_cluster()}}

    def judged(devices: Mapping[str, int]) -> list[tuple[str, int]]:
        return [(name, count) for name, count in devices.items() if name in grown]

    for (cluster, user), devices in sorted(held.by_user().items()):
        for name, count in judged(devices):
            most = _most(each.most_per_user.get(name, 0) for each in granted[cluster])
            if count > most:
                told.append(f"{user} holds {count} {name} in {cluster}, where one user may hold {most}")
    together: Counter[str] = Counter()
    for cluster, devices in sorted(held.by_cluster().items()):
        together.update(devices)
        for name, count in judged(devices):
            own = _most(each.devices.get(name, 0) for each in granted[cluster])
            if count > own and not any(each.borrows for each in granted[cluster]):
                told.append(f"{cluster} holds {count} {name}, and has {own}")
    for name, count in judged(together):
        there = sum(_most(each.devices.get(name, 0) for each in grants) for grants in granted.values())
        if count > there:
            told.append(f"all together hold {count} {name}, and {there} are granted")
    return told


def _most(counts: Iterable[int]) -> int:
    return max(counts, default=0)


class Watcher:
    """Notes whoever holds more than is granted at that moment."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.held = Held()
        self.beyond: list[str] = []
        self.admitted: set[str] = set()
        self.interrupted: dict[str, str] = {}
        self._closed = ""

    def close(self, eye: asyncio.Task[None]) -> None:
        """It looks on no more."""
        self._closed = "cancelled" if eye.cancelled() else repr(eye.exception())

    def assert_open(self) -> None:
        """Raises AssertionError when it looks on no more: then the proof has a hole."""
        assert not self._closed, f"nobody looks on any more: {self._closed}"

    def see(self, change: str, item: Object) -> None:
        """An event of a workload, each in its turn."""
        uid = item["metadata"]["uid"]
        holding = None if change == "DELETED" else of_workload(item)
        if holding is not None:
            self.admitted.add(uid)
        if entry := condition(item, "Preempted"):
            self.interrupted[uid] = str(entry.get("reason", ""))
        if grown := self.held.become(uid, holding):
            self.beyond += beyond(self.held, self.ledger, reserved_at(item), grown)
