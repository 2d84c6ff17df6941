"""Virtual clusters over HTTP, with `jobs` and the local engine behind: made, used, extended, deleted."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from atoll.database.connection import connect, sessions
from atoll.database.notifications import DUE, notify
from atoll.tasks.models import TaskRow
from sqlalchemy import update

from tests.unit.platform.conftest import Client, RunningPlatform, eventually, training
from tests.unit.platform.rows import GPU

WAITS = "import time; print('begun', flush=True); time.sleep(600)"


async def made(admin: Client, name: str = "lab", **more: Any) -> dict[str, Any]:
    answer = await admin.post("/virtual-clusters", {"name": name, "devices": {GPU: 2}, **more})
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"/api/v1/virtual-clusters/{answer.json()['id']}"
    assert answer.headers["ETag"] == f'"{answer.json()["version"]}"'
    found: dict[str, Any] = answer.json()
    return found


async def stands(admin: Client, cluster: dict[str, Any]) -> str:
    answer = await admin.get(f"/virtual-clusters/{cluster['id']}")
    return str(answer.json()["standing"]) if answer.is_success else "gone"


async def becomes(admin: Client, cluster: dict[str, Any], standing: str) -> None:
    async def look() -> bool:
        return await stands(admin, cluster) == standing

    await eventually(look)


async def test_a_virtual_cluster_is_made_used_given_more_and_deleted(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    cluster = await made(admin, max_hours=1)
    ada = await platform.user(admin, "ada", member=False)
    stranger = await platform.user(admin, "stranger")
    program("ada", WAITS)
    refused = await ada.post("/trainings", training(virtual_cluster="lab"))
    assert refused.json()["errors"][0]["code"] == "not_a_member", "who is no member puts tasks there"
    joined = await admin.post(f"/virtual-clusters/{cluster['id']}/members", {"users": [await id_of(admin, "ada")]})
    assert joined.status_code == 200, joined.text
    task = (await ada.post("/trainings", training(virtual_cluster="lab", devices=2))).json()
    await ada.until(task["id"], "running")
    assert await stands(admin, cluster) == "ready"

    path = f"/virtual-clusters/{cluster['id']}"
    absent = await stranger.get(f"/virtual-clusters/{'0' * len(cluster['id'])}")
    foreign = await stranger.get(path)
    assert (foreign.status_code, absent.status_code) == (404, 404)
    assert foreign.json()["title"] == absent.json()["title"]
    hers = await ada.get(path)
    assert (hers.json()["name"], hers.json()["member"], hers.json()["running_tasks"]) == ("lab", True, 1)

    less = await admin.http.patch(path, json={"devices": {GPU: 1}})
    assert (less.status_code, less.json()["code"], less.json()["params"]["tasks"]) == (409, "virtual_cluster_in_use", 1)
    more = await admin.http.patch(path, json={"devices": {GPU: 3}, "max_devices_per_user": {GPU: 3}})
    assert (more.status_code, more.json()["devices"][0]["total"]) == (200, 3), more.text
    second = (await ada.post("/trainings", training(virtual_cluster="lab", devices=1))).json()
    await ada.until(second["id"], "running")
    still = await admin.delete(path)
    assert (still.status_code, still.json()["params"]["tasks"]) == (409, 2)

    for each in (task, second):
        await ada.post(f"/tasks/{each['id']}/stop")
        await ada.until(each["id"], "killed")
    gone = await admin.delete(path, headers={"If-Match": more.headers["ETag"]})
    assert (gone.status_code, gone.json()["standing"]) == (202, "deleting"), gone.text
    assert (await ada.get(path)).status_code == 404, "its members still see it"
    await becomes(admin, cluster, "gone")
    assert (await ada.task(task["id"]))["virtual_cluster"]["name"] == "lab", "tasks of before lose where they ran"
    again = await made(admin)
    assert again["id"] != cluster["id"]
    await becomes(admin, again, "ready")


async def id_of(admin: Client, name: str) -> str:
    found = (await admin.get("/users", params={"words": name})).json()["items"]
    return str(next(each["id"] for each in found if each["name"] == name))


async def test_a_task_that_runs_has_the_hours_that_its_virtual_cluster_is_given_meanwhile(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    program("admin", WAITS)
    cluster = (await admin.get("/virtual-clusters")).json()["items"][0]
    path = f"/virtual-clusters/{cluster['id']}"
    assert (await admin.post(f"{path}/extend", {"hours": 1})).json()["code"] == "nothing_to_extend"
    assert (await admin.http.patch(path, json={"max_hours": 1})).status_code == 200
    await becomes(admin, cluster, "ready")
    task = (await admin.post("/trainings", training(devices=1))).json()
    await admin.until(task["id"], "running")
    extended = await admin.post(f"{path}/extend", {"hours": 1})
    assert (extended.status_code, extended.json()["max_hours"]) == (200, 2), extended.text
    database = connect(platform.configuration, pool_size=1)

    async def has_run_for(hours: float) -> None:
        async with sessions(database)() as session, session.begin():
            before = TaskRow.state_since - timedelta(hours=hours)
            await session.execute(update(TaskRow).values(started_at=before, due_at=TaskRow.state_since))
            await notify(session, DUE, "tasks")

    await has_run_for(1.5)
    await asyncio.sleep(1)
    assert (await admin.task(task["id"]))["wanted"] == "run", "it is ended after the hours of before"
    await has_run_for(2.5)
    ended = await admin.until(task["id"], "killed")
    await database.dispose()
    assert (ended["reason"]["code"], ended["reason"]["params"]) == ("time_limit_reached", {"hours": 2})


async def test_who_takes_a_share_from_others_while_it_is_edited_waits_for_the_edit(
    platform: RunningPlatform, program: Any
) -> None:
    """A submission and a deletion at once: either the task is there and keeps it, or there is nothing to submit to."""
    admin = await platform.admin()
    program("admin", "")
    for _ in range(6):
        cluster = await made(admin)
        await admin.post(f"/virtual-clusters/{cluster['id']}/members", {"users": [await id_of(admin, "admin")]})
        task, gone = await asyncio.gather(
            admin.post("/trainings", training(virtual_cluster="lab")),
            admin.delete(f"/virtual-clusters/{cluster['id']}"),
        )
        assert (task.status_code, gone.status_code) in ((201, 409), (422, 202)), f"{task.text}\n{gone.text}"
        if task.status_code == 201:
            await admin.until(task.json()["id"], "finished")
            await admin.delete(f"/virtual-clusters/{cluster['id']}")
        await becomes(admin, cluster, "gone")


async def test_who_leaves_a_group_loses_what_it_may_and_what_waits_there_and_keeps_what_runs(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    cluster = await made(admin, devices={GPU: 1})
    ada = await platform.user(admin, "ada", member=False)
    program("ada", WAITS)
    group = (await admin.post("/groups", {"name": "vision", "description": "d", "roles": ["user"]})).json()["id"]
    path = f"/virtual-clusters/{cluster['id']}"
    assert (await admin.post(f"{path}/members", {"groups": [group]})).json()["groups"] == 1
    assert (await admin.get(f"/groups/{group}")).json()["virtual_clusters"] == [{"id": cluster["id"], "name": "lab"}]
    identifier = await id_of(admin, "ada")
    assert (await admin.post(f"/groups/{group}/users", {"users": [identifier]})).is_success
    assert [each["name"] for each in (await ada.get("/session")).json()["virtual_clusters"]] == ["lab"]

    runs = (await ada.post("/trainings", training(virtual_cluster="lab", devices=1))).json()["id"]
    await ada.until(runs, "running")
    waits = (await ada.post("/trainings", training(virtual_cluster="lab", devices=1))).json()["id"]
    await ada.once(waits, lambda task: task["reason"]["code"] == "devices_in_use")
    assert (await admin.delete(f"/groups/{group}/users/{identifier}")).status_code == 204

    ended = await ada.until(waits, "killed")
    assert (ended["reason"]["code"], ended["reason"]["params"]) == ("no_longer_member", {"virtual_cluster": "lab"})
    assert (await ada.task(runs))["wanted"] == "run", "what ran is ended by a change of members"
    refused = await ada.post("/trainings", training(virtual_cluster="lab"))
    assert refused.json()["errors"][0]["code"] == "not_a_member", "who left still puts tasks there"
    assert (await ada.get(path)).status_code == 404
    assert (await ada.get("/session")).json()["virtual_clusters"] == []
    assert (await admin.delete(path)).json()["params"]["tasks"] == 1, "what still runs there is not counted"
    await ada.post(f"/tasks/{runs}/stop")
    await ada.until(runs, "killed")
    assert (await admin.delete(path)).status_code == 202


async def test_what_there_is_to_be_granted_is_told_to_administrators(platform: RunningPlatform) -> None:
    admin = await platform.admin()

    async def seen() -> dict[str, Any] | None:
        told = {each["type"]: each for each in (await admin.get("/device-capacity")).json()}
        return told[GPU] if told[GPU]["total"] else None

    before = await eventually(seen)
    assert (before["total"], before["away"], before["given"], before["free"]) == (4, 0, 4, 0)
    cluster = await made(admin)
    assert cluster["overcommitted"] == [GPU]
    after = await seen()
    assert after is not None
    assert (after["given"], after["free"], after["overcommitted"]) == (6, 0, True)
