"""Quotas hold in real Kueue: hundreds of tasks on pretended machines, edits in the midst of them, and who looks on.

Nobody holds more than their share at any time (`shares.py` says what that is), what is lent is given back, and who was
first is first in.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.quota.company import ENDED, Company, Person, grown
from tests.quota.conftest import GPU_NODES, NPU_NODES
from tests.quota.pretended import CARDS, GPU, NPU
from tests.quota.shares import Grant
from tests.quota.watching import Watcher
from tests.system.harness import Portal, wait_for
from tests.system.people import User

PEOPLE = 10
LONG_S = 900
# What is granted at first: far fewer cards than are asked for, and fewer than there are.
GRANTS = (
    Grant({GPU: 8, NPU: 8}, {GPU: 4, NPU: 8}),
    Grant({GPU: 6}, {GPU: 6}, borrows=True),
    Grant({GPU: 5, NPU: 4}, {GPU: 2, NPU: 2}),
    Grant({NPU: 8}, {NPU: 8}, borrows=True),
)
MOST_GRANTED = {GPU: (GPU_NODES - 1) * CARDS, NPU: (NPU_NODES - 1) * CARDS}  # `default` has a machine of each
COUNTS = {GPU: (0, 1, 1, 2, 3, 4), NPU: (0, 1, 2, 4, 8)}


@pytest.fixture
def company(portal: Portal, watcher: Watcher) -> Company:
    return Company(portal, watcher.ledger)


@pytest.fixture
def staff(company: Company, made: Callable[[str], User]) -> Iterator[Callable[[int], list[Person]]]:
    """Signs so many people in; at the end nothing of theirs goes on."""
    there: list[Person] = []

    def make(count: int) -> list[Person]:
        there.extend(company.person(made("quota")) for _ in range(count))
        for person in there:
            answer = person.browser.client.get("/home/files")  # makes the home
            assert answer.is_success, answer.text
        return there

    yield make
    company.end(there)
    for person in there:
        person.browser.client.close()


class Days:
    """What happens in the company, by lot."""

    def __init__(self, lot: random.Random, company: Company, people: list[Person]) -> None:
        self.lot, self.company, self.people = lot, company, people
        self.submitted = 0
        self.edits: dict[str, int] = {}

    def act(self) -> None:
        """One thing."""
        draw = self.lot.random()
        if draw < 0.84:
            self._submit()
        elif draw < 0.88:
            self._stop()
        else:
            self._edit(self.lot.choice(("more", "less", "borrow", "join", "leave")))

    def _submit(self) -> None:
        cluster = self.lot.choice([name for name, members in self.company.members.items() if members])
        person = self.lot.choice([each for each in self.people if each.name in self.company.members[cluster]])
        resource = self.lot.choice(sorted(self.company.ledger.now(cluster).devices))
        devices, seconds = self.lot.choice(COUNTS[resource]), self.lot.randint(1, 20)
        if self.company.submit(person, cluster, resource, devices, seconds) is not None:
            self.submitted += 1

    def _stop(self) -> None:
        person = self.lot.choice(self.people)
        if person.tasks:
            self.company.stop(person, self.lot.choice(sorted(person.tasks)))

    def _edit(self, kind: str) -> None:
        company, cluster = self.company, self.lot.choice(sorted(self.company.clusters))
        grant = company.ledger.now(cluster)
        resource = self.lot.choice(sorted(grant.devices))
        done = True
        match kind:
            case "more":
                done = self._granted(resource) < MOST_GRANTED[resource] and company.edit(
                    cluster, grown(grant, resource, 1)
                )
            case "less":
                done = company.edit(cluster, grown(grant, resource, -1))
            case "borrow":
                done = company.edit(cluster, replace(grant, borrows=not grant.borrows))
            case "join":
                company.join(cluster, self.lot.choice(self.people))
            case "leave":
                members = [each for each in self.people if each.name in company.members[cluster]]
                done = len(members) > 2
                if done:
                    company.leave(cluster, self.lot.choice(members))
        self.edits[kind] = self.edits.get(kind, 0) + done

    def _granted(self, resource: str) -> int:
        return sum(self.company.ledger.now(name).devices.get(resource, 0) for name in self.company.clusters)


@pytest.mark.timeout(2400)
def test_nobody_ever_holds_more_than_a_share_whatever_is_edited_in_the_midst_of_it(
    company: Company,
    staff: Callable[[int], list[Person]],
    watcher: Watcher,
    lot: random.Random,
    submissions: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    people = staff(PEOPLE)
    for grant in GRANTS:
        name = company.make(grant)
        company.join(name, *lot.sample(people, PEOPLE * 3 // 5))
    company.settle()
    days = Days(lot, company, people)
    began = time.monotonic()
    while days.submitted < submissions:
        assert time.monotonic() - began < 1500, f"{days.submitted} tasks only: {company.refused}"
        days.act()
        assert not watcher.beyond, watcher.beyond[:10]
    wait_for("all tasks ended", lambda: not company.going_on(people), 900, every_s=3)
    states = [state for person in people for state in company.states(person).values()]
    with capsys.disabled():
        print(
            f"\n{days.submitted} tasks, {len(watcher.admitted)} admitted, {len(watcher.interrupted)} interrupted,"
            f" edits {days.edits}, refused {dict(company.refused)}, events {watcher.events},"
            f" most held {dict(watcher.workloads.most)}"
        )
    assert not watcher.beyond, watcher.beyond[:10]
    assert len(states) == days.submitted
    assert set(states) <= {"finished", "killed"}, "a task came to another end than its own or its owner's"
    wait_for("nobody holds anything", lambda: watcher.workloads.nothing and watcher.pods.nothing, 120)
    # Else nothing was tried: a share was used up, and edits did happen.
    assert states.count("finished") >= submissions // 2
    full = [
        (name, resource)
        for name, grant in zip(company.clusters, GRANTS, strict=True)
        for resource, count in grant.devices.items()
        if watcher.workloads.most[name, resource] >= count
    ]
    assert len(full) >= len(GRANTS), f"hardly any share was ever used up: {dict(watcher.workloads.most)}"
    assert all(days.edits.get(kind) for kind in ("more", "borrow", "join", "leave")), days.edits
    assert company.refused["virtual_cluster_in_use"], "nothing was taken away while tasks were there"


def runs(*held: tuple[Person, str]) -> bool:
    """Whether all of these tasks do."""
    return all(person.browser.task(task)["state"] == "running" for person, task in held)


@pytest.mark.timeout(900)
def test_what_is_idle_is_lent_and_given_back_and_no_colleague_is_interrupted(
    company: Company, staff: Callable[[int], list[Person]], watcher: Watcher
) -> None:
    borrower, owner = (company.make(Grant({GPU: 4}, {GPU: 4}, borrows=borrows)) for borrows in (True, False))
    # All that is granted to anybody is lent, four to each: then who needs its own has to take it back.
    there = sum(company.ledger.now(name).devices.get(GPU, 0) for name in company.ledger.clusters)
    cy, dan, *borrowers = staff(2 + there // 4)
    company.join(borrower, *borrowers)
    company.join(owner, cy, dan)
    company.settle()

    def hold(person: Person, cluster: str, devices: int) -> tuple[Person, str]:
        task = company.submit(person, cluster, GPU, devices, LONG_S)
        assert task is not None, company.refused
        return person, task

    lent = [hold(person, borrower, 2) for person in (*borrowers, *borrowers)]
    wait_for("idle devices lent", lambda: runs(*lent), 300)
    beyond_four = hold(borrowers[0], borrower, 1)  # one user holds four at most, whatever is idle
    small = hold(cy, owner, 2)
    wait_for("the owner has a half of its own", lambda: runs(small), 180)
    rest = hold(dan, owner, 2)
    wait_for("the owner has all of its own", lambda: runs(small, rest), 180)
    interrupted = [held for held in lent if not runs(held)]
    assert len(interrupted) == 2, "more was taken back than was lent"
    for person, task in (*interrupted, beyond_four):
        assert person.browser.task(task)["state"] == "queued", "what was interrupted does not queue again"
    # Nobody has anything of the owner's any more: who comes later waits for colleagues, however much these hold.
    late = hold(dan, owner, 2)
    time.sleep(20)  # for something that shall not happen
    assert runs(small, rest), "a colleague was interrupted"
    assert dan.browser.task(late[1])["state"] == "queued"
    assert set(watcher.interrupted.values()) == {"InCohortReclamation"}
    assert len(watcher.interrupted) == len(interrupted)
    for person, task in (late, small, rest):
        company.stop(person, task)
    wait_for("lent again", lambda: runs(*interrupted), 180)
    assert not watcher.beyond, watcher.beyond


@pytest.mark.timeout(900)
def test_who_was_first_is_first_in_and_what_does_not_fit_lets_others_pass(
    company: Company, staff: Callable[[int], list[Person]], watcher: Watcher
) -> None:
    first, second, *others = staff(5)
    cluster = company.make(Grant({GPU: 2}, {GPU: 2}))
    company.join(cluster, first, second, *others)
    company.settle()

    def ask(person: Person, devices: int, seconds: int) -> tuple[Person, str]:
        task = company.submit(person, cluster, GPU, devices, seconds)
        assert task is not None, company.refused
        time.sleep(1.5)  # Kueue goes by whole seconds
        return person, task

    holds = ask(first, 1, LONG_S)
    wait_for("one of two cards held", lambda: runs(holds), 180)
    large = ask(second, 2, LONG_S)
    order = [ask(person, 1, 3) for person in (*reversed(others), *others)]
    order.append(ask(second, 1, 3))
    ended = [person.browser.wait_state(task, ENDED, 240) for person, task in order]
    assert [each["state"] for each in ended] == ["finished"] * len(order), "what fits waits for what does not"
    begun = [each["started_at"] for each in ended]
    assert begun == sorted(begun), f"who came later was let in before: {begun}"
    assert second.browser.task(large[1])["state"] == "queued"
    company.stop(*holds)
    wait_for("the large one", lambda: runs(large), 180)
    assert not watcher.beyond, watcher.beyond
