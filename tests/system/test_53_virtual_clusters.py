"""Virtual clusters on the installed cluster: made, shared, given more while tasks run, left, deleted, by real Kueue."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from tests.system.harness import Atoll, Portal, wait_for
from tests.system.jobs import request
from tests.system.people import Browser, User, people

TYPE = "nvidia_gpu_amd64"
HOLD = "import time\nprint('RUNS', flush=True)\ntime.sleep(900)\n"
OF_THE_CLUSTER = "namespaces,persistentvolumes,clusterqueues,cohorts"


class Share:
    """A virtual cluster as its administrator has it."""

    def __init__(self, atoll: Atoll, portal: Portal, **more: Any) -> None:
        self.atoll, self.portal = atoll, portal
        self.name = f"share-{secrets.token_hex(3)}"
        self.made = self.make(**more)

    def make(self, **more: Any) -> dict[str, Any]:
        body = {"name": self.name, "devices": {TYPE: 2}, "max_devices_per_user": {TYPE: 2}, "max_hours": 1, **more}
        answer = self.portal.client.post("/virtual-clusters", json=body)
        assert answer.status_code == 201, answer.text
        self.made = answer.json()
        wait_for(f"{self.name} ready", lambda: self.standing() == "ready", 60)
        return self.made

    @property
    def path(self) -> str:
        return f"/virtual-clusters/{self.made['id']}"

    def standing(self) -> str:
        answer = self.portal.client.get(self.path)
        return "gone" if answer.status_code == 404 else str(answer.json()["standing"])

    def edit(self, **changes: Any) -> Any:
        return self.portal.client.patch(self.path, json=changes)

    def members(self, *users: User, **more: Any) -> Any:
        ids = [self.id_of(user) for user in users]
        where = f"{self.path}/members/remove" if "stop_tasks" in more else f"{self.path}/members"
        return self.portal.client.post(where, json={"users": ids, **more})

    def id_of(self, user: User) -> str:
        found = self.portal.client.get("/users", params={"words": user.name}).json()["items"]
        return str(next(each["id"] for each in found if each["name"] == user.name))

    def left(self) -> list[str]:
        """What there is of it in Kubernetes beyond its namespace, which takes its content with it."""
        mine = f"vc-{self.name}"
        names = [
            line.rpartition("/")[2] for line in self.atoll.kubectl("get", OF_THE_CLUSTER, "-o", "name").out.split()
        ]
        return [name for name in names if name == mine or name.startswith((f"{mine}--", f"{mine}-"))]

    def of_member(self, user: User) -> list[str]:
        kinds, namespace = "localqueues,configmaps", f"vc-{self.name}"
        inside = self.atoll.kubectl("get", kinds, "-n", namespace, "-o", "name").out.split()
        names = [line.rpartition("/")[2] for line in inside]
        return [name for name in (*names, *self.left()) if name in (user.name, f"user-{user.name}")
                or name == f"{namespace}--{user.name}"]  # fmt: skip

    def delete(self, timeout_s: float = 120) -> None:
        answer = self.portal.client.delete(self.path)
        assert answer.status_code == 202, answer.text
        wait_for(f"{self.name} gone", lambda: self.standing() == "gone", timeout_s)


@pytest.fixture
def two(atoll: Atoll, portal: Portal) -> Iterator[tuple[User, User]]:
    with people(atoll, portal) as make:
        yield make("ada"), make("bob")


def others(atoll: Atoll, share: Share) -> set[str]:
    """All that is not of that virtual cluster."""
    names = atoll.kubectl("get", OF_THE_CLUSTER, "-o", "name").out.split()
    return {name for name in names if f"vc-{share.name}" not in name}


def states(browser: Browser, *tasks: str) -> list[str]:
    return [browser.task(task)["state"] for task in tasks]


def waits_for_devices(browser: Browser, task: str) -> None:
    """The task waits, since others of its virtual cluster hold the devices."""
    wait_for("devices in use", lambda: browser.task(task)["reason"]["code"] == "devices_in_use", 60)
    assert states(browser, task) == ["queued"]


@pytest.mark.feature("69a", "69b", on="simulated")
def test_members_share_what_there_is_wait_for_the_rest_and_have_more_as_soon_as_it_is_granted(
    atoll: Atoll, portal: Portal, two: tuple[User, User]
) -> None:
    share = Share(atoll, portal)
    before = others(atoll, share)
    ada, bob = two
    assert share.members(ada, bob).json()["users"] == 2
    wait_for("the queues of both", lambda: share.of_member(ada) and share.of_member(bob), 60)
    with closing(ada.browser()) as of_ada, closing(bob.browser()) as of_bob:
        hers, his = Browser(ada, of_ada), Browser(bob, of_bob)
        one = {"virtual_cluster": share.name, "device_type": TYPE}
        # One member has all that there is, so the other waits, although most devices of the node are idle.
        first = hers.run(atoll, "first", HOLD, **one, devices=2)
        hers.wait_state(first, {"running"}, 180)
        of_his = his.run(atoll, "his", HOLD, **one, devices=1)
        waits_for_devices(his, of_his)
        of_ada.post(f"/tasks/{first}/stop")
        hers.wait_state(first, {"killed"}, 120)
        his.wait_state(of_his, {"running"}, 120)
        second = hers.run(atoll, "second", HOLD, **one, devices=2)
        waits_for_devices(hers, second)

        less = share.edit(devices={TYPE: 1})
        assert (less.status_code, less.json()["code"], less.json()["params"]["tasks"]) == (
            409,
            "virtual_cluster_in_use",
            2,
        )
        assert share.edit(devices={TYPE: 3}).is_success
        # Its share lets it in; a node of the lab has processors for one task at a time.
        hers.wait_state(second, {"scheduling", "running"}, 120)
        longer = portal.client.post(f"{share.path}/extend", json={"hours": 2})
        assert (longer.status_code, longer.json()["max_hours"]) == (200, 3), longer.text
        assert states(his, of_his) == ["running"], "more for one disturbs another"

        asked = share.members(bob, stop_tasks=False)
        assert (asked.status_code, asked.json()["params"]["tasks"]) == (409, 1), asked.text
        assert share.members(bob, stop_tasks=True).json()["stopped_tasks"] == 1
        his.wait_state(of_his, {"killed"}, 120)
        wait_for("nothing left of who left", lambda: not share.of_member(bob), 120)
        refused = of_bob.post("/trainings", json=request(his, "again", "his/main.py", virtual_cluster=share.name))
        assert refused.json()["errors"][0]["code"] == "not_a_member", refused.text
        assert share.of_member(ada), "who stayed has lost something"
        hers.wait_state(second, {"running"}, 120)

        of_ada.post(f"/tasks/{second}/stop")
        hers.wait_state(second, {"killed"}, 120)
    share.delete()
    assert share.left() == [], "it is called gone, and something of it is there"
    assert before - others(atoll, share) == set(), "something of another went with it"


def test_a_deletion_is_gone_on_with_by_the_next_jobs_and_its_name_is_free_then(
    atoll: Atoll, portal: Portal, two: tuple[User, User]
) -> None:
    share = Share(atoll, portal)
    ada, _ = two
    share.members(ada)
    wait_for("her queue", lambda: share.of_member(ada), 60)
    gone = portal.client.delete(share.path)
    assert gone.status_code == 202, gone.text
    of_jobs = ("-n", "atoll-system", "-l", "app.kubernetes.io/name=jobs")
    atoll.kubectl("delete", "pod", *of_jobs, "--force", "--grace-period=0", "--wait=false")
    wait_for(f"{share.name} gone", lambda: share.standing() == "gone", 240)
    assert share.left() == []
    share.make(max_devices_per_user={TYPE: 2})
    share.members(ada)
    with closing(ada.browser()) as client:
        hers = Browser(ada, client)
        task = hers.run(atoll, "again", "print('again')", virtual_cluster=share.name, device_type=TYPE, devices=2)
        assert hers.wait_state(task, {"finished", "failed", "error"}, 240)["state"] == "finished"
        listed = client.get("/home/files", params={"path": "again"})
        assert listed.is_success, "the files of its members went with the one before"
    share.delete()
    assert share.left() == []


def test_who_leaves_a_group_keeps_what_runs_and_its_queue_until_that_has_ended(
    atoll: Atoll, portal: Portal, two: tuple[User, User]
) -> None:
    share = Share(atoll, portal, max_devices_per_user={TYPE: 1})
    ada, _ = two
    body = {"name": f"group {share.name}", "description": "of a test", "roles": ["user"], "users": [share.id_of(ada)]}
    group = portal.client.post("/groups", json=body)
    assert group.status_code == 201, group.text
    identifier = group.json()["id"]
    assert portal.client.post(f"{share.path}/members", json={"groups": [identifier]}).json()["groups"] == 1
    wait_for("her queue", lambda: share.of_member(ada), 60)
    with closing(ada.browser()) as client:
        hers = Browser(ada, client)
        one = {"virtual_cluster": share.name, "device_type": TYPE, "devices": 1}
        runs = hers.run(atoll, "runs", HOLD, **one)
        hers.wait_state(runs, {"running"}, 180)
        waits = hers.run(atoll, "waits", HOLD, **one)
        hers.wait_state(waits, {"queued"}, 60)
        assert portal.client.delete(f"/groups/{identifier}/users/{share.id_of(ada)}").status_code == 204
        ended = hers.wait_state(waits, {"killed"}, 60)
        assert ended["reason"]["code"] == "no_longer_member"
        assert states(hers, runs) == ["running"]
        assert share.of_member(ada), "what runs has lost its queue"
        client.post(f"/tasks/{runs}/stop")
        hers.wait_state(runs, {"killed"}, 120)
        wait_for("nothing left of who left", lambda: not share.of_member(ada), 120)
    portal.client.delete(f"/groups/{identifier}")
    share.delete()


def test_jobs_removes_nothing_that_is_not_of_a_virtual_cluster(atoll: Atoll) -> None:
    as_jobs = ("--as=system:serviceaccount:atoll-system:jobs", "--dry-run=server")
    for what in (("namespace", "atoll-system"), ("cohort", "cluster")):
        ran = atoll.kubectl("delete", *what, *as_jobs, ok=(0, 1))
        assert ran.code == 1, f"jobs may remove {' '.join(what)}"
        assert "atoll-jobs-stay-in-virtual-clusters" in ran.err, ran.err
