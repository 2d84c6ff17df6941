"""People who ask for devices, and an administrator who changes what they are granted: by the platform's API alone."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.quota.pretended import GPU, NPU
from tests.quota.shares import Grant, Ledger
from tests.system.harness import Portal, wait_for
from tests.system.jobs import request
from tests.system.people import Browser, User

TYPES = {GPU: "nvidia_gpu_amd64", NPU: "huawei_npu_amd64"}
ENDED = {"finished", "failed", "killed", "error"}


@dataclass
class Person:
    """A user, signed in."""

    user: User
    identifier: str
    browser: Browser
    tasks: dict[str, str] = field(default_factory=dict)  # with the virtual cluster of each

    @property
    def name(self) -> str:
        """As the queues have it."""
        return self.user.name


class Company:
    """Virtual clusters, their members, and what was granted when."""

    def __init__(self, portal: Portal, ledger: Ledger) -> None:
        self.portal, self.ledger = portal, ledger
        self.clusters: dict[str, str] = {}  # ids by names
        self.members: dict[str, set[str]] = {}
        self.refused: Counter[str] = Counter()
        for each in self._all():
            self.ledger.note(each["name"], granted(each), 0)

    def _all(self) -> list[dict[str, Any]]:
        answer = self.portal.client.get("/virtual-clusters", params={"limit": 200})
        assert answer.is_success, answer.text
        items: list[dict[str, Any]] = answer.json()["items"]
        return items

    def person(self, user: User) -> Person:
        """Sign a user in."""
        found = self.portal.client.get("/users", params={"words": user.name}).json()["items"]
        (identifier,) = [str(each["id"]) for each in found if each["name"] == user.name]
        return Person(user, identifier, Browser(user, user.browser()))

    def make(self, grant: Grant) -> str:
        """A virtual cluster."""
        name = f"quota-{secrets.token_hex(3)}"
        self.ledger.note(name, grant, time.time())
        answer = self.portal.client.post("/virtual-clusters", json={"name": name, **_terms(grant)})
        assert answer.status_code == 201, answer.text
        self.clusters[name], self.members[name] = answer.json()["id"], set()
        return name

    def edit(self, cluster: str, grant: Grant) -> bool:
        """Grant that from now on; False where that is refused, as tasks are in it."""
        self.ledger.note(cluster, grant, time.time())
        answer = self.portal.client.patch(self._path(cluster), json=_terms(grant))
        if answer.is_success:
            return True
        self.ledger.take_back(cluster)
        assert answer.json()["code"] == "virtual_cluster_in_use", answer.text
        self.refused["virtual_cluster_in_use"] += 1
        return False

    def join(self, cluster: str, *people: Person) -> None:
        """They are members from now on."""
        ids = [person.identifier for person in people]
        answer = self.portal.client.post(f"{self._path(cluster)}/members", json={"users": ids})
        assert answer.is_success, answer.text
        self.members[cluster] |= {person.name for person in people}

    def leave(self, cluster: str, person: Person) -> None:
        """One is no member any more, and their tasks there are stopped."""
        body = {"users": [person.identifier], "stop_tasks": True}
        answer = self.portal.client.post(f"{self._path(cluster)}/members/remove", json=body)
        assert answer.is_success, answer.text
        self.members[cluster] -= {person.name}

    def settle(self) -> None:
        """Until all are in the engine as they are wanted."""
        wait_for("virtual clusters ready", lambda: all(self.standing(name) == "ready" for name in self.clusters), 120)

    def standing(self, cluster: str) -> str:
        """How far the engine is; `gone` once it has nothing of it."""
        answer = self.portal.client.get(self._path(cluster))
        return "gone" if answer.status_code == 404 else str(answer.json()["standing"])

    def submit(self, person: Person, cluster: str, resource: str, devices: int, seconds: int) -> str | None:
        """A task that runs for so long; None where it is refused, which is counted by its code."""
        body = request(
            person.browser,
            f"quota_{seconds}",
            f"code/{seconds}.py",
            virtual_cluster=cluster,
            device_type=TYPES[resource],
            devices=devices,
        )
        answer = person.browser.client.post("/trainings", json=body)
        if answer.status_code == 201:
            identifier = str(answer.json()["id"])
            person.tasks[identifier] = cluster
            return identifier
        assert answer.status_code in (422, 429), f"{answer.status_code} {answer.text}"
        errors = answer.json()["errors"]
        self.refused[str(errors[0]["code"] if errors else answer.json()["code"])] += 1
        return None

    def stop(self, person: Person, task: str) -> None:
        """Ask for the end of it; that it has ended already is no mistake."""
        answer = person.browser.client.post(f"/tasks/{task}/stop")
        assert answer.status_code in (200, 202, 409), answer.text

    def end(self, people: list[Person]) -> None:
        """Stop all that goes on, and take the virtual clusters away."""
        for person in people:
            for task in person.tasks:
                if person.browser.task(task)["state"] not in ENDED:
                    self.stop(person, task)
        wait_for("all tasks ended", lambda: not self.going_on(people), 300, every_s=2)
        for name in self.clusters:
            answer = self.portal.client.delete(self._path(name))
            assert answer.status_code in (202, 404), answer.text
        wait_for("virtual clusters gone", lambda: {self.standing(each) for each in self.clusters} <= {"gone"}, 300)

    def going_on(self, people: list[Person]) -> int:
        """How many tasks of theirs have not ended."""
        return sum(state not in ENDED for person in people for state in self.states(person).values())

    def states(self, person: Person) -> Mapping[str, str]:
        """Of their tasks, by id."""
        found: dict[str, str] = {}
        page: dict[str, Any] = {"limit": 200}
        while True:
            answer = person.browser.client.get("/tasks", params=page)
            assert answer.is_success, answer.text
            found |= {each["id"]: each["state"] for each in answer.json()["items"] if each["id"] in person.tasks}
            if (following := answer.json()["next_cursor"]) is None:
                return found
            page["cursor"] = following

    def _path(self, cluster: str) -> str:
        return f"/virtual-clusters/{self.clusters[cluster]}"


def granted(told: Mapping[str, Any]) -> Grant:
    """What a virtual cluster of the API grants."""
    resources = {device: resource for resource, device in TYPES.items()}
    devices = {resources[each["type"]]: each["total"] for each in told["devices"] if each["type"] in resources}
    most = {resources[name]: count for name, count in told["max_devices_per_user"].items() if name in resources}
    return Grant(devices, most, told["borrows"])


def _terms(grant: Grant) -> dict[str, Any]:
    return {
        "devices": {TYPES[name]: count for name, count in grant.devices.items()},
        "max_devices_per_user": {TYPES[name]: count for name, count in grant.most_per_user.items()},
        "borrows": grant.borrows,
    }


def grown(grant: Grant, resource: str, more: int) -> Grant:
    """The same with so many more of a resource (fewer, where it is negative), for one user, too."""
    devices = {**grant.devices, resource: max(0, grant.devices.get(resource, 0) + more)}
    most = {**grant.most_per_user, resource: max(0, grant.most_per_user.get(resource, 0) + more)}
    return replace(grant, devices=devices, most_per_user={name: min(most[name], devices[name]) for name in most})
