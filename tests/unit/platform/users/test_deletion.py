"""Accounts that are deleted: what goes, what stays, and what nobody gets again. All of it is real."""

import asyncio
import time
from typing import Any

import pytest
from atoll.database.connection import connect
from sqlalchemy import text

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform, eventually, training
from tests.unit.platform.people import a_group, account, audited, id_of, told
from tests.unit.platform.programs import EVERYTHING, program_of

SECONDS = 5
ENDLESS = "import time\ntime.sleep(120)\n"
LEFT = """
SELECT (SELECT count(*) FROM user_roles WHERE user_id = :id), (SELECT count(*) FROM group_members WHERE user_id = :id),
(SELECT count(*) FROM virtual_cluster_members WHERE user_id = :id), (SELECT count(*) FROM sessions WHERE user_id = :id),
(SELECT count(*) FROM known_devices WHERE user_id = :id)
"""
KEPT = "SELECT name, uid, active, password_hash, phone, email, deleted_at IS NOT NULL FROM users WHERE id = :id"


async def looked_up(platform: RunningPlatform, query: str, user: str) -> Any:
    database = connect(platform.configuration, pool_size=1)
    async with database.connect() as connection:
        found = tuple((await connection.execute(text(query), {"id": user})).one())
    await database.dispose()
    return found


async def test_a_deleted_account_is_gone_and_nobody_gets_its_name_or_uid(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    user = await id_of(ada)
    group = await a_group(admin, "Ops", ["user"], [user])
    assert (await admin.http.patch(f"/users/{user}", json={"phone": "1", "email": "a@b.example"})).is_success
    assert min(await looked_up(portal, LEFT, user)) > 0, "nothing is there to go"
    uid = (await admin.get(f"/users/{user}")).json()["uid"]
    deleted = await admin.post(f"/users/{user}/delete", {"stop_tasks": False})
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert (await ada.get("/session")).status_code == 401
    wrong = await portal.anonymous().post("/session", json={"name": "ada", "password": PASSWORD})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_credentials")
    assert await looked_up(portal, LEFT, user) == (0, 0, 0, 0, 0), "what the account had is there"
    assert await looked_up(portal, KEPT, user) == ("ada", uid, False, "", "", "", True)
    # It is in no list, and there is nothing that could be done with it.
    for query in ({}, {"words": "ada"}, {"active": False}, {"waiting": True}, {"group": group}, {"role": "user"}):
        items = (await admin.get("/users", params=query)).json()["items"]
        assert "ada" not in [item["name"] for item in items], f"who was deleted is listed: {query}"
    assert (await admin.get("/user-management")).json()["users"] == 1
    assert (await admin.get("/user-management")).json()["waiting"] == 0
    assert (await admin.get(f"/groups/{group}")).json()["user_count"] == 0
    for answer in (
        await admin.get(f"/users/{user}"),
        await admin.post(f"/users/{user}/delete", {}),
        await admin.post(f"/users/{user}/enable"),
        await admin.post(f"/users/{user}/reset-password"),
        await admin.http.put(f"/users/{user}/roles", json={"roles": ["user"]}),
    ):
        assert told(answer)[:2] == (404, "no_such_user"), answer.request.url
    bob = (await admin.post("/users", account("bob"))).json()
    assert bob["uid"] > uid
    home = str(portal.configuration.storage.root / "home/ada")
    lost = {"roles": ["User"], "groups": ["Ops"], "virtual_clusters": ["default"]}
    details = {**lost, "sessions": 1, "access_tokens": 0, "stopped_tasks": 0, "home": home}
    assert ("user.delete", "ada", details) in await audited(admin, "user")


async def test_nobody_deletes_their_own_account(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    second = await portal.user(admin, "second", roles=["admin"])
    assert told(await second.post(f"/users/{await id_of(second)}/delete", {}))[:2] == (409, "own_account")
    assert (await second.get("/users")).is_success
    assert (await admin.post(f"/users/{await id_of(second)}/delete", {})).status_code == 204


async def test_nobody_disables_their_own_account_whatever_version_of_it_they_have_read(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    second = await portal.user(admin, "second", roles=["admin"])
    path = f"/users/{await id_of(second)}/disable"
    program = await program_of(portal, second, *EVERYTHING)
    for by in (second, program):
        for headers in ({}, {"If-Match": '"999"'}):
            refused = await by.post(path, {}, headers=headers)
            assert told(refused)[:2] == (409, "own_account"), "who disables themselves cannot come back"
    assert (await second.get("/users")).is_success
    assert (await admin.post(path, {})).is_success


async def test_what_flows_for_who_is_deleted_ends_within_seconds(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    user = await id_of(ada)
    async with asyncio.timeout(30), ada.http.stream("GET", "/tasks/stream") as cut:
        lines = cut.aiter_lines()
        await anext(lines)
        began = time.monotonic()
        assert (await admin.post(f"/users/{user}/delete", {})).is_success
        try:
            async with asyncio.timeout(2 * SECONDS):
                async for _ in lines:
                    pass
        except TimeoutError:
            pytest.fail("the stream of who is deleted goes on")
        assert time.monotonic() - began < SECONDS


async def test_tasks_keep_an_account_until_they_are_stopped_and_the_old_ones_keep_its_name(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    user = await id_of(ada)
    program("ada", ENDLESS)
    task_id = (await ada.post("/trainings", training(devices=1))).json()["id"]
    await ada.until(task_id, "running")
    refused = await admin.post(f"/users/{user}/delete", {})
    assert told(refused)[:2] == (409, "unfinished_tasks"), "tasks are left without a user"
    assert refused.json()["params"] == {"name": "ada", "count": 1}
    assert (await ada.get("/session")).is_success, "it was half deleted"
    assert (await admin.get(f"/users/{user}")).json()["active"] is True
    assert (await admin.post(f"/users/{user}/delete", {"stop_tasks": True})).status_code == 204
    task = await admin.until(task_id, "killed")
    assert task["reason"]["params"] == {"user": "admin"}
    assert (task["owner"]["name"], task["owner"]["id"]) == ("ada", user)
    listed = (await admin.get("/tasks", params={"owner": "all"})).json()["items"]
    assert [item["owner"]["name"] for item in listed] == ["ada"]
    assert platform.home("ada").is_dir(), "the files stay"


async def test_of_a_deletion_and_a_submission_at_once_no_task_is_left_over(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    user = await id_of(ada)
    program("ada", ENDLESS)
    database = connect(platform.configuration, pool_size=1)
    async with database.connect() as connection:
        # Both wait for this one: the deletion first, the submission behind it.
        await connection.execute(text("SELECT FROM users WHERE id = :id FOR UPDATE"), {"id": user})
        deleting = asyncio.create_task(admin.post(f"/users/{user}/delete", {"stop_tasks": True}))
        await eventually(lambda: waits(platform, 1))
        submitting = asyncio.create_task(ada.post("/trainings", training(devices=1)))
        await eventually(lambda: waits(platform, 2))
        await connection.rollback()
        deleted, submitted = await deleting, await submitting
    await database.dispose()
    assert deleted.status_code == 204, deleted.text
    assert told(submitted)[:2] == (401, "not_signed_in"), "a task of nobody was taken"
    assert (await admin.get("/tasks", params={"owner": "all"})).json()["items"] == []


async def waits(platform: RunningPlatform, number: int) -> bool:
    """Whether so many wait for a lock."""
    database = connect(platform.configuration, pool_size=1)
    async with database.connect() as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        found = await connection.scalar(text(query))
    await database.dispose()
    return int(found or 0) >= number


async def test_a_session_of_who_is_deleted_meanwhile_does_nothing_more(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    second: Client = await portal.user(admin, "second", roles=["admin"])
    assert (await admin.post(f"/users/{await id_of(second)}/delete", {})).is_success
    assert told(await second.post("/users", account("late")))[:2] == (401, "not_signed_in")
    assert [item["name"] for item in (await admin.get("/users")).json()["items"]] == ["admin"]
