"""Ten thousand accounts: lists are as quick as with ten, and take as few questions. On a real database."""

import re
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.bench.people import DEEP, LISTS, TYPE_AHEAD, TYPED
from tests.unit.platform.company import MANY, Plans, company, owner, plans
from tests.unit.platform.conftest import Client, RunningPlatform
from tests.unit.platform.people import a_group, a_role, id_of, may, registered
from tests.unit.platform.round_trips import asked

__all__ = ["asked", "company", "owner", "plans"]
PEOPLE = {"users", "user_roles", "group_members", "virtual_cluster_members"}
# Who is in nothing is found by a look at all who are in something.
OF_ALL = ("/users waiting",)
# How many there are is counted: in all, who hold a role (most have the same), who are members of each of fifty.
COUNTED = (
    "SELECT count(*)",
    "SELECT user_roles.role_id, count(*)",
    "SELECT members.virtual_cluster_id, count(*)",
)
SECONDS = 2.0


async def questions(asked: Counter[str], client: Any, path: str, **params: Any) -> int:
    """How often the database is asked for a page, once statements are prepared."""
    took = []
    for _ in range(8):
        asked.clear()
        answer = await client.get(path, params=params)
        assert answer.status_code == 200, answer.text
        took.append(asked[f"/api/v1{path}"])
    return min(took)


async def test_a_page_of_ten_thousand_takes_as_few_questions_as_a_page_of_one(
    company: RunningPlatform, asked: Counter[str]
) -> None:
    admin = await company.admin()
    # Who asks is one, begin and end of the transaction are two; then the page, and what accounts have is one each.
    most = {
        "/users": 3 + 7,
        "/groups": 3 + 4,
        "/roles": 3 + 3,
        "/roles/user/users": 3 + 2,
        "/groups/g007/users": 3 + 2,
    }
    for path, wanted in most.items():
        one, full = [await questions(asked, admin, path, limit=limit) for limit in (1, 200)]
        assert one == full <= wanted, path
        assert one > 3, "nothing was counted"
    began = time.monotonic()
    cursor = (await admin.get("/users", params={"limit": 200})).json()["next_cursor"]
    for query in (
        {"cursor": cursor},
        {"words": "hopper 77"},
        {"words": "nobody of that name"},
        {"role": "annotator"},
        {"group": "g007"},
        {"waiting": True},
    ):
        assert (await admin.get("/users", params={"limit": 200} | query)).is_success
    deleted = MANY.users // 100
    assert (await admin.get("/user-management")).json()["users"] == MANY.users - deleted + 1
    assert time.monotonic() - began < 7 * SECONDS


async def test_a_session_shows_all_that_its_user_has_by_one_question(
    portal: RunningPlatform, asked: Counter[str]
) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    user = await id_of(ada)
    before = await questions(asked, ada, "/session")
    roles = [await a_role(admin, f"Role {n}", grant) for n, grant in enumerate(("nodes:read", "overview:read"))]
    for n in range(5):
        await a_group(admin, f"Group {n}", roles, [user])
    assert (await admin.http.put(f"/users/{user}/roles", json={"roles": roles})).is_success
    assert await may(ada) == ["nodes:read", "overview:read"]
    assert await questions(asked, ada, "/session") == before <= 3 + 1


async def whole_tables(client: Client, plans: Plans, path: str, params: Mapping[str, Any]) -> list[str]:
    """Tables of people that are looked at from end to end for an answer."""
    plans.found.clear()
    answer = await client.get(path, params=dict(params))
    assert answer.status_code == 200, answer.text
    told = []
    for statement, plan in await plans.of_all():
        asked = " ".join(statement.split())
        for table in re.findall(r"Seq Scan on (\w+)", plan):
            if table in PEOPLE and not asked.startswith(COUNTED):
                told.append(f"{path} {dict(params)} looks at all of {table}: {asked[:600]}\n{plan}")
    return told


async def test_lists_look_at_no_table_of_people_from_end_to_end(company: RunningPlatform, plans: Plans) -> None:
    admin = await company.admin()
    cursor = (await admin.get("/users")).json()["next_cursor"]
    told = []
    for path, params in LISTS:
        if " ".join((path, *params)) not in OF_ALL:
            query = {**params, "cursor": cursor} if DEEP in params.values() else params
            told += await whole_tables(admin, plans, path, query)
    assert not told, "\n".join(told)


async def test_type_ahead_looks_at_no_table_of_people_from_end_to_end(company: RunningPlatform, plans: Plans) -> None:
    admin = await company.admin()
    told = []
    for words in TYPED:
        for typed in {words[:1], words[:3], words}:
            for path in TYPE_AHEAD:
                told += await whole_tables(admin, plans, path, {"words": typed, "limit": 20})
    assert not told, "\n".join(told)


async def found(client: Client, words: str) -> list[str]:
    items = (await client.get("/users", params={"words": words, "limit": 200})).json()["items"]
    return [each["name"] for each in items]


async def test_letters_anywhere_in_names_and_addresses_find_a_user_however_few_and_however_written(
    portal: RunningPlatform,
) -> None:
    """The index holds runs of three letters and fewer: nothing that a look at each row would find is missed."""
    admin = await portal.admin()
    for name, more in {
        "ada": {"nickname": "Ada Lovelace", "email": "ada@example.org"},
        "wei": {"nickname": "王小明", "phone": "+86 138 0000"},
        "odd": {"nickname": "100%_a\\b 'x' \"y\"", "email": ""},
        "none": {"nickname": "-"},
    }.items():
        account = {"name": name, "password": "first-for-" + "x" * 8, "roles": ["user"], **more}
        made = await admin.post("/users", account)
        assert made.status_code == 201, made.text
    for words, names in {
        "a": ["ada", "admin", "odd"],
        "LOVE": ["ada"],
        "velac": ["ada"],
        "lace@": [],
        "ada love org": ["ada"],
        "example.org": ["ada"],
        "王": ["wei"],
        "小明": ["wei"],
        "王小明": ["wei"],
        "138 0000": ["wei"],
        "%": ["odd"],
        "%_a": ["odd"],
        "a\\b": ["odd"],
        "'x' \"y\"": ["odd"],
        "dad": [],
    }.items():
        assert await found(admin, words) == names, f"{words!r} finds others"
    (ada,) = (await admin.get("/users", params={"words": "ada"})).json()["items"]
    changed = await admin.http.patch(f"/users/{ada['id']}", json={"nickname": "Augusta"})
    assert changed.is_success, changed.text
    assert await found(admin, "gust") == ["ada"], "who was renamed is not found by the new name"
    assert await found(admin, "lovel") == []
