"""The audit as a file: all that the filters select or nothing, a part at a time, and itself in the audit."""

import asyncio
import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from atoll.audit import export
from atoll.audit.repository import AuditRepository, Found
from atoll.database.connection import Sessions

from tests.unit.platform.audit.conftest import NOON, minutes, row, write
from tests.unit.platform.conftest import Client, RunningPlatform
from tests.unit.platform.people import account, id_of, told


def read(answer: httpx.Response) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    assert answer.content.startswith(b"\xef\xbb\xbf"), "spreadsheet programs take it for another encoding"
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


async def test_a_file_has_what_the_filters_select_newest_first_and_harmless(
    portal: RunningPlatform, opened: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "AT_ONCE", 3)
    names = ["=cmd|' /C calc'!A0", "+1", '"quoted", with a comma', "two\nlines", "李雷", "plain", "@x", "-1", "n"]
    rows = [row(NOON + minutes(n), object_name=name, details={"名": name}) for n, name in enumerate(names)]
    await write(opened, [*rows, row(NOON + minutes(60), object_name="later")])
    admin = await portal.admin()
    answer = await admin.post("/audit/export", params={"until": (NOON + minutes(30)).isoformat()})
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    assert b"\r\n" in answer.content
    lines = read(answer)
    dangerous = ("=", "+", "-", "@")
    assert [each["object_name"] for each in lines] == [
        f"'{name}" if name.startswith(dangerous) else name for name in reversed(names)
    ], "a cell would be run as a formula"
    assert json.loads(lines[-1]["details"]) == {"名": names[0]}
    assert lines[0]["at"] == (NOON + minutes(len(names) - 1)).isoformat()
    assert (lines[0]["id"], lines[0]["actor_name"], lines[0]["action"]) == (rows[-1]["id"], "ada", "task.create")


async def test_who_exports_what_is_in_the_audit_and_not_in_the_file(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    assert (await admin.post("/users", account("ada"))).is_success
    filters = {"action": "user", "actor": "admin", "outcome": "done", "since": "2026-01-01T00:00:00+00:00"}
    lines = read(await admin.post("/audit/export", params=filters))
    assert [each["action"] for each in lines] == ["user.create", "user.change_password"]
    assert "audit.export" not in {each["action"] for each in read(await admin.post("/audit/export"))[1:]} | {
        lines[0]["action"]
    }
    second, first = (await admin.get("/audit", params={"action": "audit.export"})).json()["items"]
    assert (first["actor_name"], first["outcome"]) == ("admin", "done")
    assert first["details"] == {"records": 2, **filters}
    assert second["details"]["records"] == len((await admin.get("/audit")).json()["items"]) - 1


async def test_nothing_selected_is_a_file_with_nothing_but_its_head(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    answer = await admin.post("/audit/export", params={"actor": "nobody"})
    assert read(answer) == []
    assert answer.content.decode("utf-8-sig").strip() == ",".join(f'"{name}"' for name in export.AuditExport.head)


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 422)])
async def test_more_than_a_file_may_have_is_refused_with_the_number_and_leaves_no_record(
    portal: RunningPlatform, opened: Sessions, monkeypatch: pytest.MonkeyPatch, more: int, status: int
) -> None:
    monkeypatch.setattr(export, "MOST_RECORDS", 5)
    await write(opened, [row(NOON + minutes(n), actor_name="bob") for n in range(5 + more)])
    admin = await portal.admin()
    answer = await admin.post("/audit/export", params={"actor": "bob"})
    assert answer.status_code == status
    records = (await admin.get("/audit", params={"action": "audit.export"})).json()["items"]
    if more:
        assert told(answer) == (422, "too_many_records", {})
        assert answer.json()["params"] == {"limit": 5}
        assert records == []
    else:
        assert len(read(answer)) == records[0]["details"]["records"] == 5


class Held:
    """The second part of each file waits until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.go = asyncio.Event(), asyncio.Event()
        self.limits: list[int] = []
        usual = AuditRepository.page
        held = self

        async def page(repository: AuditRepository, *arguments: Any, limit: int, after: str | None) -> Found:
            if limit == export.AT_ONCE:
                held.limits.append(limit)
                if len(held.limits) > 1:
                    held.reached.set()
                    await held.go.wait()
            return await usual(repository, *arguments, limit=limit, after=after)

        monkeypatch.setattr(AuditRepository, "page", page)


async def in_parts(
    portal: RunningPlatform, opened: Sessions, monkeypatch: pytest.MonkeyPatch
) -> tuple[Client, Client, Held]:
    """Two administrators, seven records of bob's that are read by threes, and the hold of a part."""
    monkeypatch.setattr(export, "AT_ONCE", 3)
    await write(opened, [row(NOON + minutes(n), actor_name="bob") for n in range(7)])
    admin = await portal.admin()
    return admin, await portal.user(admin, "eve", roles=["admin"]), Held(monkeypatch)


async def test_a_user_has_one_export_at_a_time_and_others_have_theirs(
    portal: RunningPlatform, opened: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, eve, held = await in_parts(portal, opened, monkeypatch)
    first = asyncio.create_task(admin.post("/audit/export", params={"actor": "bob"}))
    await asyncio.wait_for(held.reached.wait(), 10)
    again = await admin.post("/audit/export")
    assert told(again) == (429, "export_running", {})
    assert int(again.headers["retry-after"]) > 0
    assert len((await admin.get("/audit", params={"action": "audit.export"})).json()["items"]) == 1
    others = asyncio.create_task(eve.post("/audit/export", params={"actor": "nobody"}))
    held.go.set()
    assert read(await others) == []
    assert len(read(await first)) == 7
    assert (await admin.post("/audit/export", params={"actor": "nobody"})).is_success, "it is taken for good"


async def test_no_more_than_a_part_is_read_at_a_time_and_what_comes_meanwhile_is_left_out(
    portal: RunningPlatform, opened: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "AT_ONCE", 3)
    await write(opened, [row(NOON + minutes(n), actor_name="bob", object_name=str(n)) for n in range(7)])
    admin = await portal.admin()
    held = Held(monkeypatch)
    asking = asyncio.create_task(admin.post("/audit/export", params={"actor": "bob"}))
    await asyncio.wait_for(held.reached.wait(), 10)
    await write(opened, [row(datetime.now(UTC) + minutes(9), actor_name="bob", object_name="new")])
    held.go.set()
    assert [each["object_name"] for each in read(await asking)] == [*"6543210"]
    assert len(held.limits) == 4, "three parts, and that there is no more"


async def test_a_file_is_broken_off_when_its_reader_may_no_longer(
    portal: RunningPlatform, opened: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, eve, held = await in_parts(portal, opened, monkeypatch)
    asking = asyncio.create_task(eve.post("/audit/export", params={"actor": "bob"}))
    await asyncio.wait_for(held.reached.wait(), 10)
    assert (await admin.http.put(f"/users/{await id_of(eve)}/roles", json={"roles": ["user"]})).is_success
    try:
        async with asyncio.timeout(10):
            with pytest.raises(httpx.RemoteProtocolError):
                await asking
    except (TimeoutError, httpx.ReadTimeout):
        pytest.fail("a file goes on whose reader may no longer")
    finally:
        held.go.set()
    assert (await eve.post("/audit/export")).status_code == 403
