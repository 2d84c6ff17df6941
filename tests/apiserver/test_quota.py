"""Quotas in real Kueue: nobody ever holds more than a share, what is idle is lent, who was first is first.

`ATOLL_TEST_SEED` does the same again; `--submissions 500` is the long form, which the suite `quota` asks for.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.apiserver.queueing import GPU, NPU, PATIENCE_S, Company, asking, eventually, queueing, watching
from tests.apiserver.server import ApiServer, Object
from tests.apiserver.shares import Grant, Ledger
from tests.system.harness import SEED

MANY = 500
PEOPLE = [f"person-{number}" for number in range(10)]
# Far fewer cards than are asked for; the engine's first virtual cluster of these tests lends eight more.
OTHERS = {"default": Grant({GPU: 8}, {GPU: 4})}
GRANTS = {
    "physics": Grant({GPU: 8, NPU: 8}, {GPU: 4, NPU: 8}),
    "vision": Grant({GPU: 6}, {GPU: 6}, borrows=True),
    "speech": Grant({GPU: 5, NPU: 4}, {GPU: 2, NPU: 2}),
    "maps": Grant({NPU: 8}, {NPU: 8}, borrows=True),
}
COUNTS = (1, 1, 2, 3, 4, 8)
# How often each happens. All but the first one happen at least once, however few tasks there are.
KINDS = {"submit": 60, "end": 30, "stop": 3, "more": 2, "less": 4, "borrow": 2, "join": 2, "leave": 2}


@pytest.fixture(scope="module")
def queue(bundle: Path, installed: list[Object], api_server: ApiServer) -> Iterator[ApiServer]:
    with queueing(api_server, bundle, installed):
        yield api_server


@pytest.fixture
async def company(queue: ApiServer) -> AsyncIterator[Company]:
    ledger = Ledger()
    for name, grant in OTHERS.items():
        ledger.note(name, grant, 0)
    async with watching(queue, ledger) as watcher, asking(queue) as engine:
        made = Company(queue, engine, watcher)
        yield made
        for attempt in [*made.tasks]:
            await made.stop(attempt)
        await eventually(lambda: not watcher.held.jobs, "nobody holds anything")
        for name in made.members:
            made.members[name].clear()
            await made.edit(name, Grant())
        assert not watcher.beyond, watcher.beyond[:10]


@dataclass
class Days:
    """What happens in the company, by lot."""

    lot: random.Random
    company: Company
    done: Counter[str] = field(default_factory=Counter)

    async def act(self, kind: str) -> bool:
        """One thing, somewhere; whether it was there to be done."""
        cluster = self.lot.choice([*GRANTS])
        grant = self.company.ledger.now(cluster)
        resource = self.lot.choice(sorted(grant.devices))
        done: bool = await getattr(self, kind)(cluster, grant, resource)
        self.done[kind] += done
        return done

    async def go_on(self, submissions: int) -> None:
        """Until so many tasks were submitted; what has to happen happens in between, one after the other."""
        due = self.lot.sample([kind for kind in KINDS if kind != "submit"], len(KINDS) - 1)
        apart = submissions / len(KINDS)
        while due or self.company.submitted < submissions:
            if due and self.company.submitted >= (len(KINDS) - len(due)) * apart:
                await self._once(due.pop())
            else:
                await self.act(*self.lot.choices([*KINDS], [*KINDS.values()]))
            self.company.watcher.assert_open()
            assert not self.company.watcher.beyond, self.company.watcher.beyond[:10]

    async def _once(self, kind: str) -> None:
        """As soon as it is there to be done."""
        deadline = time.monotonic() + PATIENCE_S
        while not await self.act(kind):
            self.company.watcher.assert_open()
            assert time.monotonic() < deadline, f"nowhere is anything to {kind}"
            if not self.company.tasks:  # else nothing ever ends
                await self.act("submit")
            await asyncio.sleep(0.05)

    async def submit(self, cluster: str, grant: Grant, resource: str) -> bool:
        """What the platform would take: it refuses what one user may never hold."""
        nodes = self.lot.choice((1, 1, 1, 2))
        most = min(grant.devices[resource], grant.most_per_user[resource]) // nodes
        devices = self.lot.choice([count for count in COUNTS if count <= most] or [0])
        if devices:
            user = self.lot.choice(sorted(self.company.members[cluster]))
            await self.company.submit(cluster, user, resource, devices, nodes)
        return devices > 0

    async def end(self, *_: object) -> bool:
        running = [attempt for attempt in self.company.tasks if self.company.runs(attempt)]
        if running:
            await self.company.end(self.lot.choice(running))
        return bool(running)

    async def stop(self, *_: object) -> bool:
        waiting_or_running = [*self.company.tasks]
        if waiting_or_running:
            await self.company.stop(self.lot.choice(waiting_or_running))
        return bool(waiting_or_running)

    async def more(self, cluster: str, grant: Grant, resource: str) -> bool:
        most = {**grant.most_per_user, resource: grant.most_per_user[resource] + self.lot.choice((0, 1))}
        return await self.company.edit(
            cluster, replace(grant, devices=grown(grant.devices, resource, 1), most_per_user=most)
        )

    async def less(self, cluster: str, grant: Grant, resource: str) -> bool:
        if grant.devices[resource] < 3:
            return False
        devices = grown(grant.devices, resource, -1)
        most = {name: min(count, devices[name]) for name, count in grant.most_per_user.items()}
        await self._emptied(cluster, devices != grant.devices)
        return await self.company.edit(cluster, replace(grant, devices=devices, most_per_user=most))

    async def borrow(self, cluster: str, grant: Grant, _: str) -> bool:
        await self._emptied(cluster, grant.borrows)
        return await self.company.edit(cluster, replace(grant, borrows=not grant.borrows))

    async def join(self, cluster: str, *_: object) -> bool:
        others = sorted({*PEOPLE} - self.company.members[cluster])
        if others:
            self.company.members[cluster].add(self.lot.choice(others))
            await self.company.provision(cluster)
        return bool(others)

    async def leave(self, cluster: str, *_: object) -> bool:
        """Who leaves has no task there any more, or the queue would wait for it."""
        members = sorted(self.company.members[cluster])
        if len(members) < 4:
            return False
        user = self.lot.choice(members)
        for attempt in [each for each, place in self.company.tasks.items() if place == (cluster, user)]:
            await self.company.stop(attempt)
        self.company.members[cluster].remove(user)
        await self.company.provision(cluster)
        return True

    async def _emptied(self, cluster: str, needed: bool) -> None:
        """Less is granted only while nobody has a task there: now and then somebody sees to that."""
        if needed and self.lot.random() < 0.5:
            for attempt in [each for each, (place, _) in self.company.tasks.items() if place == cluster]:
                await self.company.stop(attempt)
            held = self.company.watcher.held
            await eventually(lambda: not held.by_cluster().get(cluster), f"nobody holds anything of {cluster}")


def grown(devices: Mapping[str, int], resource: str, by: int) -> dict[str, int]:
    return {**devices, resource: devices[resource] + by}


async def test_nobody_ever_holds_more_than_a_share_whatever_is_edited_in_the_midst_of_it(
    company: Company, request: pytest.FixtureRequest
) -> None:
    submissions: int = request.config.getoption("--submissions")
    print(f"ATOLL_TEST_SEED={SEED}")
    lot = random.Random(SEED)
    for name, grant in GRANTS.items():
        await company.make(name, grant, *lot.sample(PEOPLE, 6))
    days, began = Days(lot, company), time.monotonic()
    await days.go_on(submissions)
    await company.finish_all()
    await eventually(lambda: not company.watcher.held.jobs, "nobody holds anything")
    watcher = company.watcher
    told = f"{time.monotonic() - began:.0f} s, {dict(days.done)}, {len(watcher.admitted)} admitted"
    told = f"{told}, {len(watcher.interrupted)} interrupted, most held {dict(watcher.held.most)}"
    print(told)
    assert not watcher.beyond, watcher.beyond[:10]
    # Else nothing was tried: edits did happen, and of many tasks shares were used up, and beyond.
    assert len(watcher.admitted) >= submissions // 2, told
    assert all(days.done[kind] for kind in KINDS), told
    if submissions >= MANY:
        full = [place for place, most in watcher.held.most.items() if most >= GRANTS[place[0]].devices[place[1]]]
        assert len(full) >= 4, told
        assert watcher.interrupted, "nothing lent was ever taken back"


async def test_what_is_idle_is_lent_and_given_back_and_no_colleague_is_interrupted(company: Company) -> None:
    borrower = await company.make("borrower", Grant({GPU: 4}, {GPU: 4}, borrows=True), *PEOPLE[:4])
    owner = await company.make("owner", Grant({GPU: 4}, {GPU: 4}), "cy", "dan")
    # All that is granted to anybody is lent: then who needs its own has to take it back.
    there = sum(company.ledger.now(name).devices.get(GPU, 0) for name in company.ledger.clusters)
    assert there == 16
    lent = [await company.submit(borrower, user, GPU, 2) for user in (*PEOPLE[:4], *PEOPLE[:4])]
    await company.all_run(*lent)
    beyond_four = await company.submit(borrower, PEOPLE[0], GPU, 1)  # one user holds four at most, whatever is idle
    small = await company.submit(owner, "cy", GPU, 2)
    await company.all_run(small)
    rest = await company.submit(owner, "dan", GPU, 2)
    await company.all_run(small, rest)
    interrupted = [attempt for attempt in lent if not company.runs(attempt)]
    assert len(interrupted) == 2, "more was taken back than was lent"
    # Nobody has anything of the owner's any more: who comes later waits for colleagues, however much these hold.
    late = await company.submit(owner, "dan", GPU, 2)
    early = await company.submit(owner, "cy", GPU, 1)
    await pending(company, late, early, beyond_four, *interrupted)
    assert company.runs(small, rest), "a colleague was interrupted"
    assert {*company.watcher.interrupted.values()} == {"InCohortReclamation"}
    assert len(company.watcher.interrupted) == len(interrupted)
    for attempt in (late, early, small, rest):
        await company.stop(attempt)
    await company.all_run(*interrupted)


async def test_who_does_not_borrow_has_its_own_and_no_more(company: Company) -> None:
    cluster = await company.make("modest", Grant({GPU: 2}, {GPU: 2}), "ada", "bob")
    first = [await company.submit(cluster, user, GPU, 1) for user in ("ada", "bob")]
    await company.all_run(*first)
    waits = await company.submit(cluster, "ada", GPU, 1)
    await pending(company, waits)
    assert await company.edit(cluster, Grant({GPU: 2}, {GPU: 2}, borrows=True)), "to borrow disturbs nobody"
    await company.all_run(*first, waits)
    assert not await company.edit(cluster, Grant({GPU: 2}, {GPU: 2})), "what is lent is taken away"


async def test_who_was_first_is_first_in_and_what_does_not_fit_lets_others_pass(company: Company) -> None:
    first, second, *others = PEOPLE[:5]
    cluster = await company.make("line", Grant({GPU: 2}, {GPU: 2}), first, second, *others)

    async def ask(user: str, devices: int) -> str:
        attempt = await company.submit(cluster, user, GPU, devices)
        await asyncio.sleep(1.1)  # Kueue goes by whole seconds
        return attempt

    holds = await ask(first, 1)
    await company.all_run(holds)
    large = await ask(second, 2)
    order = [await ask(user, 1) for user in (*reversed(others), first)]
    for attempt in order:
        await company.all_run(attempt)
        assert [each for each in order if company.runs(each)] == [attempt], "who came later was let in before"
        await company.end(attempt)
        await eventually(lambda ended=attempt: not company.runs(ended), "it has ended")
    await pending(company, large)
    await company.stop(holds)
    await company.all_run(large)


async def pending(company: Company, *attempts: str) -> None:
    """Kueue has looked at each and left it waiting; what it would do of itself it does within these seconds."""
    await asyncio.sleep(3)
    assert not [attempt for attempt in attempts if company.runs(attempt)], "what has to wait was let in"
