"""Accounts as administrators manage them: disable, enable, reset a password, end sessions. All of it is real."""

import asyncio
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from atoll.database.connection import connect
from atoll.database.rights import API
from sqlalchemy import text

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform, as_service, eventually, training

SECONDS = 5
ENDLESS = "import time\ntime.sleep(120)\n"
LARGE = 200 << 20


async def account(admin: Client, name: str) -> dict[str, Any]:
    items = (await admin.get("/users", params={"words": name})).json()["items"]
    found: dict[str, Any] = next(item for item in items if item["name"] == name)
    return found


async def act(admin: Client, name: str, verb: str, body: Any = None, **headers: str) -> httpx.Response:
    found = await account(admin, name)
    return await admin.post(f"/users/{found['id']}/{verb}", body, headers=headers)


async def test_who_is_disabled_is_signed_out_and_cannot_come_back_until_enabled(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    disabled = await act(admin, "ada", "disable", {})
    assert (disabled.status_code, disabled.json()["active"], disabled.json()["sessions"]) == (200, False, 0)
    assert (await ada.get("/session")).status_code == 401
    wrong = await platform.anonymous().post("/session", json={"name": "ada", "password": PASSWORD})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_credentials")
    assert [item["name"] for item in (await admin.get("/users", params={"active": False})).json()["items"]] == ["ada"]
    assert (await act(admin, "ada", "enable")).json()["active"] is True
    await platform.sign_in("ada", PASSWORD)


async def test_a_stream_of_who_is_disabled_ends_within_seconds(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    eve = await platform.user(admin, "eve")
    async with (
        asyncio.timeout(30),
        ada.http.stream("GET", "/tasks/stream") as cut,
        eve.http.stream("GET", "/tasks/stream") as kept,
    ):
        lines, others = cut.aiter_lines(), kept.aiter_lines()
        await anext(lines)
        await anext(others)
        began = time.monotonic()
        assert (await act(admin, "ada", "disable", {})).is_success
        try:
            async with asyncio.timeout(2 * SECONDS):
                async for _ in lines:
                    pass
        except TimeoutError:
            pytest.fail("the stream of who is disabled goes on")
        assert time.monotonic() - began < SECONDS
        assert (await eve.get("/session")).is_success
        heard = [line async for line in _until_silent(others)]
        assert not kept.is_closed, heard


async def _until_silent(lines: Any) -> Any:
    try:
        while True:
            yield await asyncio.wait_for(anext(lines), 0.5)
    except TimeoutError:
        return


async def test_a_download_of_who_is_disabled_is_cut_within_seconds_also_when_it_is_read_slowly(
    platform: RunningPlatform,
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    await ada.get("/home/files")
    with (platform.home("ada") / "large").open("wb") as file:
        file.truncate(LARGE)
    async with (
        asyncio.timeout(60),
        ada.http.stream("GET", "/home/files/content", params={"path": "large"}) as answer,
    ):
        assert answer.headers["content-length"] == str(LARGE)
        chunks = answer.aiter_raw()
        got = len(await anext(chunks))
        assert (await act(admin, "ada", "disable", {})).is_success
        await asyncio.sleep(SECONDS)  # nothing is read meanwhile: what was on its way is all that comes
        with pytest.raises(httpx.RemoteProtocolError):
            got += await total(chunks, LARGE / 4)


async def total(chunks: AsyncIterator[bytes], most: float) -> int:
    """How much comes; far less than the whole."""
    got = 0
    async for chunk in chunks:
        got += len(chunk)
        assert got < most
    return got


@pytest.mark.parametrize("stop", [False, True])
async def test_tasks_of_who_is_disabled_go_on_unless_they_are_stopped(
    platform: RunningPlatform, program: Any, stop: bool
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    program("ada", ENDLESS)
    task_id = (await ada.post("/trainings", training(devices=1))).json()["id"]
    await ada.until(task_id, "running")
    assert (await account(admin, "ada"))["unfinished_tasks"] == 1
    assert (await act(admin, "ada", "disable", {"stop_tasks": stop})).is_success
    if stop:
        assert (await admin.until(task_id, "killed"))["reason"]["params"] == {"user": "admin"}
    else:
        await asyncio.sleep(2)
        assert (await admin.task(task_id))["state"] == "running"
        await admin.post(f"/tasks/{task_id}/stop")
        await admin.until(task_id, "killed")


async def test_a_one_time_password_is_told_once_and_must_be_changed(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    given = (await act(admin, "ada", "reset-password")).json()
    password = given["password"]
    assert re.fullmatch(r"([a-z2-9]{5}-){3}[a-z2-9]{5}", password)
    assert (await ada.get("/session")).status_code == 401
    assert (await platform.anonymous().post("/session", json={"name": "ada", "password": PASSWORD})).status_code == 401
    again = await platform.sign_in("ada", password)
    refused = await again.get("/overview")
    assert refused.json().get("code") == "must_change_password", "a one-time password opens all, and for good"
    changed = {"current_password": password, "new_password": PASSWORD + "-2"}
    assert (await again.post("/session/password", changed)).is_success
    assert (await again.get("/overview")).is_success
    for listed in ("/audit", "/users"):
        assert password not in (await admin.get(listed)).text, f"a one-time password is told again by {listed}"
    database = connect(platform.configuration, pool_size=1)
    async with database.connect() as connection:
        kept = str((await connection.execute(text("SELECT * FROM users"))).all())
    await database.dispose()
    assert password not in kept


async def test_ending_sessions_signs_out_everywhere_and_lets_back_in(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    other = await platform.sign_in("ada", PASSWORD)
    assert (await account(admin, "ada"))["sessions"] == 2
    assert (await act(admin, "ada", "end-sessions")).json()["sessions"] == 0
    assert [(await each.get("/session")).status_code for each in (ada, other)] == [401, 401]
    await platform.sign_in("ada", PASSWORD)


async def test_what_was_changed_meanwhile_is_not_changed_again(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    await platform.user(admin, "ada")
    seen = f'"{(await account(admin, "ada"))["version"]}"'
    read = await admin.get(f"/users/{(await account(admin, 'ada'))['id']}")
    assert read.headers["etag"] == seen
    assert (await act(admin, "ada", "disable", {}, **{"If-Match": seen})).is_success
    late = await act(admin, "ada", "enable", **{"If-Match": seen})
    assert (late.status_code, late.json()["code"]) == (412, "changed_meanwhile")


async def test_who_did_what_to_an_account_is_in_the_audit(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    await platform.user(admin, "ada")
    for verb, body in (("disable", {}), ("enable", None), ("reset-password", None), ("end-sessions", None)):
        assert (await act(admin, "ada", verb, body)).is_success
    records = (await admin.get("/audit")).json()["items"]
    kept = [(item["actor_name"], item["action"]) for item in records if item["object_name"] == "ada"]
    for action in ("user.disable", "user.enable", "user.reset_password", "user.end_sessions"):
        assert ("admin", action) in kept


CODE = Path(__file__).parents[4] / "platform"


async def command(platform: RunningPlatform, tmp_path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """`python -m atoll.users`, as `./atoll users` runs it in a pod."""
    where = tmp_path / "config.yaml"
    settings = as_service(platform.configuration, API)
    where.write_text(yaml.safe_dump(json.loads(settings.model_dump_json(exclude_none=True))))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "atoll.users", *arguments),
        env={**os.environ, "ATOLL_CONFIG": str(where), "PYTHONPATH": str(CODE)},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    return process.returncode or 0, json.loads(out)


async def test_the_command_lets_an_administrator_back_in_when_nobody_can_sign_in(
    platform: RunningPlatform, tmp_path: Path
) -> None:
    admin = await platform.admin()
    code, listed = await command(platform, tmp_path, "list")
    assert (code, [item["name"] for item in listed["items"]]) == (0, ["admin"])
    code, refused = await command(platform, tmp_path, "disable", "admin", "--by=ops@host")
    assert (code, refused["code"]) == (1, "protected_account")
    code, given = await command(platform, tmp_path, "reset-password", "admin", "--by=ops@host")
    assert code == 0
    assert (await admin.get("/session")).status_code == 401
    back = await platform.sign_in("admin", given["password"])
    changed = {"current_password": given["password"], "new_password": PASSWORD + "-2"}
    assert (await back.post("/session/password", changed)).is_success
    records = (await back.get("/audit")).json()["items"]
    assert ("ops@host", "user.reset_password") in [(item["actor_name"], item["action"]) for item in records]
    code, refused = await command(platform, tmp_path, "enable", "nobody", "--by=ops@host")
    assert (code, refused["code"]) == (1, "no_such_user")


async def test_a_stopped_user_of_the_command_line_is_cut_off_too(platform: RunningPlatform, tmp_path: Path) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    async with asyncio.timeout(60), ada.http.stream("GET", "/tasks/stream") as answer:
        lines = answer.aiter_lines()
        await anext(lines)
        code, _ = await command(platform, tmp_path, "disable", "ada", "--by=ops@host")
        assert code == 0
        began = time.monotonic()
        async for _ in lines:
            pass
        assert time.monotonic() - began < SECONDS

    async def signed_out() -> bool:
        return (await ada.get("/session")).status_code == 401

    await eventually(signed_out)
