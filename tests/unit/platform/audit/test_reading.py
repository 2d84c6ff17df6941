"""The audit is read by who may: what the filters say, newest first, page by page. On a real database."""

from datetime import timedelta
from typing import Any

import pytest
from atoll.database.connection import Sessions

from tests.unit.platform.audit.conftest import NOON, minutes, row, write
from tests.unit.platform.conftest import Client, RunningPlatform
from tests.unit.platform.people import a_role, account, id_of, registered, told


async def found(client: Client, **filters: Any) -> list[str]:
    """The names of what the records of these filters are about."""
    answer = await client.get("/audit", params=filters)
    assert answer.status_code == 200, answer.text
    return [item["object_name"] for item in answer.json()["items"]]


ROWS = [
    row(NOON, object_name="first", object_id="id-1"),
    row(NOON + minutes(1), object_name="Second_one", actor_name="bob", outcome="denied", action="request.denied"),
    row(NOON + minutes(2), object_name="second", action="user.create", object_kind="user", address="command line"),
    row(NOON + minutes(3), object_name="SECOND%", outcome="failed", action="service.restart", object_kind="service"),
    row(NOON + minutes(4), object_name="id-1 is only its name", actor_name="root@host", action="user.delete"),
    row(NOON + minutes(5), object_name="userless", action="users.unheard_of", address="198.51.100.70"),
]


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, [5, 4, 3, 2, 1, 0]),
        ({"since": "0001-01-01T00:00:00+14:00"}, [5, 4, 3, 2, 1, 0]),
        ({"until": "9999-12-31T23:59:59-12:00", "actor": "bob"}, [1]),
        ({"since": "0001-01-01T00:00:00Z"}, [5, 4, 3, 2, 1, 0]),
        ({"since": "9999-12-31T23:59:59Z"}, []),
        ({"until": "0001-01-01T00:00:00Z"}, []),
        ({"actor": "bob"}, [1]),
        ({"actor": "bo"}, []),
        ({"actor": "root@host"}, [4]),
        ({"action": "user.create"}, [2]),
        ({"action": "user"}, [4, 2]),
        ({"action": "use_"}, []),
        ({"action": "task"}, [0]),
        ({"outcome": "done"}, [5, 4, 2, 0]),
        ({"outcome": "denied"}, [1]),
        ({"outcome": "failed"}, [3]),
        ({"address": "command line"}, [2]),
        ({"address": "198.51.100.7"}, [4, 3, 1, 0]),
        ({"object": "second"}, [3, 2, 1]),
        ({"object": "SECOND"}, [3, 2, 1]),
        ({"object": "second_"}, [1]),
        ({"object": "second%"}, [3]),
        ({"object": "econd"}, []),
        ({"object": "id-1"}, [4, 0]),
        ({"since": (NOON + minutes(4)).isoformat()}, [5, 4]),
        ({"until": (NOON + minutes(2)).isoformat()}, [1, 0]),
        ({"since": (NOON + minutes(1)).isoformat(), "until": (NOON + minutes(2)).isoformat()}, [1]),
        ({"since": "2026-03-04T20:05:00+08:00"}, [5]),
        ({"object": "second", "outcome": "done", "actor": "ada"}, [2]),
        ({"actor": "", "action": "", "object": "", "address": ""}, [5, 4, 3, 2, 1, 0]),
    ],
)
async def test_filters_say_which_records_there_are(
    portal: RunningPlatform, opened: Sessions, filters: dict[str, str], wanted: list[int]
) -> None:
    await write(opened, ROWS)
    admin = await portal.admin()
    until = {"until": (NOON + timedelta(days=1)).isoformat()}
    assert await found(admin, **(until | filters)) == [ROWS[each]["object_name"] for each in wanted]


async def test_a_row_that_counts_up_is_found_by_its_moment_though_its_id_is_of_the_minutes_begin(
    portal: RunningPlatform, opened: Sessions
) -> None:
    at = NOON + timedelta(seconds=59)
    folded = row(NOON, object_name="folded") | {"at": at}
    await write(opened, [folded])
    admin = await portal.admin()
    assert await found(admin, since=at.isoformat(), until=(at + minutes(1)).isoformat()) == ["folded"]
    assert await found(admin, until=at.isoformat()) == []


async def test_pages_go_on_where_the_one_before_ended_also_with_filters(
    portal: RunningPlatform, opened: Sessions
) -> None:
    rows = [row(NOON + minutes(n), object_name=f"n{n}", actor_name=("ada", "bob")[n % 2]) for n in range(10)]
    await write(opened, rows)
    admin = await portal.admin()
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        query = {"actor": "bob", "limit": 2, **({"cursor": cursor} if cursor else {})}
        page = (await admin.get("/audit", params=query)).json()
        seen += [item["object_name"] for item in page["items"]]
        cursor = page["next_cursor"]
    assert (seen, cursor) == (["n9", "n7", "n5", "n3", "n1"], None)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"since": "yesterday"}, "since"),
        ({"since": "2026-03-04T12:00:00"}, "since"),
        ({"outcome": "refused"}, "outcome"),
        ({"limit": "201"}, "limit"),
        ({"cursor": "?"}, "cursor"),
    ],
)
async def test_filters_that_cannot_be_meant_are_named(
    portal: RunningPlatform, query: dict[str, str], field: str
) -> None:
    status, _, mistakes = told(await (await portal.admin()).get("/audit", params=query))
    assert (status, [*mistakes]) == (422, [field])


async def test_a_record_is_read_by_its_id(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    assert (await admin.post("/users", account("ada"))).is_success
    (made,) = (await admin.get("/audit", params={"action": "user.create"})).json()["items"]
    assert (await admin.get(f"/audit/{made['id']}")).json() == made
    assert made["actor"]["name"] == made["actor_name"] == "admin"
    assert (made["object_name"], made["address"]) == ("ada", "127.0.0.1")
    assert told(await admin.get("/audit/nothing")) == (404, "no_such_record", {})


async def test_actors_are_accounts_by_their_names_and_others_by_the_begin_of_theirs(
    portal: RunningPlatform, opened: Sessions
) -> None:
    admin = await portal.admin()
    for name, nickname in (("ada", "Lovelace"), ("adam", "First"), ("eve", "Lo_e")):
        assert (await admin.post("/users", account(name, nickname=nickname))).is_success
    gone = (await admin.get("/users", params={"words": "adam"})).json()["items"][0]["id"]
    assert (await admin.post(f"/users/{gone}/delete", {})).is_success
    others = ["ada@desk", "ada@desk", "adm%in@desk", "root@host"]
    await write(opened, [row(NOON + minutes(n), actor_name=name) for n, name in enumerate(others)])

    async def names(words: str, **more: Any) -> list[str]:
        answer = await admin.get("/audit/actors", params={"words": words, **more})
        return [item["name"] for item in answer.json()["items"]]

    assert await names("ada") == ["ada", "adam", "ada@desk"]
    assert await names("ada", limit=2) == ["ada", "adam"]
    assert await names("love") == ["ada"]
    assert await names("first adam") == ["adam"]
    assert await names("lo_") == ["eve"]
    assert await names("root") == ["root@host"]
    assert await names("oot") == []
    assert await names("adm%") == ["adm%in@desk"]
    assert await names("") == ["ada", "adam", "admin", "eve"], "without words: accounts alone"
    items = (await admin.get("/audit/actors", params={"words": "ada"})).json()["items"]
    assert items[0] == {"name": "ada", "nickname": "Lovelace"}
    assert items[-1] == {"name": "ada@desk", "nickname": ""}


async def test_who_may_read_the_audit_reads_it_and_nothing_else_opens_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    every = [each["name"] for each in (await admin.get("/permissions")).json()["permissions"]]
    ada, bob = await registered(portal, "ada"), await registered(portal, "bob")
    role = await a_role(admin, "Auditor", "audit:read")
    others = await a_role(admin, "All else", *(name for name in every if name != "audit:read"))
    assert (await admin.http.put(f"/users/{await id_of(ada)}/roles", json={"roles": [role]})).is_success
    assert (await admin.http.put(f"/users/{await id_of(bob)}/roles", json={"roles": [others]})).is_success
    for ask in ("/audit", "/audit/actors", "/audit/nothing"):
        assert (await ada.get(ask)).status_code in (200, 404)
        assert (await bob.get(ask)).status_code == 403, f"{ask} is open to who may not read the audit"
    assert (await ada.post("/audit/export")).status_code == 200
    assert (await bob.post("/audit/export")).status_code == 403
