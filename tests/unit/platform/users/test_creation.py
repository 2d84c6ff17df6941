"""New accounts, one by one and several at once. On a real database."""

from typing import Any

import pytest

from tests.unit.platform.conftest import PASSWORD, RunningPlatform
from tests.unit.platform.people import FIRST, a_group, a_role, account, audited, told

ADA = account("ada", nickname=" Ada Lovelace ", phone=" +49 (30) 123-4 ", email=" ada@example.org ")


async def names(admin: Any) -> list[str]:
    return [item["name"] for item in (await admin.get("/users")).json()["items"]]


async def test_a_new_account_has_all_that_was_given_and_must_change_its_password(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Watch", "nodes:read")
    group = await a_group(admin, "Ops", [role])
    body = ADA | {"roles": ["user", "user"], "groups": [group], "virtual_clusters": ["default", "default"]}
    made = await admin.post("/users", body)
    assert made.status_code == 201, made.text
    ada = made.json()
    assert (ada["nickname"], ada["phone"], ada["email"]) == ("Ada Lovelace", "+49 (30) 123-4", "ada@example.org")
    assert ada["roles"] == [{"id": "user", "name": "User"}]
    assert ada["groups"] == [{"id": group, "name": "Ops"}]
    assert [each["name"] for each in ada["virtual_clusters"]] == ["default"]
    assert (ada["active"], ada["protected"], ada["must_change_password"]) == (True, False, True)
    assert ada["home"] == str(portal.configuration.storage.root / "home/ada")
    assert made.headers["etag"] == f'"{ada["version"]}"'
    assert (await admin.get(f"/users/{ada['id']}")).json() == ada
    assert (await admin.get("/users", params={"words": "ada"})).json()["items"] == [ada]
    signed_in = await portal.sign_in("ada", FIRST)
    assert (await signed_in.get("/session")).json()["permissions"] == []
    changed = {"current_password": FIRST, "new_password": PASSWORD}
    session = (await signed_in.post("/session/password", changed)).json()
    assert {"nodes:read", "tasks:create"} <= set(session["permissions"])
    assert session["virtual_clusters"] == ada["virtual_clusters"]
    assert (session["user"]["email"], session["user"]["phone"]) == (ada["email"], ada["phone"])
    details = {"roles": ["User"], "groups": ["Ops"], "virtual_clusters": ["default"]}
    assert ("user.create", "ada", details) in await audited(admin, "user")


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"nickname": None}, "nickname", "missing"),
        ({"nickname": ""}, "nickname", "string_too_short"),
        ({"roles": None}, "roles", "missing"),
        ({"roles": []}, "roles", "too_short"),
        ({"roles": ["user", "nothing"]}, "roles", "no_such_role"),
        ({"groups": ["nothing"]}, "groups", "no_such_group"),
        ({"virtual_clusters": ["nowhere"]}, "virtual_clusters", "no_such_virtual_cluster"),
        ({"email": "ada"}, "email", "no_email"),
        ({"email": "a da@example.org"}, "email", "no_email"),
        ({"email": "ada@example"}, "email", "no_email"),
        ({"phone": "ask ada"}, "phone", "no_phone"),
        ({"phone": "+"}, "phone", "no_phone"),
        ({"phone": "1" * 33}, "phone", "string_too_long"),
        ({"password": "Ada-and-more"}, "password", "contains_name"),
    ],
)
async def test_bad_input_is_told_at_its_field_and_makes_nothing(
    portal: RunningPlatform, changes: dict[str, Any], field: str, code: str
) -> None:
    admin = await portal.admin()
    body = {key: value for key, value in (account("ada") | changes).items() if value is not None}
    status, _, mistakes = told(await admin.post("/users", body))
    assert (status, mistakes) == (422, {field: code})
    assert await names(admin) == ["admin"]


async def test_a_name_that_is_or_was_anothers_is_taken(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    gone = (await admin.post("/users", account("gone"))).json()["id"]
    assert (await admin.post(f"/users/{gone}/delete", {})).is_success
    for name in ("admin", "gone"):
        assert told(await admin.post("/users", account(name))) == (409, "name_taken", {"name": "name_taken"})


def several(*people: dict[str, Any], **more: Any) -> dict[str, Any]:
    users = [{key: value for key, value in each.items() if key != "roles"} for each in people]
    return {"users": users, "roles": ["user"], **more}


async def test_several_accounts_are_made_at_once_with_the_same_rights(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    group = await a_group(admin, "Ops", ["annotator"])
    people = [ADA, *(account(f"person-{n}", password=f"{FIRST}-{n}") for n in range(9))]
    made = await admin.post("/users/batch", several(*people, groups=[group], virtual_clusters=["default"]))
    assert made.status_code == 201, made.text
    items = made.json()["items"]
    assert [item["name"] for item in items] == [each["name"] for each in people]
    assert items[0]["email"] == "ada@example.org"
    for item in items:
        assert (item["roles"], item["groups"]) == ([{"id": "user", "name": "User"}], [{"id": group, "name": "Ops"}])
        assert [each["name"] for each in item["virtual_clusters"]] == ["default"]
    assert len({item["uid"] for item in items}) == 10
    await portal.sign_in("person-7", f"{FIRST}-7")
    assert [action for action, _, _ in await audited(admin, "user")].count("user.create") == 10


async def test_of_several_accounts_all_are_made_or_none_and_mistakes_are_told_at_their_fields(
    portal: RunningPlatform,
) -> None:
    admin = await portal.admin()
    ada, bob, eve = account("ada"), account("bob"), account("eve")
    for body, wanted in (
        (several(ada, account("admin")), (409, "name_taken", {"users.1.name": "name_taken"})),
        (several(ada, bob, ada), (422, "invalid_request", {"users.2.name": "name_taken"})),
        (several(ada, bob | {"password": "short"}), (422, "invalid_request", {"users.1.password": "too_short"})),
        (
            several(ada | {"password": "not-ADA-again"}, bob, eve | {"password": "not-eve-again"}),
            (422, "contains_name", {"users.0.password": "contains_name", "users.2.password": "contains_name"}),
        ),
        (
            several(ada | {"password": "not-ada-again"}, bob, bob),
            (422, "invalid_request", {"users.0.password": "contains_name", "users.2.name": "name_taken"}),
        ),
        (several(ada, bob | {"nickname": ""}), (422, "invalid_request", {"users.1.nickname": "string_too_short"})),
        (several(ada, bob | {"email": "bob"}), (422, "invalid_request", {"users.1.email": "no_email"})),
        (several(ada, roles=["nothing"]), (422, "invalid_request", {"roles": "no_such_role"})),
        (several(ada, bob, groups=["nothing"]), (422, "invalid_request", {"groups": "no_such_group"})),
        (
            several(ada, bob, virtual_clusters=["default", "nowhere"]),
            (422, "invalid_request", {"virtual_clusters": "no_such_virtual_cluster"}),
        ),
        (several(), (422, "invalid_request", {"users": "too_short"})),
        (several(*(account(f"person-{n}") for n in range(11))), (422, "invalid_request", {"users": "too_long"})),
    ):
        assert told(await admin.post("/users/batch", body)) == wanted
        assert await names(admin) == ["admin"]


async def test_accounts_are_found_by_words_role_and_group(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    group = await a_group(admin, "Ops", ["annotator"])
    assert (await admin.post("/users", ADA | {"groups": [group]})).is_success
    assert (await admin.post("/users", account("bob", roles=["annotator"], email="bob@other.example"))).is_success
    for query, found in (
        ({"words": "LOVE"}, ["ada"]),
        ({"words": "example"}, ["ada", "bob"]),
        ({"words": "example.org"}, ["ada"]),
        ({"words": "123-4"}, ["ada"]),
        ({"words": "ada bob"}, []),
        ({"words": "ada ada@"}, ["ada"]),
        ({"words": "%"}, []),
        ({"role": "annotator"}, ["bob"]),
        ({"role": "user"}, ["ada"]),
        ({"group": group}, ["ada"]),
        ({"group": group, "role": "annotator"}, []),
        ({"role": "nothing"}, []),
    ):
        items = (await admin.get("/users", params=query)).json()["items"]
        assert [item["name"] for item in items] == found, query
