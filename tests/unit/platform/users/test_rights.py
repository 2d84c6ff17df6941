"""Roles and groups of users, and that nobody gives, takes or acts upon what they do not hold. On a real database."""

from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import FIRST, a_group, a_role, account, audited, id_of, may, registered, told

MANAGER = ("users:read", "users:manage", "groups:read", "groups:manage", "roles:read", "roles:manage", "nodes:read")


async def a_user(portal: RunningPlatform, admin: Client, name: str, *roles: str) -> Client:
    """Somebody with these roles, signed in with a password of their own."""
    made = await admin.post("/users", account(name, roles=[*roles]))
    assert made.status_code == 201, made.text
    client = await portal.sign_in(name, FIRST)
    changed = await client.post("/session/password", {"current_password": FIRST, "new_password": PASSWORD})
    assert changed.is_success, changed.text
    return client


async def a_manager(portal: RunningPlatform, admin: Client) -> Client:
    """Somebody who manages people, and may nothing else but see nodes."""
    return await a_user(portal, admin, "manager", await a_role(admin, "Manager", *MANAGER))


async def test_all_roles_and_groups_of_a_user_are_set_at_once(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    path = f"/users/{await id_of(ada)}"
    watch, see = await a_role(admin, "Watch", "nodes:read"), await a_role(admin, "See", "overview:read")
    group, other = await a_group(admin, "Ops", [see]), await a_group(admin, "Others", ["annotator"])
    given = await admin.http.put(f"{path}/roles", json={"roles": [watch, "annotator", watch]})
    assert [each["name"] for each in given.json()["roles"]] == ["Annotation person", "Watch"]
    assert await may(ada) == ["nodes:read"]
    given = await admin.http.put(f"{path}/groups", json={"groups": [group, other]})
    assert [each["name"] for each in given.json()["groups"]] == ["Ops", "Others"]
    assert await may(ada) == ["nodes:read", "overview:read"]
    same = await admin.http.put(f"{path}/groups", json={"groups": [other, group]})
    assert same.headers["etag"] == given.headers["etag"], "nothing was changed"
    assert (await admin.http.put(f"{path}/roles", json={"roles": ["annotator"]})).json()["roles"] == [
        {"id": "annotator", "name": "Annotation person"}
    ]
    assert await may(ada) == ["overview:read"]
    left = await admin.http.put(f"{path}/groups", json={"groups": [other]})
    assert [each["name"] for each in left.json()["groups"]] == ["Others"]
    assert (await admin.http.put(f"{path}/roles", json={"roles": []})).json()["roles"] == []
    assert await may(ada) == []
    for field, code in (("roles", "no_such_role"), ("groups", "no_such_group")):
        refused = told(await admin.http.put(f"{path}/{field}", json={field: ["nothing"]}))
        assert refused == (422, "invalid_request", {field: code})
        assert told(await admin.http.put(f"/users/nobody/{field}", json={field: []}))[:2] == (404, "no_such_user")
    assert [(action, details) for action, _, details in await audited(admin, "user")][2:] == [
        ("user.roles", {"before": {"roles": []}, "roles": ["Watch", "Annotation person"]}),
        ("user.groups", {"before": {"groups": []}, "groups": ["Ops", "Others"]}),
        ("user.roles", {"before": {"roles": ["Annotation person", "Watch"]}, "roles": ["Annotation person"]}),
        ("user.groups", {"before": {"groups": ["Ops", "Others"]}, "groups": ["Others"]}),
        ("user.roles", {"before": {"roles": ["Annotation person"]}, "roles": []}),
    ]


async def test_a_kind_is_given_and_taken_by_who_holds_the_kind_and_not_only_what_it_comes_to_now(
    portal: RunningPlatform,
) -> None:
    admin = await portal.admin()
    every = [each["name"] for each in (await admin.get("/permissions")).json()["permissions"]]
    eve = await a_user(portal, admin, "eve", await a_role(admin, "Each by itself", *every))
    ruler = await a_user(portal, admin, "ruler", await a_role(admin, "By kinds", "administration", "platform"))
    ada = await id_of(await registered(portal, "ada"))
    group = await a_group(admin, "Annotators", ["annotator"])
    for kind in ("platform", "annotation", "administration"):
        made = await eve.post("/roles", {"name": f"All of {kind}", "grants": [kind]})
        assert told(made)[:2] == (403, "more_than_you_hold"), f"{kind} was given by who will not hold it"
        assert made.json()["params"]["permissions"].split(", ")[0] in (kind, "annotation")
    for by, status in ((eve, 403), (ruler, 200)):
        for given in (
            await by.http.put(f"/users/{ada}/roles", json={"roles": ["annotator"]}),
            await by.post("/roles/annotator/users", {"users": [ada]}),
            await by.http.put(f"/users/{ada}/groups", json={"groups": [group]}),
        ):
            assert given.status_code == status, given.text
    assert told(await eve.post(f"/users/{ada}/reset-password"))[:2] == (403, "more_than_you_hold")
    assert (await eve.post("/roles", {"name": "As I", "grants": every})).is_success
    assert (await eve.post("/access-tokens", {"name": "t", "grants": ["platform"], "days": 1})).is_success


async def test_how_to_reach_a_user_is_changed_and_what_is_left_out_stays(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    path = f"/users/{await id_of(ada)}"
    seen = (await admin.get(path)).headers["etag"]
    body = {"phone": "123", "email": "ada@example.org"}
    edited = await admin.http.patch(path, json=body, headers={"If-Match": seen})
    assert (edited.json()["nickname"], edited.json()["phone"], edited.json()["email"]) == ("ada", *body.values())
    emptied = await admin.http.patch(path, json={"nickname": "Ada L.", "phone": ""})
    assert (emptied.json()["nickname"], emptied.json()["phone"]) == ("Ada L.", "")
    assert emptied.json()["email"] == "ada@example.org"
    same = await admin.http.patch(path, json={"nickname": "Ada L."})
    assert same.headers["etag"] == emptied.headers["etag"] != seen
    assert told(await admin.http.patch(path, json={"nickname": " "})) == (
        422,
        "invalid_request",
        {"nickname": "string_too_short"},
    )
    assert told(await admin.http.patch("/users/nobody", json={}))[:2] == (404, "no_such_user")
    assert [(action, details) for action, _, details in await audited(admin, "user")][2:] == [
        ("user.update", {"changed": ["email", "phone"]}),
        ("user.update", {"changed": ["nickname", "phone"]}),
    ]


async def test_no_edit_overwrites_who_was_quicker(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    path = f"/users/{await id_of(ada)}"
    group = await a_group(admin, "Ops", ["annotator"])
    late = {"If-Match": (await admin.get(path)).headers["etag"]}
    assert (await admin.http.put(f"{path}/roles", json={"roles": ["user"]}, headers=late)).is_success
    for answer in (
        await admin.http.put(f"{path}/roles", json={"roles": []}, headers=late),
        await admin.http.put(f"{path}/groups", json={"groups": [group]}, headers=late),
        await admin.http.patch(path, json={"phone": "1"}, headers=late),
        await admin.post(f"{path}/disable", {}, headers=late),
        await admin.post(f"{path}/enable", headers=late),
        await admin.post(f"{path}/reset-password", headers=late),
        await admin.post(f"{path}/end-sessions", headers=late),
        await admin.post(f"{path}/delete", {}, headers=late),
    ):
        assert told(answer)[:2] == (412, "changed_meanwhile"), f"who was quicker is overwritten: {answer.request.url}"
    assert (await ada.get("/overview")).is_success, "an edit that was refused did something"
    now = {"If-Match": (await admin.get(path)).headers["etag"]}
    changed = await admin.http.put(f"{path}/groups", json={"groups": [group]}, headers=now)
    assert changed.is_success
    assert changed.headers["etag"] != now["If-Match"]


async def own(manager: Client) -> str:
    """The role that the manager has, and so may give."""
    found: str = (await manager.get("/roles", params={"words": "Manager"})).json()["items"][0]["id"]
    return found


async def new_in_a_group(by: Client, _role: str, group: str, _user: str) -> httpx.Response:
    return await by.post("/users", account("new", roles=[await own(by)], groups=[group]))


async def roles_of_a_group(by: Client, _role: str, group: str, _user: str) -> httpx.Response:
    return await by.http.put(f"/groups/{group}/roles", json={"roles": [await own(by)]})


Ask = Callable[[Client, str, str, str], Awaitable[httpx.Response]]
# By the manager: what gives, takes or uses the role `role`, which the group `group` has, and of which `user` has none.
GIVING: dict[str, Ask] = {
    "a new account": lambda by, role, _group, _user: by.post("/users", account("new", roles=[role])),
    "new accounts": lambda by, role, _group, _user: by.post(
        "/users/batch", {"users": [{"name": "new", "nickname": "n", "password": FIRST}], "roles": [role]}
    ),
    "a new account in a group": new_in_a_group,
    "roles of a user": lambda by, role, _group, user: by.http.put(f"/users/{user}/roles", json={"roles": [role]}),
    "groups of a user": lambda by, _role, group, user: by.http.put(f"/users/{user}/groups", json={"groups": [group]}),
    "users of a role": lambda by, role, _group, user: by.post(f"/roles/{role}/users", {"users": [user]}),
    "users of a group": lambda by, _role, group, user: by.post(f"/groups/{group}/users", {"users": [user]}),
    "a new group": lambda by, role, _group, _user: by.post(
        "/groups", {"name": "New", "description": "New", "roles": [role]}
    ),
    "roles of a group": roles_of_a_group,
    "the name of a group": lambda by, _role, group, _user: by.http.patch(f"/groups/{group}", json={"name": "Mine"}),
    "the end of a group": lambda by, _role, group, _user: by.delete(f"/groups/{group}"),
    "groups of a role": lambda by, role, group, _user: by.delete(f"/roles/{role}/groups/{group}"),
}


@pytest.mark.parametrize("what", GIVING)
async def test_nobody_gives_or_takes_a_role_of_more_than_they_hold(portal: RunningPlatform, what: str) -> None:
    admin = await portal.admin()
    manager = await a_manager(portal, admin)
    user = await id_of(await registered(portal, "ada"))
    for name, grants, refused in (("Much", ("nodes:read", "audit:read", "runs:read"), True), ("Few", MANAGER, False)):
        role = await a_role(admin, name, *grants)
        group = await a_group(admin, f"Of {name}", [role])
        answer = await GIVING[what](manager, role, group, user)
        if refused:
            assert told(answer)[:2] == (403, "more_than_you_hold"), f"more was given than is held: {answer.text}"
            assert answer.json()["params"] == {"permissions": "audit:read, runs:read"}
            names = [item["name"] for item in (await admin.get("/users")).json()["items"]]
            assert names == ["ada", "admin", "manager"], "an account was made"
            unchanged = (await admin.get(f"/users/{user}")).json()
            assert (unchanged["roles"], unchanged["groups"]) == ([], [])
            assert (await admin.get(f"/groups/{group}")).json()["roles"] == [{"id": role, "name": name}]
        else:
            assert answer.is_success, answer.text


@pytest.mark.parametrize("grants", [["audit:read"], ["nodes:read", "platform"], ["administration"]])
async def test_nobody_makes_or_edits_a_role_of_more_than_they_hold(portal: RunningPlatform, grants: list[str]) -> None:
    admin = await portal.admin()
    manager = await a_manager(portal, admin)
    much, few = await a_role(admin, "Much", *grants), await a_role(admin, "Few", "nodes:read")
    for answer in (
        await manager.post("/roles", {"name": "New", "grants": grants}),
        await manager.http.patch(f"/roles/{few}", json={"grants": grants}),
        await manager.http.patch(f"/roles/{much}", json={"grants": ["nodes:read"]}),
        await manager.http.patch(f"/roles/{much}", json={"name": "Mine"}),
        await manager.delete(f"/roles/{much}"),
    ):
        assert told(answer)[:2] == (403, "more_than_you_hold"), f"a role of more than is held: {answer.text}"
    assert (await admin.get(f"/roles/{much}")).json()["grants"] == sorted(grants)
    assert (await admin.get(f"/roles/{few}")).json()["grants"] == ["nodes:read"]
    assert (await manager.http.patch(f"/roles/{few}", json={"grants": ["users:read"]})).is_success
    assert (await manager.post("/roles", {"name": "New", "grants": ["users:manage"]})).status_code == 201
    assert (await manager.delete(f"/roles/{few}")).status_code == 204


ACTS: dict[str, tuple[str, Any]] = {
    "disable": ("POST", {}),
    "enable": ("POST", None),
    "reset-password": ("POST", None),
    "end-sessions": ("POST", None),
    "delete": ("POST", {}),
    "": ("PATCH", {"nickname": "Somebody"}),
}


@pytest.mark.parametrize("act", ACTS)
async def test_nobody_acts_upon_the_account_of_who_holds_more(portal: RunningPlatform, act: str) -> None:
    admin = await portal.admin()
    manager = await a_manager(portal, admin)
    method, body = ACTS[act]
    much = await a_role(admin, "Much", "audit:read")
    second = await a_user(portal, admin, "second", "admin")
    by_group = await registered(portal, "by-group")
    await a_group(admin, "Auditors", [much], [await id_of(by_group)])
    for who in (second, by_group):
        user = await id_of(who)
        before = (await admin.get(f"/users/{user}")).json()
        answer = await manager.http.request(method, f"/users/{user}/{act}".rstrip("/"), json=body)
        assert told(answer)[:2] == (403, "more_than_you_hold"), f"acted upon who holds more: {answer.text}"
        assert (await admin.get(f"/users/{user}")).json() == before
        assert (await who.get("/session")).is_success
    ada = await id_of(await registered(portal, "ada"))
    answer = await manager.http.request(method, f"/users/{ada}/{act}".rstrip("/"), json=body)
    assert answer.is_success, answer.text


@pytest.mark.parametrize("act", [*(each for each in ACTS if each != "delete"), "roles", "groups"])
async def test_who_manages_users_and_reads_none_learns_by_no_answer_how_to_reach_them(
    portal: RunningPlatform, act: str
) -> None:
    admin = await portal.admin()
    reader = await a_manager(portal, admin)
    manager = await a_user(portal, admin, "blind", await a_role(admin, "Blind", "users:manage"))
    reach = {"phone": "+44 20 7946 0000", "email": "ada@example.com"}
    body = account("ada", roles=[await a_role(admin, "Nothing", "users:manage")], **reach)
    ada = (await admin.post("/users", body)).json()["id"]
    method, body = ACTS.get(act, ("PUT", {act: []}))
    for by, told_of in ((manager, {"phone": "", "email": ""}), (reader, reach)):
        answer = await by.http.request(method, f"/users/{ada}/{act}".rstrip("/"), json=body)
        assert answer.is_success, answer.text
        given = answer.json().get("account", answer.json())
        assert {key: given[key] for key in reach} == told_of, f"how to reach a user is told by {method} {act}"
    kept = (await admin.get(f"/users/{ada}")).json()
    assert {key: kept[key] for key in reach} == reach


async def test_nobody_takes_a_role_or_group_of_more_than_they_hold(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    manager = await a_manager(portal, admin)
    watch = await a_role(admin, "Watch", "nodes:read")
    second = await a_user(portal, admin, "second", "admin", watch)
    user = await id_of(second)
    group = await a_group(admin, "Admins", ["admin"], [user])
    for answer in (
        await manager.http.put(f"/users/{user}/roles", json={"roles": [watch]}),
        await manager.http.put(f"/users/{user}/groups", json={"groups": []}),
        await manager.delete(f"/roles/admin/users/{user}"),
        await manager.delete(f"/groups/{group}/users/{user}"),
    ):
        assert told(answer)[:2] == (403, "more_than_you_hold"), answer.text
    assert (await second.get("/audit")).is_success
    # What they hold themselves they take, from whomever it is.
    assert (await manager.delete(f"/roles/{watch}/users/{user}")).status_code == 204
    assert (await admin.get(f"/users/{user}")).json()["roles"] == [{"id": "admin", "name": "System Admin"}]


async def test_who_manages_people_alone_makes_nobody_a_member_of_a_virtual_cluster(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    manager = await a_manager(portal, admin)
    body = account("new", roles=[await a_role(admin, "Watch", "nodes:read")])
    refused = await manager.post("/users", body | {"virtual_clusters": ["default"]})
    assert told(refused)[:2] == (403, "more_than_you_hold"), "a virtual cluster was given away"
    assert refused.json()["params"] == {"permissions": "virtual_clusters:manage"}
    assert (await manager.post("/users", body)).status_code == 201


async def test_who_is_no_member_of_a_virtual_cluster_takes_it_from_nobody_by_a_group(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    manager = await a_manager(portal, admin)
    ada = await id_of(await registered(portal, "ada"))
    watch = await a_role(admin, "Watch", "nodes:read")
    group = await a_group(admin, "GPU team", [watch], [ada])
    cluster = (await admin.get("/virtual-clusters")).json()["items"][0]["id"]
    assert (await admin.post(f"/virtual-clusters/{cluster}/members", {"groups": [group]})).is_success
    before = (await admin.get(f"/users/{ada}")).json()
    assert [each["name"] for each in before["virtual_clusters"]] == ["default"]
    for answer in (
        await manager.delete(f"/groups/{group}/users/{ada}"),
        await manager.http.put(f"/users/{ada}/groups", json={"groups": []}),
        await manager.delete(f"/groups/{group}"),
    ):
        assert told(answer)[:2] == (403, "more_than_you_hold"), f"a virtual cluster was taken: {answer.request.url}"
        assert answer.json()["params"] == {"permissions": "virtual_clusters:manage"}
    assert (await admin.get(f"/users/{ada}")).json() == before
    # Of what they are members themselves they take it, too.
    joined = await admin.post(f"/virtual-clusters/{cluster}/members", {"users": [await id_of(manager)]})
    assert joined.is_success, joined.text
    assert (await manager.delete(f"/groups/{group}/users/{ada}")).status_code == 204
    assert (await manager.http.put(f"/users/{ada}/groups", json={"groups": [group]})).is_success
    assert (await manager.http.put(f"/users/{ada}/groups", json={"groups": []})).is_success
    assert (await manager.delete(f"/groups/{group}")).status_code == 204


async def test_who_loses_a_right_gives_it_no_more(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    second = await a_user(portal, admin, "second", "admin")
    ada = await id_of(await registered(portal, "ada"))
    manager = await a_role(admin, "Manager", *MANAGER)
    assert (await second.http.put(f"/users/{ada}/roles", json={"roles": ["admin"]})).is_success
    demoted = await admin.http.put(f"/users/{await id_of(second)}/roles", json={"roles": [manager]})
    assert demoted.is_success
    refused = await second.http.put(f"/users/{ada}/roles", json={"roles": []})
    assert told(refused)[:2] == (403, "more_than_you_hold")
    assert (await admin.http.put(f"/users/{await id_of(second)}/roles", json={"roles": []})).is_success
    assert told(await second.get("/users"))[:2] == (403, "not_allowed")


async def test_of_the_account_of_the_installation_only_the_password_changes(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    second = await a_user(portal, admin, "second", "admin")
    user = await id_of(admin)
    group = await a_group(admin, "Ops", ["annotator"])
    before = (await second.get(f"/users/{user}")).json()
    assert (before["protected"], before["roles"]) == (True, [{"id": "admin", "name": "System Admin"}])
    for by in (admin, second):
        for answer in (
            await by.http.put(f"/users/{user}/roles", json={"roles": ["user"]}),
            await by.http.put(f"/users/{user}/roles", json={"roles": ["admin", "user"]}),
            await by.http.put(f"/users/{user}/groups", json={"groups": [group]}),
            await by.http.patch(f"/users/{user}", json={"nickname": "Nobody"}),
            await by.post("/roles/user/users", {"users": [await id_of(second), user]}),
            await by.delete(f"/roles/admin/users/{user}"),
            await by.post(f"/groups/{group}/users", {"users": [user]}),
            await by.post("/groups", {"name": "New", "description": "New", "roles": ["user"], "users": [user]}),
        ):
            assert told(answer)[:2] == (409, "protected_account"), f"the first account changes: {answer.request.url}"
            assert answer.json()["params"] == {"name": "admin"}
    for verb in ("delete", "disable"):
        assert told(await admin.post(f"/users/{user}/{verb}", {}))[:2] == (409, "own_account")
        assert told(await second.post(f"/users/{user}/{verb}", {}))[:2] == (409, "protected_account")
    assert (await second.get(f"/users/{user}")).json() == before
    assert (await second.get(f"/users/{await id_of(second)}")).json()["roles"] == before["roles"], "half was done"
    assert [item["name"] for item in (await admin.get("/groups")).json()["items"]] == ["Ops"]
    # What changes nothing is nothing to refuse; the password is what can be changed.
    assert (await second.http.put(f"/users/{user}/roles", json={"roles": ["admin"]})).is_success
    assert (await second.http.put(f"/users/{user}/groups", json={"groups": []})).is_success
    assert told(await admin.post(f"/users/{user}/reset-password"))[:2] == (409, "own_password")
    assert (await second.post(f"/users/{user}/end-sessions")).is_success
    given = await second.post(f"/users/{user}/reset-password")
    assert given.is_success
    await portal.sign_in("admin", given.json()["password"])


async def test_who_reads_groups_or_roles_alone_sees_the_counts_too_and_nothing_else(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    for number, permission in enumerate(("users:read", "groups:read", "roles:read")):
        role = await a_role(admin, f"Reader {number}", permission)
        reader = await a_user(portal, admin, f"reader{number}", role)
        assert (await reader.get("/user-management")).is_success
        for path in ("/users", "/groups", "/roles"):
            assert (await reader.get(path)).is_success is (permission == f"{path[1:]}:read"), (permission, path)
    other = await a_user(portal, admin, "other", await a_role(admin, "Nodes", "nodes:read"))
    assert told(await other.get("/user-management"))[:2] == (403, "not_allowed")
