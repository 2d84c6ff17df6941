"""`python -m atoll.users import`: no account is kept whose password was not written down. On a real database."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from atoll.database.rights import API
from atoll.users.csv_file import MOST_BYTES
from atoll.users.exchange import WRITTEN_DOWN

from tests.unit.platform.conftest import RunningPlatform, as_service
from tests.unit.platform.people import audited
from tests.unit.platform.users.test_import import EVE, accounts, file

CODE = Path(__file__).parents[4] / "platform"
Started = Callable[..., Any]


@pytest.fixture
def started(portal: RunningPlatform, tmp_path: Path) -> Started:
    """The program, which was handed a file."""
    where = tmp_path / "config.yaml"
    settings = as_service(portal.configuration, API)
    where.write_text(yaml.safe_dump(json.loads(settings.model_dump_json(exclude_none=True))))

    @asynccontextmanager
    async def start(content: bytes, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "atoll.users", "import", "--by=ops@host", *arguments),
            env={**os.environ, "ATOLL_CONFIG": str(where), "PYTHONPATH": str(CODE)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=16 << 20,
        )
        assert process.stdin is not None
        process.stdin.write(f"{len(content)}\n".encode() + content)
        await process.stdin.drain()
        try:
            yield process
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    return start


async def told(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    async with asyncio.timeout(60):
        answer: dict[str, Any] = json.loads(await process.stdout.readline())
    return answer


async def test_accounts_are_kept_once_their_passwords_were_written_down(
    portal: RunningPlatform, started: Started
) -> None:
    admin = await portal.admin()
    async with started(file(EVE)) as process:
        answer = await told(process)
        assert [each["name"] for each in answer["passwords"]] == ["eve"]
        assert await accounts(admin) == ["admin"], "it was kept before anybody has its password"
        process.stdin.write(WRITTEN_DOWN)
        assert await told(process) == {"kept": True}
        assert await process.wait() == 0
    await portal.sign_in("eve", answer["passwords"][0]["password"])
    records = (await admin.get("/audit", params={"actor": "ops@host"})).json()["items"]
    assert [each["action"] for each in records] == ["user.import", "user.create"]
    assert {each["address"] for each in records} == {"command line"}


@pytest.mark.parametrize("said", [b"", b"no\n", b"written dow"])
async def test_none_is_kept_when_that_is_not_said(portal: RunningPlatform, started: Started, said: bytes) -> None:
    admin = await portal.admin()
    async with started(file(EVE)) as process:
        await told(process)
        process.stdin.write(said)
        process.stdin.close()
        assert (await told(process)).get("code") == "not_written_down", "accounts are kept whose passwords nobody has"
        assert await process.wait() == 1
    assert await accounts(admin) == ["admin"]
    assert "user.import" not in [action for action, _, _ in await audited(admin, "user")]


async def test_none_is_kept_when_the_way_to_who_asked_breaks(portal: RunningPlatform, started: Started) -> None:
    admin = await portal.admin()
    async with started(file(EVE)) as process:
        await told(process)
        process.kill()
        await process.wait()
    assert await accounts(admin) == ["admin"]


async def test_a_dry_run_and_what_is_refused_wait_for_nothing(portal: RunningPlatform, started: Started) -> None:
    admin = await portal.admin()
    async with started(file(EVE), "--dry-run") as process:
        answer = await told(process)
        assert (answer["dry_run"], answer["new"], answer["passwords"]) == (True, 1, [])
        assert await process.wait() == 0
    for content, code, place in (
        (file("eve,,,,User,,"), "string_too_short", "2.nickname"),
        (b" " * (MOST_BYTES + 10), "file_too_large", ""),
        (b"", "file_without_lines", ""),
    ):
        async with started(content) as process:
            answer = await told(process)
            assert answer["code"] == "users_file_mistakes"
            assert [(each["field"], each["code"]) for each in answer["errors"]] == [(place, code)]
            assert "Mend them in the file" in answer["remedy"]
            assert await process.wait() == 1
    assert await accounts(admin) == ["admin"]


async def test_who_is_there_already_is_skipped_by_the_command_too(portal: RunningPlatform, started: Started) -> None:
    admin = await portal.admin()
    async with started(file("admin,A,,,User,,", EVE), "--skip-existing") as process:
        answer = await told(process)
        assert (answer["new"], answer["existing"]) == (1, 1)
        process.stdin.write(WRITTEN_DOWN)
        assert await process.wait() == 0
    assert await accounts(admin) == ["admin", "eve"]
