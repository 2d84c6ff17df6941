"""What several administrators do at once: one waits for the other, and nothing is half done. On a real database."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
from atoll.database.connection import connect
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import Client, RunningPlatform, eventually
from tests.unit.platform.people import a_group, a_role, account, at_once, id_of, registered, told

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
async def owner(portal: RunningPlatform) -> AsyncIterator[AsyncEngine]:
    """Whoever changes rows behind the API's back."""
    engine = connect(portal.configuration, pool_size=2)
    yield engine
    await engine.dispose()


async def during(owner: AsyncEngine, change: str, asked: Awaitable[httpx.Response], **values: str) -> httpx.Response:
    """The answer to a request that comes while `change` is done, and is decided after it."""

    async def waits() -> bool:
        async with owner.connect() as other:
            return asking.done() or bool(await other.scalar(text(WAITING)))

    async with owner.connect() as connection:
        await connection.execute(text(change), values)
        asking = asyncio.ensure_future(asked)
        await eventually(waits)
        assert not asking.done(), "it was decided before the change was"
        await connection.commit()
    return await asking


Given = Callable[[Client, str, str, str], Awaitable[httpx.Response]]
OF_A_ROLE: dict[str, tuple[Given, int]] = {
    "users of a role": (lambda by, role, _group, user: by.post(f"/roles/{role}/users", {"users": [user]}), 404),
    "groups of a role": (lambda by, role, group, _user: by.post(f"/roles/{role}/groups", {"groups": [group]}), 404),
    "a role of a user": (
        lambda by, role, _group, user: by.http.put(f"/users/{user}/roles", json={"roles": ["user", role]}),
        422,
    ),
    "a role of a group": (
        lambda by, role, group, _user: by.http.put(f"/groups/{group}/roles", json={"roles": ["user", role]}),
        422,
    ),
    "a new account": (lambda by, role, _group, _user: by.post("/users", account("new", roles=["user", role])), 422),
    "a new group": (
        lambda by, role, _group, _user: by.post(
            "/groups", {"name": "New", "description": "New", "roles": ["user", role]}
        ),
        422,
    ),
    "an edit": (lambda by, role, _group, _user: by.http.patch(f"/roles/{role}", json={"name": "Late"}), 404),
}


@pytest.mark.parametrize("what", OF_A_ROLE)
async def test_a_role_that_is_deleted_while_it_is_given_is_given_to_nobody(
    portal: RunningPlatform, owner: AsyncEngine, what: str
) -> None:
    admin = await portal.admin()
    user = await id_of(await registered(portal, "ada"))
    role, group = await a_role(admin, "Gone", "nodes:read"), await a_group(admin, "Ops", ["annotator"])
    give, status = OF_A_ROLE[what]
    answer = await during(owner, "DELETE FROM roles WHERE id = :id", give(admin, role, group, user), id=role)
    assert answer.status_code == status, f"what is gone was given, or broke off: {answer.text}"
    assert (await admin.get(f"/users/{user}")).json()["roles"] == []
    assert [each["id"] for each in (await admin.get(f"/groups/{group}")).json()["roles"]] == ["annotator"]
    assert [item["name"] for item in (await admin.get("/users")).json()["items"]] == ["ada", "admin"]
    assert [item["name"] for item in (await admin.get("/groups")).json()["items"]] == ["Ops"]


OF_A_GROUP: dict[str, tuple[Given, int]] = {
    "users of a group": (lambda by, _role, group, user: by.post(f"/groups/{group}/users", {"users": [user]}), 404),
    "a group of a user": (
        lambda by, _role, group, user: by.http.put(f"/users/{user}/groups", json={"groups": [group]}),
        422,
    ),
    "a group of a new account": (
        lambda by, _role, group, _user: by.post("/users", account("new", groups=[group])),
        422,
    ),
    "a role of a group": (
        lambda by, _role, group, _user: by.http.put(f"/groups/{group}/roles", json={"roles": ["user"]}),
        404,
    ),
    "groups of a role": (lambda by, role, group, _user: by.post(f"/roles/{role}/groups", {"groups": [group]}), 422),
}


@pytest.mark.parametrize("what", OF_A_GROUP)
async def test_nobody_is_put_into_a_group_that_is_deleted_meanwhile(
    portal: RunningPlatform, owner: AsyncEngine, what: str
) -> None:
    admin = await portal.admin()
    user = await id_of(await registered(portal, "ada"))
    role, group = await a_role(admin, "Watch", "nodes:read"), await a_group(admin, "Gone", ["annotator"])
    give, status = OF_A_GROUP[what]
    answer = await during(owner, "DELETE FROM groups WHERE id = :id", give(admin, role, group, user), id=group)
    assert answer.status_code == status, answer.text
    assert (await admin.get(f"/users/{user}")).json()["groups"] == []
    assert (await admin.get(f"/roles/{role}")).json()["group_count"] == 0
    assert [item["name"] for item in (await admin.get("/users")).json()["items"]] == ["ada", "admin"]


OF_A_USER: dict[str, tuple[Given, int]] = {
    "users of a group": (lambda by, _role, group, user: by.post(f"/groups/{group}/users", {"users": [user]}), 422),
    "users of a role": (lambda by, role, _group, user: by.post(f"/roles/{role}/users", {"users": [user]}), 422),
    "a role of a user": (
        lambda by, role, _group, user: by.http.put(f"/users/{user}/roles", json={"roles": [role]}),
        404,
    ),
    "an edit": (lambda by, _role, _group, user: by.http.patch(f"/users/{user}", json={"phone": "1"}), 404),
    "a password": (lambda by, _role, _group, user: by.post(f"/users/{user}/reset-password"), 404),
}
DELETED = "UPDATE users SET deleted_at = now(), active = false, version = version + 1 WHERE id = :id"


@pytest.mark.parametrize("what", OF_A_USER)
async def test_who_is_deleted_meanwhile_is_given_nothing(
    portal: RunningPlatform, owner: AsyncEngine, what: str
) -> None:
    admin = await portal.admin()
    user = await id_of(await registered(portal, "ada"))
    role, group = await a_role(admin, "Watch", "nodes:read"), await a_group(admin, "Ops", ["annotator"])
    give, status = OF_A_USER[what]
    answer = await during(owner, DELETED, give(admin, role, group, user), id=user)
    assert answer.status_code == status, answer.text
    assert (await admin.get(f"/roles/{role}")).json()["user_count"] == 0
    assert (await admin.get(f"/groups/{group}")).json()["user_count"] == 0


async def test_of_two_who_edit_what_both_have_read_one_is_told_so(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    user = await id_of(await registered(portal, "ada"))
    role, group = await a_role(admin, "Watch", "nodes:read"), await a_group(admin, "Ops", ["annotator"])
    edits: dict[str, list[tuple[str, str, Any]]] = {
        f"/users/{user}": [("PUT", "/roles", {"roles": ["user"]}), ("PATCH", "", {"phone": "1"})],
        f"/groups/{group}": [("PUT", "/roles", {"roles": ["user"]}), ("PATCH", "", {"name": "Other"})],
        f"/roles/{role}": [("PATCH", "", {"grants": ["annotation"]}), ("PATCH", "", {"name": "Other"})],
    }
    for path, both in edits.items():
        seen = {"If-Match": (await admin.get(path)).headers["etag"]}
        answers = await at_once(
            *(admin.http.request(method, path + more, json=body, headers=seen) for method, more, body in both)
        )
        assert sorted(answer.status_code for answer in answers) == [200, 412], path


async def test_of_two_who_take_one_name_at_once_one_has_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    group = {"name": "Ops", "description": "Ops", "roles": ["user"]}
    registration = {"name": "eve", "nickname": "Eve", "password": "a-better-password"}
    http = portal.anonymous()
    asks: list[Callable[[], Awaitable[httpx.Response]]] = [
        lambda: admin.post("/users", account("ada")),
        lambda: admin.post("/groups", group),
        lambda: admin.post("/roles", {"name": "Ops", "grants": ["platform"]}),
        lambda: http.post("/registrations", json=registration),
    ]
    for asked in asks:
        answers = await at_once(*(asked() for _ in range(4)))
        assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
        assert {told(answer)[1] for answer in answers if answer.is_error} == {"name_taken"}


async def test_whatever_is_done_at_once_each_is_answered_and_none_breaks_off(portal: RunningPlatform) -> None:
    """In whatever order: locks are taken in one."""
    admin = await portal.admin()
    users = [await id_of(await registered(portal, f"person{n}")) for n in range(3)]
    roles = [await a_role(admin, f"Role {n}", "nodes:read") for n in range(3)]
    groups = [await a_group(admin, f"Group {n}", [roles[n]]) for n in range(3)]
    statuses: set[int] = set()
    for turn in range(3):
        asked: list[Awaitable[httpx.Response]] = []
        for n in range(3):
            others, backwards = [*roles[n:], *roles[:n]], [*reversed(users)]
            asked += [
                admin.http.put(f"/users/{users[n]}/roles", json={"roles": others[: turn + 1]}),
                admin.http.put(f"/users/{users[n]}/groups", json={"groups": [*reversed(groups)][: turn + 1]}),
                admin.http.put(f"/groups/{groups[n]}/roles", json={"roles": [*reversed(others)][: turn + 1]}),
                admin.post(f"/roles/{roles[n]}/users", {"users": backwards if n % 2 else users}),
                admin.post(f"/roles/{roles[n]}/groups", {"groups": [*reversed(groups)] if n % 2 else groups}),
                admin.post(f"/groups/{groups[n]}/users", {"users": users if n % 2 else backwards}),
                admin.http.patch(f"/roles/{roles[n]}", json={"grants": ["nodes:read", "audit:read"][: 1 + turn % 2]}),
                admin.http.patch(f"/groups/{groups[n]}", json={"description": f"In turn {turn}"}),
            ]
        if turn == 2:
            asked += [admin.delete(f"/roles/{roles[0]}"), admin.delete(f"/groups/{groups[2]}")]
            asked += [admin.post(f"/users/{users[1]}/delete", {})]
        statuses |= {answer.status_code for answer in await at_once(*asked)}
    assert statuses <= {200, 204, 404, 422}
    assert {200, 204} <= statuses


async def test_administrators_who_delete_each_other_at_once_leave_the_protected_one(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada, eve = [await portal.user(admin, name, roles=["admin"]) for name in ("ada", "eve")]
    ids = [await id_of(ada), await id_of(eve)]
    answers = await at_once(
        ada.post(f"/users/{ids[1]}/delete", {}),
        eve.post(f"/users/{ids[0]}/delete", {}),
        ada.post(f"/users/{await id_of(admin)}/disable", {}),
    )
    assert {answer.status_code for answer in answers} <= {204, 401, 404, 409}, "they ended each other"
    assert (await admin.get("/users")).is_success
