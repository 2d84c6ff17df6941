"""Files of users: all lines are checked first, and all are made, or none. On a real database."""

import asyncio
import csv
import io
from typing import Any

import httpx
import pytest
from atoll.users.csv_file import MOST_IN_CELL
from atoll.users.understanding import MOST_TOLD

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import a_group, a_role, account, audited, told

HEAD = "User name,Nickname,Phone,E-mail,Roles,Groups,Virtual clusters"
ADA = "ada,Ada Lovelace,+49 30 1234,ada@example.org,User;Watch,Ops,default"
EVE = "eve,伊娃,,,user,,"


def file(*lines: str, head: str = HEAD) -> bytes:
    """A file of these lines."""
    return "\n".join([head, *lines]).encode()


async def sent(client: Client, content: bytes, **params: bool) -> httpx.Response:
    asked = {name: str(value).lower() for name, value in params.items()}
    headers = {"Content-Type": "text/csv"}
    return await client.http.post("/users/import", content=content, params=asked, headers=headers)


async def looked(client: Client, content: bytes, **params: bool) -> dict[str, Any]:
    """What a dry run tells."""
    answer = await sent(client, content, dry_run=True, **params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert (found["dry_run"], found["passwords"]) == (True, []), "it was not only looked at"
    return found


def wrong(found: dict[str, Any]) -> dict[str, list[str]]:
    """The codes of mistakes by `line.column`."""
    placed: dict[str, list[str]] = {each["field"]: [each["code"]] for each in found["errors"]}
    for line in found["lines"]:
        for each in line["errors"]:
            placed.setdefault(f"{line['line']}.{each['field']}".rstrip("."), []).append(each["code"])
    return placed


async def accounts(client: Client) -> list[str]:
    return [item["name"] for item in (await client.get("/users", params={"limit": 200})).json()["items"]]


@pytest.fixture
async def admin(portal: RunningPlatform) -> Client:
    """The administrator of a platform that has a role `Watch` and a group `Ops`."""
    administrator = await portal.admin()
    role = await a_role(administrator, "Watch", "nodes:read")
    await a_group(administrator, "Ops", [role])
    return administrator


async def test_a_dry_run_tells_what_would_be_made_line_by_line_and_changes_nothing(admin: Client) -> None:
    before = (await admin.get("/audit")).json()["items"]
    found = await looked(admin, file(ADA, EVE))
    assert (found["new"], found["existing"], found["mistakes"], found["errors"]) == (2, 0, 0, [])
    assert found["encoding"] == "utf-8"
    ada, eve = found["lines"]
    assert ada == {
        "line": 2,
        "state": "new",
        "name": "ada",
        "nickname": "Ada Lovelace",
        "phone": "+49 30 1234",
        "email": "ada@example.org",
        "roles": ["User", "Watch"],
        "groups": ["Ops"],
        "virtual_clusters": ["default"],
        "errors": [],
    }
    assert (eve["line"], eve["nickname"], eve["roles"], eve["groups"]) == (3, "伊娃", ["User"], [])
    assert await accounts(admin) == ["admin"]
    assert (await admin.get("/audit")).json()["items"] == before


async def test_an_import_makes_what_the_lines_say_and_tells_each_password_once(
    portal: RunningPlatform, admin: Client
) -> None:
    answer = await sent(admin, file(ADA, EVE))
    assert answer.status_code == 200, answer.text
    made = answer.json()
    assert (made["dry_run"], made["new"], made["existing"], made["mistakes"], made["lines"]) == (False, 2, 0, 0, [])
    secrets = {each["name"]: each["password"] for each in made["passwords"]}
    assert list(secrets) == ["ada", "eve"]
    assert len({*secrets.values()}) == 2
    assert all(len(each) == 23 for each in secrets.values())
    ada, _, eve = (await admin.get("/users")).json()["items"]
    assert (ada["nickname"], ada["phone"], ada["email"]) == ("Ada Lovelace", "+49 30 1234", "ada@example.org")
    assert [role["name"] for role in ada["roles"]] == ["User", "Watch"]
    assert [group["name"] for group in ada["groups"]] == ["Ops"]
    assert [cluster["name"] for cluster in ada["virtual_clusters"]] == ["default"]
    assert (ada["active"], ada["version"]) == (True, 1)
    assert ada["must_change_password"], "a password that others have seen is good"
    assert (eve["nickname"], eve["phone"], eve["groups"], eve["virtual_clusters"]) == ("伊娃", "", [], [])
    assert ada["uid"] + 1 == eve["uid"]
    own = await portal.sign_in("ada", secrets["ada"])
    assert (await own.get("/session")).json()["permissions"] == []
    changed = {"current_password": secrets["ada"], "new_password": PASSWORD}
    assert "nodes:read" in (await own.post("/session/password", changed)).json()["permissions"]
    records = await audited(admin, "user")
    details = {"roles": ["User", "Watch"], "groups": ["Ops"], "virtual_clusters": ["default"]}
    assert ("user.create", "ada", details) in records
    assert ("user.import", "", {"made": 2, "existing": 0}) in records
    assert [action for action, _, _ in records].count("user.create") == 2


MISTAKES: list[tuple[str, dict[str, list[str]]]] = [
    (",Ada,,,User,,", {"2.name": ["string_too_short"]}),
    ("Ada,Ada,,,User,,", {"2.name": ["string_pattern_mismatch"]}),
    ("a,Ada,,,User,,", {"2.name": ["string_too_short"]}),
    ("ada,,,,User,,", {"2.nickname": ["string_too_short"]}),
    ("ada,Ada,call me,,User,,", {"2.phone": ["no_phone"]}),
    ("ada,Ada,,ada@example,User,,", {"2.email": ["no_email"]}),
    ("ada,Ada,,,,,", {"2.roles": ["too_short"]}),
    ("ada,Ada,,,User;Nobody;Nothing,,", {"2.roles": ["no_such_role", "no_such_role"]}),
    ("ada,Ada,,,User,Ops;None,", {"2.groups": ["no_such_group"]}),
    ("ada,Ada,,,User,,default;nowhere", {"2.virtual_clusters": ["no_such_virtual_cluster"]}),
    ("ada,Ada,,,User,,,x", {"2": ["too_many_cells"]}),
    ("admin,Admin,,,User,,", {"2.name": ["name_taken"]}),
    ("gone,Gone,,,User,,", {"2.name": ["name_of_deleted"]}),
    ("root,Root,,,User,,\nnobody,Nobody,,,User,,", {"2.name": ["name_taken"], "3.name": ["name_taken"]}),
    (f"{EVE}\n\n{EVE}", {"4.name": ["name_twice"]}),
    (f"ada,Ada,,,{';'.join(f'r{n}' for n in range(MOST_IN_CELL))},,", {"2.roles": ["no_such_role"] * MOST_IN_CELL}),
    (f"ada,Ada,,,{';'.join(f'r{n}' for n in range(MOST_IN_CELL + 1))},,", {"2.roles": ["too_long", "no_such_role"]}),
    (
        "Ada,,call me,ada,Nobody,None,nowhere",
        {
            "2.name": ["string_pattern_mismatch"],
            "2.nickname": ["string_too_short"],
            "2.phone": ["no_phone"],
            "2.email": ["no_email"],
            "2.roles": ["no_such_role"],
            "2.groups": ["no_such_group"],
            "2.virtual_clusters": ["no_such_virtual_cluster"],
        },
    ),
]


@pytest.mark.parametrize(("lines", "places"), MISTAKES)
async def test_every_mistake_is_told_at_its_line_and_column_and_nothing_is_made(
    admin: Client, lines: str, places: dict[str, list[str]]
) -> None:
    gone = (await admin.post("/users", account("gone"))).json()["id"]
    assert (await admin.post(f"/users/{gone}/delete", {})).is_success
    content = file(*lines.split("\n"), "bob,Bob,,,User,,")
    found = await looked(admin, content)
    assert wrong(found) == places
    assert found["mistakes"] == sum(map(len, places.values()))
    good = [line["name"] for line in found["lines"] if line["state"] == "new"]
    assert (found["new"], good[-1]) == (len(good), "bob")
    answer = await sent(admin, content)
    body = answer.json()
    assert (answer.status_code, body.get("code"), body.get("params")) == (
        422,
        "users_file_mistakes",
        {"count": found["mistakes"]},
    )
    refused: dict[str, list[str]] = {}
    for each in body["errors"]:
        refused.setdefault(each["field"], []).append(each["code"])
    assert refused == places
    assert await accounts(admin) == ["admin"]


async def test_a_file_that_cannot_be_meant_is_told_with_its_line(admin: Client) -> None:
    content = file("ada,secret", head="User name,Password")
    found = await looked(admin, content)
    assert (found["lines"], found["mistakes"], found["new"]) == ([], 2, 0)
    assert [(each["field"], each["code"]) for each in found["errors"]] == [
        ("1", "unknown_column"),
        ("1", "columns_missing"),
    ]
    answer = await sent(admin, content)
    assert told(answer)[:2] == (422, "users_file_mistakes")
    assert "secret" not in answer.text


async def test_who_is_there_already_is_a_mistake_unless_they_are_to_be_skipped(admin: Client) -> None:
    assert (await sent(admin, file(ADA))).is_success
    broken = "ada,,nonsense,,Nobody,Nothing,nowhere"
    content = file(broken, EVE)
    found = await looked(admin, file(ADA, EVE))
    assert wrong(found) == {"2.name": ["name_taken"]}
    assert told(await sent(admin, file(ADA, EVE)))[:2] == (422, "users_file_mistakes")
    found = await looked(admin, content, skip_existing=True)
    assert [(line["name"], line["state"]) for line in found["lines"]] == [("ada", "existing"), ("eve", "new")]
    assert (found["new"], found["existing"], found["mistakes"]) == (1, 1, 0)
    before = (await admin.get("/users", params={"words": "ada"})).json()
    made = (await sent(admin, content, skip_existing=True)).json()
    assert ([each["name"] for each in made["passwords"]], made["new"], made["existing"]) == (["eve"], 1, 1)
    assert (await admin.get("/users", params={"words": "ada"})).json() == before
    again = (await sent(admin, content, skip_existing=True)).json()
    assert (again["passwords"], again["new"], again["existing"]) == ([], 0, 2)
    assert ("user.import", "", {"made": 0, "existing": 2}) in await audited(admin, "user")


async def test_roles_and_groups_are_found_by_their_names_however_they_are_written(admin: Client) -> None:
    role = await a_role(admin, "系统管理员", "nodes:read")  # as the portal calls a preset one in Chinese
    await a_group(admin, "Ops; EU", [role])
    lines = [
        "aa,A,,,USER;watch,OPS,",
        "bb,B,,,普通用户；标注用户,Ops; EU,",
        "cc,C,,,System Admin,,",
        "dd,D,,,系统管理员,,",
        "ee,E,,,user;User;普通用户,Ops;ops,default;default",
    ]
    assert (await sent(admin, file(*lines))).is_success
    found = {item["name"]: item for item in (await admin.get("/users")).json()["items"]}

    def has(name: str, what: str) -> list[str]:
        return [each["name"] for each in found[name][what]]

    assert (has("aa", "roles"), has("aa", "groups")) == (["User", "Watch"], ["Ops"])
    assert (has("bb", "roles"), has("bb", "groups")) == (["Annotation person", "User"], ["Ops; EU"])
    assert has("cc", "roles") == ["System Admin"]
    assert [each["id"] for each in found["dd"]["roles"]] == [role], "what somebody called so goes before"
    assert (has("ee", "roles"), has("ee", "groups"), has("ee", "virtual_clusters")) == (["User"], ["Ops"], ["default"])


async def test_a_file_in_gbk_with_semicolons_is_told_as_such(admin: Client) -> None:
    content = "用户名;昵称;角色\r\nli-lei;李雷;普通用户\r\n".encode("gbk")
    found = await looked(admin, content)
    assert (found["encoding"], found["mistakes"], found["lines"][0]["nickname"]) == ("gb18030", 0, "李雷")


async def test_no_more_than_a_thousand_mistakes_are_told_and_all_are_counted(admin: Client) -> None:
    content = file(*(f"u{n},,,,User,," for n in range(MOST_TOLD + 7)))
    found = await looked(admin, content)
    assert found["mistakes"] == MOST_TOLD + 7
    assert sum(len(line["errors"]) for line in found["lines"]) == MOST_TOLD
    assert {line["state"] for line in found["lines"]} == {"wrong"}
    answer = await sent(admin, content)
    assert (len(answer.json()["errors"]), answer.json()["params"]) == (MOST_TOLD, {"count": MOST_TOLD + 7})


async def test_of_two_imports_of_the_same_names_at_once_one_makes_all(admin: Client) -> None:
    lines = [f"user-{n},User {n},,,User,," for n in range(200)]
    answers = await asyncio.gather(*(sent(admin, file(*lines)) for _ in range(2)))
    codes = sorted((answer.status_code, answer.json().get("code", "")) for answer in answers)
    assert codes[0] == (200, "")
    assert codes[1] in ((409, "changed_meanwhile"), (422, "users_file_mistakes"))
    items = (await admin.get("/users", params={"limit": 200, "words": "user-"})).json()["items"]
    assert len(items) == len({item["uid"] for item in items}) == 200


async def test_the_template_is_for_who_may_import_and_has_every_column(portal: RunningPlatform, admin: Client) -> None:
    for language, first in (("en", "User name"), ("zh", "用户名")):
        answer = await admin.get("/users/import/template", params={"language": language})
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        assert answer.content.startswith(b"\xef\xbb\xbf")
        (head,) = csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))
        assert (head[0], len(head)) == (first, 7)
        assert wrong(await looked(admin, answer.content)) == {"": ["file_without_lines"]}
        assert (await looked(admin, answer.content + EVE.encode()))["new"] == 1
    ada = await portal.user(admin, "ada")
    assert (await ada.get("/users/import/template")).status_code == 403
    assert (await sent(ada, file(EVE), dry_run=True)).status_code == 403
