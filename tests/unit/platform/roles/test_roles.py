"""Roles as administrators make, give and delete them. On a real database."""

from typing import Any

import pytest

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import OWN, a_group, a_role, account, audited, id_of, may, registered, told

PLATFORM = "tasks:create"


async def test_a_role_says_what_it_grants_what_that_comes_to_and_who_has_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    body = {"name": " Watch ", "description": " Looks on ", "grants": ["nodes:read", "annotation", "nodes:read"]}
    made = await admin.post("/roles", body)
    assert made.status_code == 201, made.text
    role = made.json()
    assert (role["name"], role["description"], role["preset"]) == ("Watch", "Looks on", False)
    assert (role["grants"], role["permissions"]) == (["annotation", "nodes:read"], ["nodes:read", *OWN])
    assert (role["user_count"], role["group_count"]) == (0, 0)
    assert made.headers["etag"] == f'"{role["version"]}"'
    await a_group(admin, "Ops", [role["id"]])
    given = await admin.post(f"/roles/{role['id']}/users", {"users": [await id_of(ada)]})
    assert (given.status_code, given.json()["user_count"], given.json()["group_count"]) == (200, 1, 1)
    read = await admin.get(f"/roles/{role['id']}")
    assert read.json() == role | {"user_count": 1, "group_count": 1}
    assert read.headers["etag"] == made.headers["etag"], "whom it is given to is no edit of the role"
    assert await may(ada) == ["nodes:read"]
    assert told(await admin.get("/roles/nothing"))[:2] == (404, "no_such_role")


async def test_roles_are_listed_by_name_page_by_page_and_found_by_words(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    for name, description in (("beta", "one of two"), ("Alpha", "ONE of two"), ("50%", "odd_one")):
        assert (
            await admin.post("/roles", {"name": name, "description": description, "grants": ["platform"]})
        ).is_success
    pages: list[list[str]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = (await admin.get("/roles", params={"limit": 2} | cursor)).json()
        pages.append([item["name"] for item in page["items"]])
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert pages == [["50%", "Alpha"], ["Annotation person", "beta"], ["System Admin", "User"]]
    for words, found in (
        ("one", ["50%", "Alpha", "beta"]),
        ("OF two", ["Alpha", "beta"]),
        ("alp one", ["Alpha"]),
        ("%", ["50%"]),
        ("_", ["50%"]),
    ):
        items = (await admin.get("/roles", params={"words": words})).json()["items"]
        assert [item["name"] for item in items] == found, words


async def test_what_can_be_granted_is_told(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    told_of = (await admin.get("/permissions")).json()
    kinds = {kind["name"]: kind["permissions"] for kind in told_of["kinds"]}
    single = {each["name"]: each["kinds"] for each in told_of["permissions"]}
    assert kinds.keys() == {"platform", "annotation", "administration"}
    assert PLATFORM in kinds["platform"]
    assert "users:manage" in kinds["administration"]
    assert sorted({*kinds["administration"]} & {*kinds["platform"]}) == OWN == kinds["annotation"]
    assert single[PLATFORM] == ["platform"]
    assert single["users:manage"] == ["administration"]
    assert {name for held in kinds.values() for name in held} == single.keys()
    assert set((await admin.get("/session")).json()["permissions"]) == single.keys()


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"name": " "}, "name", "string_too_short"),
        ({"name": "x" * 65}, "name", "string_too_long"),
        ({"name": "a\u200bb"}, "name", "string_pattern_mismatch"),
        ({"grants": []}, "grants", "too_short"),
        ({"grants": ["platform", "everything"]}, "grants.1", "no_such_grant"),
        ({"description": "x" * 513}, "description", "string_too_long"),
        ({"preset": True}, "preset", "extra_forbidden"),
    ],
)
async def test_bad_input_is_told_at_its_field_and_changes_nothing(
    portal: RunningPlatform, changes: dict[str, Any], field: str, code: str
) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Kept", "annotation")
    body = {"name": "New", "grants": ["platform"]} | changes
    for answer in (await admin.post("/roles", body), await admin.http.patch(f"/roles/{role}", json=changes)):
        status, _, mistakes = told(answer)
        assert (status, mistakes) == (422, {field: code})
    items = (await admin.get("/roles", params={"words": "Kept"})).json()["items"]
    assert [(item["name"], item["grants"], item["version"]) for item in items] == [("Kept", ["annotation"], 1)]


async def test_a_name_is_one_roles_however_it_is_written(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Watch", "annotation")
    for name in ("watch", " WATCH ", "system ADMIN"):
        refused = told(await admin.post("/roles", {"name": name, "grants": ["platform"]}))
        assert refused == (409, "name_taken", {"name": "name_taken"}), f"two roles are called {name}"
    assert told(await admin.http.patch(f"/roles/{role}", json={"name": "user"}))[:2] == (409, "name_taken")
    renamed = await admin.http.patch(f"/roles/{role}", json={"name": "WATCH"})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "WATCH"), "it is its own"


async def test_what_is_left_out_of_an_edit_stays_and_who_was_quicker_is_not_overwritten(
    portal: RunningPlatform,
) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Watch", "annotation")
    seen = (await admin.get(f"/roles/{role}")).headers["etag"]
    edited = await admin.http.patch(f"/roles/{role}", json={"description": "Looks on"}, headers={"If-Match": seen})
    assert (edited.json()["description"], edited.json()["name"], edited.json()["grants"]) == (
        "Looks on",
        "Watch",
        ["annotation"],
    )
    assert edited.headers["etag"] != seen
    same = await admin.http.patch(f"/roles/{role}", json={"name": "Watch", "grants": ["annotation"]})
    assert same.headers["etag"] == edited.headers["etag"], "nothing was changed"
    late = {"If-Match": seen}
    assert (await admin.http.patch(f"/roles/{role}", json={"name": "Late"}, headers=late)).status_code == 412
    assert (await admin.delete(f"/roles/{role}", headers=late)).status_code == 412
    assert (await admin.delete(f"/roles/{role}", headers={"If-Match": edited.headers["etag"]})).status_code == 204
    assert (await admin.delete(f"/roles/{role}")).status_code == 404
    assert await audited(admin, "role") == [
        ("role.create", "Watch", {"grants": ["annotation"]}),
        ("role.update", "Watch", {"before": {"description": ""}, "description": "Looks on"}),
        ("role.delete", "Watch", {"grants": ["annotation"], "users": [], "groups": []}),
    ]


@pytest.mark.parametrize("role", ["admin", "user", "annotator"])
async def test_a_preset_role_is_neither_changed_nor_deleted(portal: RunningPlatform, role: str) -> None:
    admin = await portal.admin()
    before = (await admin.get(f"/roles/{role}")).json()
    assert before["preset"] is True
    for answer in (
        await admin.http.patch(f"/roles/{role}", json={"description": "Mine"}),
        await admin.http.patch(f"/roles/{role}", json={"grants": ["platform"]}),
        await admin.delete(f"/roles/{role}"),
    ):
        assert told(answer)[:2] == (409, "preset_role"), "a preset role was changed"
    assert (await admin.get(f"/roles/{role}")).json() == before


async def test_who_holds_a_role_that_is_edited_or_deleted_may_other_things_at_once(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada, eve = await registered(portal, "ada"), await registered(portal, "eve")
    role = await a_role(admin, "Mixed", "nodes:read")
    await admin.post(f"/roles/{role}/users", {"users": [await id_of(ada)]})
    await a_group(admin, "Ops", [role], [await id_of(eve)])
    assert await may(ada) == await may(eve) == ["nodes:read"]
    assert (await admin.http.patch(f"/roles/{role}", json={"grants": ["overview:read"]})).is_success
    assert await may(ada) == await may(eve) == ["overview:read"]
    assert (await ada.get("/nodes")).status_code == 403
    assert (await ada.get("/overview")).is_success
    assert (await admin.delete(f"/roles/{role}")).is_success
    assert await may(ada) == await may(eve) == []
    account_of_ada = (await admin.get(f"/users/{await id_of(ada)}")).json()
    assert account_of_ada["roles"] == []
    told_of = [details for action, _, details in await audited(admin, "role") if action != "role.create"]
    assert told_of[1]["before"] == {"grants": ["nodes:read"]}
    assert told_of[-1] == {"grants": ["overview:read"], "users": ["ada"], "groups": ["Ops"]}, (
        "who lost what is not told"
    )


async def test_a_role_is_given_to_users_and_taken_from_them(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada, eve = await registered(portal, "ada"), await registered(portal, "eve")
    ids = [await id_of(ada), await id_of(eve)]
    role = await a_role(admin, "Watch", "nodes:read")
    version = (await admin.get(f"/users/{ids[0]}")).json()["version"]
    assert (await admin.post(f"/roles/{role}/users", {"users": ids})).json()["user_count"] == 2
    changed = (await admin.get(f"/users/{ids[0]}")).json()
    assert changed["version"] > version, "who has read the roles of before would take it away again"
    assert (await admin.post(f"/roles/{role}/users", {"users": [ids[0]]})).json()["user_count"] == 2
    assert (await admin.get(f"/users/{ids[0]}")).json()["version"] == changed["version"], "nothing was changed"
    first = (await admin.get(f"/roles/{role}/users", params={"limit": 1})).json()
    assert first["items"] == [{"id": ids[0], "name": "ada", "nickname": "ada"}]
    rest = await admin.get(f"/roles/{role}/users", params={"limit": 1, "cursor": first["next_cursor"]})
    assert [item["name"] for item in rest.json()["items"]] == ["eve"]
    assert (await admin.delete(f"/roles/{role}/users/{ids[0]}")).status_code == 204
    assert (await admin.get(f"/users/{ids[0]}")).json()["version"] > changed["version"]
    assert (await may(ada), await may(eve)) == ([], ["nodes:read"])
    assert (await admin.delete(f"/roles/{role}/users/{ids[0]}")).status_code == 404
    assert [(action, details) for action, _, details in await audited(admin, "role")][1:] == [
        ("role.give", {"users": ["ada", "eve"]}),
        ("role.take", {"users": ["ada"]}),
    ]


async def test_a_role_is_given_to_groups_and_taken_from_them(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    role, other = await a_role(admin, "Watch", "nodes:read"), await a_role(admin, "Other", "annotation")
    groups = [await a_group(admin, name, [other], users) for name, users in (("B", [await id_of(ada)]), ("a", []))]
    version = (await admin.get(f"/groups/{groups[0]}")).json()["version"]
    assert (await admin.post(f"/roles/{role}/groups", {"groups": groups})).json()["group_count"] == 2
    assert (await admin.get(f"/groups/{groups[0]}")).json()["version"] > version
    assert await may(ada) == ["nodes:read"]
    first = (await admin.get(f"/roles/{role}/groups", params={"limit": 1})).json()
    assert first["items"] == [{"id": groups[1], "name": "a"}]
    rest = await admin.get(f"/roles/{role}/groups", params={"limit": 1, "cursor": first["next_cursor"]})
    assert rest.json() == {"items": [{"id": groups[0], "name": "B"}], "next_cursor": None}
    assert (await admin.delete(f"/roles/{role}/groups/{groups[0]}")).status_code == 204
    assert await may(ada) == []
    assert (await admin.delete(f"/roles/{role}/groups/{groups[0]}")).status_code == 404
    assert [(action, details) for action, _, details in await audited(admin, "role")][2:] == [
        ("role.give", {"groups": ["B", "a"]}),
        ("role.take", {"groups": ["B"]}),
    ]


async def test_to_whom_there_is_not_nothing_is_given_and_to_nobody_else_either(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    gone = (await admin.post("/users", account("gone"))).json()["id"]
    assert (await admin.post(f"/users/{gone}/delete", {})).is_success
    role = await a_role(admin, "Watch", "nodes:read")
    for missing in ("nobody", gone):
        refused = told(await admin.post(f"/roles/{role}/users", {"users": [await id_of(ada), missing]}))
        assert refused == (422, "invalid_request", {"users": "no_such_user"})
    refused = told(await admin.post(f"/roles/{role}/groups", {"groups": ["nothing"]}))
    assert refused == (422, "invalid_request", {"groups": "no_such_group"})
    assert told(await admin.post(f"/roles/{role}/users", {"users": []}))[0] == 422
    assert told(await admin.post(f"/roles/{role}/users", {"users": ["x"] * 101}))[0] == 422
    for path in ("users", "groups"):
        assert told(await admin.get(f"/roles/nothing/{path}"))[:2] == (404, "no_such_role")
        assert told(await admin.post(f"/roles/nothing/{path}", {path: ["x"]}))[:2] == (404, "no_such_role")
        assert told(await admin.delete(f"/roles/nothing/{path}/x"))[:2] == (404, "no_such_role")
    assert await may(ada) == []
