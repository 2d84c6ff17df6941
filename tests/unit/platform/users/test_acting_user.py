"""For whom the control service takes the word of the platform: its question, asked of the platform's own tables."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from installer.control.accounts import PSQL, QUERY
from installer.dev.postgres import PORT, _programs
from tests.unit.platform.conftest import PASSWORD, RunningPlatform

FIRST = "somebody-elses-choice"


@pytest.fixture
def may(postgres: str, database_name: str, platform: RunningPlatform) -> Callable[[str], bool]:
    def ask(name: str) -> bool:
        where = [f"--host={postgres}", f"--port={PORT}", "--username=postgres", f"--dbname={database_name}"]
        argv = [str(_programs() / PSQL[0]), *PSQL[1:], "--quiet", *where, f"--set=name={name}"]
        ran = subprocess.run(argv, input=QUERY, capture_output=True, text=True, timeout=30, check=True)
        assert ran.stdout.strip() in ("", "may")
        return ran.stdout.strip() == "may"

    return ask


async def test_the_database_answers_for_administrators_that_are_enabled_and_signed_in(
    platform: RunningPlatform, may: Callable[[str], bool]
) -> None:
    admin = await platform.admin()
    await platform.user(admin, "ada")
    assert may("admin")
    assert not may("ada"), "signed in, and no administrator"
    assert not may("nobody")
    assert not may("admin' OR 'a' = 'a"), "a name is a value, not a part of the question"
    made = await admin.post("/users", {"name": "eve", "password": FIRST, "roles": ["admin", "user"]})
    assert made.status_code == 201, made.text
    assert not may("eve"), "an administrator, and not signed in"
    eve = await platform.sign_in("eve", FIRST)
    assert not may("eve"), "with a password of somebody else's"
    await eve.post("/session/password", {"current_password": FIRST, "new_password": PASSWORD})
    assert may("eve")
    assert (await admin.post(f"/users/{made.json()['id']}/disable", {})).is_success
    assert not may("eve")
