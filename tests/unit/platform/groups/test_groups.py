"""Groups as administrators make, fill and delete them. On a real database."""

from typing import Any

import pytest

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import a_group, a_role, account, audited, id_of, may, registered, told


async def test_a_group_says_its_roles_and_how_many_are_in_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    role = await a_role(admin, "Watch", "nodes:read")
    body = {"name": " Ops ", "description": " Who watch ", "roles": ["user", role], "users": [await id_of(ada)]}
    made = await admin.post("/groups", body)
    assert made.status_code == 201, made.text
    group = made.json()
    assert (group["name"], group["description"], group["user_count"]) == ("Ops", "Who watch", 1)
    assert group["roles"] == [{"id": "user", "name": "User"}, {"id": role, "name": "Watch"}]
    assert group["virtual_clusters"] == []
    assert made.headers["etag"] == f'"{group["version"]}"'
    read = await admin.get(f"/groups/{group['id']}")
    assert (read.json(), read.headers["etag"]) == (group, made.headers["etag"])
    assert {"nodes:read", "tasks:create"} <= set(await may(ada))
    assert (await ada.get("/session")).json()["user"]["roles"] == [], "they are the group's"
    assert (await admin.get(f"/users/{await id_of(ada)}")).json()["groups"] == [{"id": group["id"], "name": "Ops"}]
    assert told(await admin.get("/groups/nothing"))[:2] == (404, "no_such_group")


async def test_groups_are_listed_by_name_page_by_page_and_found_by_words(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    for name in ("beta", "Alpha", "gamma"):
        await a_group(admin, name, ["user"])
    first = (await admin.get("/groups", params={"limit": 2})).json()
    assert [item["name"] for item in first["items"]] == ["Alpha", "beta"]
    rest = (await admin.get("/groups", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert ([item["name"] for item in rest["items"]], rest["next_cursor"]) == (["gamma"], None)
    for words, found in (("ALPH", ["Alpha"]), ("of beta", ["beta"]), ("zeta", [])):
        items = (await admin.get("/groups", params={"words": words})).json()["items"]
        assert [item["name"] for item in items] == found, words


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"name": ""}, "name", "string_too_short"),
        ({"name": "a\nb"}, "name", "string_pattern_mismatch"),
        ({"description": "  "}, "description", "string_too_short"),
        ({"roles": []}, "roles", "too_short"),
        ({"roles": ["user", "nothing"]}, "roles", "no_such_role"),
        ({"users": ["nobody"]}, "users", "no_such_user"),
        ({"users": ["x"] * 101}, "users", "too_long"),
    ],
)
async def test_bad_input_is_told_at_its_field_and_makes_nothing(
    portal: RunningPlatform, changes: dict[str, Any], field: str, code: str
) -> None:
    admin = await portal.admin()
    status, _, mistakes = told(
        await admin.post("/groups", {"name": "Ops", "description": "Who watch", "roles": ["user"]} | changes)
    )
    assert (status, mistakes) == (422, {field: code})
    assert (await admin.get("/groups")).json()["items"] == []


async def test_a_name_is_one_groups_however_it_is_written(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    group, _ = await a_group(admin, "Ops", ["user"]), await a_group(admin, "Others", ["user"])
    refused = told(await admin.post("/groups", {"name": "oPS", "description": "Again", "roles": ["user"]}))
    assert refused == (409, "name_taken", {"name": "name_taken"})
    assert told(await admin.http.patch(f"/groups/{group}", json={"name": "OTHERS"}))[:2] == (409, "name_taken")
    assert (await admin.http.patch(f"/groups/{group}", json={"name": "OPS"})).json()["name"] == "OPS"


async def test_every_edit_tells_another_version_and_none_overwrites_who_was_quicker(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    group = await a_group(admin, "Ops", ["user"])
    seen = (await admin.get(f"/groups/{group}")).headers["etag"]
    edited = await admin.http.patch(f"/groups/{group}", json={"description": "Other"}, headers={"If-Match": seen})
    assert (edited.json()["description"], edited.json()["name"]) == ("Other", "Ops")
    roles = await admin.http.put(
        f"/groups/{group}/roles", json={"roles": ["annotator"]}, headers={"If-Match": edited.headers["etag"]}
    )
    assert roles.json()["roles"] == [{"id": "annotator", "name": "Annotation person"}]
    assert len({seen, edited.headers["etag"], roles.headers["etag"]}) == 3
    same = await admin.http.put(f"/groups/{group}/roles", json={"roles": ["annotator", "annotator"]})
    assert same.headers["etag"] == roles.headers["etag"], "nothing was changed"
    assert (await admin.http.patch(f"/groups/{group}", json={"name": "Ops"})).headers["etag"] == same.headers["etag"]
    late = {"If-Match": seen}
    assert (await admin.http.patch(f"/groups/{group}", json={"name": "x"}, headers=late)).status_code == 412
    assert (await admin.http.put(f"/groups/{group}/roles", json={"roles": ["user"]}, headers=late)).status_code == 412
    assert (await admin.delete(f"/groups/{group}", headers=late)).status_code == 412
    assert (await admin.delete(f"/groups/{group}", headers={"If-Match": same.headers["etag"]})).status_code == 204
    assert (await admin.get(f"/groups/{group}")).status_code == 404
    assert await audited(admin, "group") == [
        ("group.create", "Ops", {"roles": ["User"], "users": []}),
        ("group.update", "Ops", {"before": {"description": "Of Ops"}, "description": "Other"}),
        ("group.roles", "Ops", {"before": {"roles": ["User"]}, "roles": ["Annotation person"]}),
        ("group.delete", "Ops", {"roles": ["Annotation person"], "virtual_clusters": [], "users": []}),
    ]


async def test_who_is_in_a_group_may_what_it_may_for_as_long_as_it_is_so(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada, eve = await registered(portal, "ada"), await registered(portal, "eve")
    ids = [await id_of(ada), await id_of(eve)]
    watch, see = await a_role(admin, "Watch", "nodes:read"), await a_role(admin, "See", "overview:read")
    group = await a_group(admin, "Ops", [watch])
    version = (await admin.get(f"/users/{ids[0]}")).json()["version"]
    added = await admin.post(f"/groups/{group}/users", {"users": ids})
    assert (added.status_code, added.json()["user_count"], added.json()["version"]) == (200, 2, 1)
    changed = (await admin.get(f"/users/{ids[0]}")).json()["version"]
    assert changed > version, "who has read the groups of before would take it out again"
    assert (await admin.post(f"/groups/{group}/users", {"users": ids[:1]})).json()["user_count"] == 2
    assert (await admin.get(f"/users/{ids[0]}")).json()["version"] == changed, "nothing was changed"
    first = (await admin.get(f"/groups/{group}/users", params={"limit": 1})).json()
    assert first["items"] == [{"id": ids[0], "name": "ada", "nickname": "ada"}]
    rest = await admin.get(f"/groups/{group}/users", params={"limit": 1, "cursor": first["next_cursor"]})
    assert [item["name"] for item in rest.json()["items"]] == ["eve"]
    assert await may(ada) == await may(eve) == ["nodes:read"], "a group grants nothing to who is in it"
    assert (await admin.http.put(f"/groups/{group}/roles", json={"roles": [see]})).is_success
    assert await may(ada) == await may(eve) == ["overview:read"]
    assert (await admin.delete(f"/groups/{group}/users/{ids[0]}")).status_code == 204
    assert (await admin.get(f"/users/{ids[0]}")).json()["version"] > changed
    assert (await may(ada), await may(eve)) == ([], ["overview:read"])
    assert (await admin.delete(f"/groups/{group}/users/{ids[0]}")).status_code == 404
    assert (await admin.delete(f"/groups/{group}")).is_success
    assert await may(eve) == []
    assert (await admin.get(f"/users/{ids[1]}")).json()["groups"] == []
    assert [(action, details) for action, _, details in await audited(admin, "group")][1:] == [
        ("group.add", {"users": ["ada", "eve"]}),
        ("group.roles", {"before": {"roles": ["Watch"]}, "roles": ["See"]}),
        ("group.remove", {"users": ["ada"]}),
        ("group.delete", {"roles": ["See"], "virtual_clusters": [], "users": ["eve"]}),
    ]


async def test_of_what_there_is_not_nothing_is_changed(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    gone = (await admin.post("/users", account("gone"))).json()["id"]
    assert (await admin.post(f"/users/{gone}/delete", {})).is_success
    group = await a_group(admin, "Ops", ["user"])
    for missing in ("nobody", gone):
        refused = told(await admin.post(f"/groups/{group}/users", {"users": [await id_of(ada), missing]}))
        assert refused == (422, "invalid_request", {"users": "no_such_user"})
    assert await may(ada) == []
    for answer in (
        await admin.http.patch("/groups/nothing", json={}),
        await admin.http.put("/groups/nothing/roles", json={"roles": ["user"]}),
        await admin.delete("/groups/nothing"),
        await admin.get("/groups/nothing/users"),
        await admin.post("/groups/nothing/users", {"users": [gone]}),
        await admin.delete("/groups/nothing/users/nobody"),
    ):
        assert told(answer)[:2] == (404, "no_such_group")
    refused = told(await admin.http.put(f"/groups/{group}/roles", json={"roles": ["nothing"]}))
    assert refused == (422, "invalid_request", {"roles": "no_such_role"})
