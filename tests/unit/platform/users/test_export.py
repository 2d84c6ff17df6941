"""Users as a file: what an import of another installation reads, and in the audit. On a real database."""

import pytest
from atoll.users import export
from atoll.users.csv_file import read

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import a_group, a_role, account, audited
from tests.unit.platform.users.test_import import looked


async def test_what_is_exported_can_be_imported_as_it_is(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "AT_ONCE", 2)
    admin = await portal.admin()
    role = await a_role(admin, "Watch", "nodes:read")
    group = await a_group(admin, "=Ops", [role])
    people = [
        account("ada", nickname="=1+1", phone="+49 30 1", email="a@b.example", roles=["user", role], groups=[group]),
        account("bob", nickname='"B"; or b', virtual_clusters=["default"]),
        account("eve", nickname="李雷"),
    ]
    for each in people:
        assert (await admin.post("/users", each)).is_success
    answer = await admin.post("/users/export")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    text = answer.content.decode("utf-8-sig")
    assert '"ada","\'=1+1","\'+49 30 1","a@b.example","User;Watch","\'=Ops",""\r\n' in text, "it would be run"
    lines = [line.cells for line in read(answer.content).lines]
    assert [(line["name"], line["nickname"]) for line in lines] == [
        ("ada", "=1+1"),
        ("admin", "admin"),
        ("bob", '"B"; or b'),
        ("eve", "李雷"),
    ]
    assert (lines[0]["phone"], lines[0]["groups"], lines[2]["virtual_clusters"]) == ("+49 30 1", "=Ops", "default")
    found = await looked(admin, answer.content, skip_existing=True)
    assert (found["existing"], found["mistakes"]) == (4, 0)
    assert ("user.export", "users.csv", {}) in await audited(admin, "user")


async def test_an_export_has_what_the_filters_select_and_is_for_who_may_see_them(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    answer = await admin.post("/users/export", params={"words": "ad", "active": True, "role": "user"})
    assert [line.cells["name"] for line in read(answer.content).lines] == ["ada"], "others are in the file"
    details = {"words": "ad", "active": True, "role": "user"}
    assert ("user.export", "users.csv", details) in await audited(admin, "user")
    assert (await ada.post("/users/export")).status_code == 403


async def test_who_calls_a_role_as_two_others_are_called_has_neither_by_an_import(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "User;System Admin", "tasks:read")
    await portal.user(admin, "eve", roles=[role, "annotator"])
    exported = (await admin.post("/users/export", params={"words": "eve"})).content
    elsewhere = exported.replace(b'"eve"', b'"eve2"')
    (line,) = (await looked(admin, elsewhere))["lines"]
    made = (line["state"], sorted(line["roles"]))
    assert made == ("new", ["Annotation person", "User;System Admin"]), "a name made somebody an administrator"
    assert (await admin.delete(f"/roles/{role}")).is_success
    (line,) = (await looked(admin, elsewhere))["lines"]
    assert (line["state"], line["roles"]) == ("wrong", ["Annotation person"])
