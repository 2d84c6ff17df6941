"""People who make accounts for themselves. On a real database."""

import asyncio
from typing import Any

import pytest
from atoll.database.connection import connect
from atoll.identity import registration
from sqlalchemy import text

from tests.unit.platform.conftest import PASSWORD, RunningPlatform
from tests.unit.platform.people import a_role, account, audited, id_of, may, registered, told

MOST_WAITING = 3


@pytest.fixture
def different() -> dict[str, Any]:
    """Few may wait."""
    return {"registration": {"most_waiting": MOST_WAITING}}


def wanted(name: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "nickname": name, "password": PASSWORD, **changes}


async def test_who_registers_may_do_nothing_but_see_their_session(portal: RunningPlatform) -> None:
    http = portal.anonymous()
    made = await http.post("/registrations", json=wanted("ada", nickname="  Ada Lovelace "))
    assert (made.status_code, made.json()) == (201, {"name": "ada"})
    assert (await http.get("/about")).json()["registration"] is True
    assert "set-cookie" not in made.headers, "nobody is signed in by it"
    ada = await portal.sign_in("ada", PASSWORD)
    session = (await ada.get("/session")).json()
    assert (session["permissions"], session["virtual_clusters"], session["must_change_password"]) == ([], [], False)
    assert (session["user"]["nickname"], session["user"]["roles"]) == ("Ada Lovelace", [])
    for path in ("/overview", "/tasks", "/virtual-clusters", "/users", "/home/files"):
        refused = await ada.get(path)
        assert told(refused)[:2] == (403, "not_allowed"), f"who registered may use {path}"
    changed = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    assert (await ada.post("/session/password", changed)).is_success
    assert (await ada.delete("/session")).is_success


async def test_who_is_disabled_waits_in_no_list_and_no_count(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    for name in ("ada", "bob"):
        await registered(portal, name)
    bob = next(item for item in (await admin.get("/users")).json()["items"] if item["name"] == "bob")
    assert (await admin.post(f"/users/{bob['id']}/disable", {})).is_success
    for waiting, names in ((True, ["ada"]), (False, ["admin", "bob"])):
        found = (await admin.get("/users", params={"waiting": waiting})).json()["items"]
        assert [item["name"] for item in found] == names, "the list and the count are of different users"
    assert (await admin.get("/user-management")).json()["waiting"] == 1


async def test_an_administrator_finds_who_waits_and_gives_them_rights(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    waiting = (await admin.get("/users", params={"waiting": True})).json()["items"]
    assert [item["name"] for item in waiting] == ["ada"]
    assert [item["name"] for item in (await admin.get("/users", params={"waiting": False})).json()["items"]] == [
        "admin"
    ]
    counts = (await admin.get("/user-management")).json()
    assert counts == {"users": 2, "waiting": 1, "groups": 0, "roles": 3}
    assert (await admin.http.put(f"/users/{waiting[0]['id']}/roles", json={"roles": ["user"]})).is_success
    assert "tasks:create" in await may(ada)
    assert (await ada.get("/overview")).is_success
    assert (await admin.get("/users", params={"waiting": True})).json()["items"] == []
    assert (await admin.get("/user-management")).json()["waiting"] == 0
    assert ("user.register", "ada", {}) in await audited(admin, "user")


async def test_bad_input_is_told_at_its_field_and_makes_nothing(portal: RunningPlatform) -> None:
    http = portal.anonymous()
    for changes, field, code in (
        ({"name": "Ada"}, "name", "string_pattern_mismatch"),
        ({"name": "a"}, "name", "string_too_short"),
        ({"nickname": "   "}, "nickname", "string_too_short"),
        ({"nickname": "x" * 65}, "nickname", "string_too_long"),
        ({"nickname": "Ada\nadmin"}, "nickname", "string_pattern_mismatch"),
        ({"nickname": "Ada\u202enimda"}, "nickname", "string_pattern_mismatch"),
        ({"password": "short"}, "password", "too_short"),
        ({"password": "It-is-ADA-again"}, "password", "contains_name"),
        ({"roles": ["admin"]}, "roles", "extra_forbidden"),
    ):
        status, _, mistakes = told(await http.post("/registrations", json=wanted("ada") | changes))
        assert (status, mistakes) == (422, {field: code}), changes
    admin = await portal.admin()
    assert [item["name"] for item in (await admin.get("/users")).json()["items"]] == ["admin"]


async def test_a_name_that_is_or_was_anothers_is_taken(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    gone = (await admin.post("/users", account("gone"))).json()["id"]
    assert (await admin.post(f"/users/{gone}/delete", {})).is_success
    http = portal.anonymous()
    for name in ("admin", "gone"):
        assert told(await http.post("/registrations", json=wanted(name))) == (409, "name_taken", {"name": "name_taken"})


async def test_only_so_many_accounts_wait_for_their_rights_also_by_requests_at_once(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    http = portal.anonymous()
    answers = await asyncio.gather(
        *(http.post("/registrations", json=wanted(f"person{n}")) for n in range(MOST_WAITING + 1))
    )
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses == [201] * MOST_WAITING + [409], "any number waits for rights"
    refused = next(answer for answer in answers if answer.status_code == 409).json()
    assert (refused["code"], refused["params"]) == ("too_many_waiting", {"limit": MOST_WAITING})
    people = (await admin.get("/users", params={"waiting": True})).json()["items"]
    # Who has a role, is in a group, is disabled or deleted waits for nothing.
    role = await a_role(admin, "Nothing yet", "annotation")
    group = {"name": "Some", "description": "Some", "roles": [role], "users": [people[1]["id"]]}
    for number, freed in enumerate(
        (
            admin.http.put(f"/users/{people[0]['id']}/roles", json={"roles": [role]}),
            admin.post("/groups", group),
            admin.post(f"/users/{people[2]['id']}/disable", {}),
        )
    ):
        assert (await freed).is_success
        assert (await http.post("/registrations", json=wanted(f"later{number}"))).status_code == 201, number
        assert (await http.post("/registrations", json=wanted("too-late"))).status_code == 409, number


async def test_tries_of_an_address_are_limited_whatever_becomes_of_them(portal: RunningPlatform) -> None:
    """Each says whether there is such a name."""
    at = {number: portal.anonymous(**{"X-Forwarded-For": f"198.51.100.{number}"}) for number in (1, 2)}
    tries = [await at[1].post("/registrations", json=wanted("admin")) for _ in range(registration.MOST_OF_ADDRESS)]
    assert {answer.status_code for answer in tries} == {409}
    for name in ("admin", "ada"):
        refused = await at[1].post("/registrations", json=wanted(name))
        assert told(refused)[:2] == (429, "too_many_attempts"), "one address asks for names without end"
        assert refused.headers["retry-after"] == "900"
    assert (await at[2].post("/registrations", json=wanted("ada"))).status_code == 201


async def test_tries_of_all_addresses_together_are_limited(portal: RunningPlatform) -> None:
    database = connect(portal.configuration, pool_size=1)

    async def tried(number: int) -> None:
        query = "INSERT INTO sign_in_failures (key, at) SELECT 'registrations', now() FROM generate_series(1, :number)"
        async with database.begin() as connection:
            await connection.execute(text(query), {"number": number})

    await tried(registration.MOST_IN_ALL - 1)
    assert (await portal.anonymous().post("/registrations", json=wanted("ada"))).status_code == 201
    late = await portal.anonymous().post("/registrations", json=wanted("eve"))
    assert late.status_code == 429, "many addresses ask for names without end"
    await database.dispose()


async def test_who_registered_is_told_apart_in_the_audit_from_who_was_made(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    records = (await admin.get("/audit", params={"action": "user.register"})).json()["items"]
    (record,) = [item for item in records if item["action"] == "user.register"]
    assert (record["actor_name"], record["object_id"], record["outcome"]) == ("ada", await id_of(ada), "done")
