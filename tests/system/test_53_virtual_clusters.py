"""Virtual clusters on the installed cluster: made, shared, given more while tasks run, left, deleted, by real Kueue."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from installer.cluster import DEVICE_TYPES
from tests.system.harness import Atoll, Portal, postgresql, wait_for
from tests.system.jobs import request
from tests.system.people import Browser, User, people
from tests.system.shares import OF_THE_CLUSTER, TYPE, Share

NPU = "huawei_npu_amd64"
HOLD = "import time\nprint('RUNS', flush=True)\ntime.sleep(900)\n"


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


def set_back(atoll: Atoll, task: str, hours: int) -> None:
    """As if the task had begun so many hours earlier than it says, and had been waited for until now."""
    earlier = f"started_at = started_at - interval '{hours} hours', due_at = now()"
    query = f"UPDATE tasks SET {earlier} WHERE id = '{task}' RETURNING id"  # noqa: S608 - an id that the API gave
    assert postgresql(atoll, query, "atoll") == task


def detected(portal: Portal) -> dict[str, dict[str, Any]]:
    answer = portal.client.get("/device-capacity")
    assert answer.is_success, answer.text
    return {each["type"]: each for each in answer.json()}


@pytest.mark.feature(63, on="simulated")
def test_what_is_detected_to_be_granted_is_what_kubernetes_may_allocate(atoll: Atoll, portal: Portal) -> None:
    """Of each machine, whatever cluster.yaml says; a machine that takes no tasks counts as not there until it does."""
    there: Counter[str] = Counter()
    of_worker1: Counter[str] = Counter()
    for node in atoll.kubectl("get", "nodes", "-o", "json").json["items"]:
        for device in DEVICE_TYPES.values():
            if node["metadata"]["labels"]["kubernetes.io/arch"] == device.arch:
                count = int(node["status"]["allocatable"].get(device.resource, 0))
                there[device.name] += count
                of_worker1[device.name] += count * (node["metadata"]["name"] == "worker1")
    assert there[TYPE] == of_worker1[TYPE] > 0
    assert there[NPU] > of_worker1[NPU] == 0
    told = detected(portal)
    assert {name: each["total"] for name, each in told.items() if each["total"]} == {**+there}
    assert {each["away"] for each in told.values()} == {0}
    assert {name: each["free"] for name, each in told.items()} == {
        name: max(0, each["total"] - each["given"]) for name, each in told.items()
    }
    share = Share(atoll, portal)
    granted = detected(portal)
    assert {name: each["given"] - told[name]["given"] for name, each in granted.items() if each["total"]} == {
        **dict.fromkeys(+there, 0),
        TYPE: 2,
    }
    assert granted[TYPE]["overcommitted"] == (granted[TYPE]["given"] > there[TYPE])
    atoll.kubectl("cordon", "worker1")
    try:
        wait_for("its devices are away", lambda: detected(portal)[TYPE]["away"] == there[TYPE], 60)
        now = detected(portal)
        assert (now[TYPE]["total"], now[TYPE]["free"], now[TYPE]["overcommitted"]) == (there[TYPE], 0, True)
        assert now[NPU]["away"] == 0
    finally:
        atoll.kubectl("uncordon", "worker1")
    wait_for("they are back", lambda: detected(portal)[TYPE]["away"] == 0, 60)
    share.delete()


@pytest.mark.feature(65, 66, "69a", "69b", on="simulated")
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

        set_back(atoll, second, hours=2)  # more than the hour that was allowed when it began, less than the three now
        time.sleep(5)
        assert states(hers, second) == ["running"]
        set_back(atoll, second, hours=1)
        ended = hers.wait_state(second, {"killed"}, 120)
        assert (ended["reason"]["code"], ended["reason"]["params"]) == ("time_limit_reached", {"hours": 3})
        free = atoll.kubectl("get", "pods", "-n", f"vc-{share.name}", "-o", "name").out.split()
        assert free == [], "it is called ended, and holds its devices"
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


@pytest.mark.feature(61, "74a", "74b", on="simulated")
def test_each_group_of_devices_is_used_and_limited_for_itself(
    atoll: Atoll, portal: Portal, two: tuple[User, User]
) -> None:
    of_gpus = Share(atoll, portal, max_devices_per_user={TYPE: 1})
    of_npus = Share(atoll, portal, devices={NPU: 1}, max_devices_per_user={NPU: 1})
    ada, bob = two
    of_gpus.members(ada)
    of_npus.members(bob)
    wait_for("the queues of both", lambda: of_gpus.of_member(ada) and of_npus.of_member(bob), 60)
    with closing(ada.browser()) as of_ada, closing(bob.browser()) as of_bob:
        hers, his = Browser(ada, of_ada), Browser(bob, of_bob)
        here: dict[str, Any] = {"virtual_cluster": of_gpus.name, "devices": 1}
        there: dict[str, Any] = {"virtual_cluster": of_npus.name, "devices": 1}
        # Neither has the devices of the other's group, nor is one of them let into it.
        for whom, client, where, kind, code in (
            (hers, of_ada, here, NPU, "device_type_not_in_virtual_cluster"),
            (his, of_bob, there, TYPE, "device_type_not_in_virtual_cluster"),
            (hers, of_ada, there, NPU, "not_a_member"),
        ):
            refused = client.post("/trainings", json=request(whom, "x", "x/main.py", device_type=kind, **where))
            assert [each["code"] for each in refused.json()["errors"]] == [code], refused.text
        gpu = hers.run(atoll, "gpu", HOLD, device_type=TYPE, **here)
        npu = his.run(atoll, "npu", HOLD, device_type=NPU, **there)
        hers.wait_state(gpu, {"running"}, 180)
        his.wait_state(npu, {"running"}, 180)
        more = hers.run(atoll, "more", HOLD, device_type=TYPE, **here)
        waits_for_devices(hers, more)  # though there is one that is idle: one user may hold no more
        # What one user may hold is set for one group, and holds from then on.
        assert of_gpus.edit(max_devices_per_user={TYPE: 2}).is_success
        hers.wait_state(more, {"scheduling", "running"}, 120)
        # So is how long: the task of the other group goes on.
        assert of_gpus.edit(max_hours=2).is_success
        for task in (gpu, npu):
            set_back(atoll, task, hours=3)
        ended = hers.wait_state(gpu, {"killed"}, 120)
        assert ended["reason"]["params"] == {"hours": 2}
        assert his.wait_state(npu, {"killed"}, 120)["reason"]["params"] == {"hours": 1}
        of_ada.post(f"/tasks/{more}/stop")
        hers.wait_state(more, {"killed"}, 120)
    of_gpus.delete()
    of_npus.delete()


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
        waits_for_devices(hers, waits)  # though there is one that is idle: one user may hold no more
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
