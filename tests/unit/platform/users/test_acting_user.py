"""For whom the control service takes the word of the platform: its question, asked of the platform's own tables."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from atoll.database.connection import connect
from atoll.images.policy import IMAGES_READ
from atoll.services.policy import RUNS_READ, SERVICES_OPERATE, SERVICES_READ
from atoll.tasks.policy import TASKS_CREATE
from sqlalchemy import text

from installer.control.accounts import PSQL, QUERY, Need
from installer.control.callers import CALLERS, NEEDS
from installer.dev.postgres import PORT, _programs
from tests.unit.platform.conftest import PASSWORD, RunningPlatform
from tests.unit.platform.people import id_of
from tests.unit.platform.programs import program_of

# Each operation that the platform asks of the control service, with the permission of its routes that lead there.
PERMISSIONS = {
    "images_describe": TASKS_CREATE,
    "images_list": IMAGES_READ,
    "ports_list": SERVICES_READ,
    "runs_events": RUNS_READ,
    "runs_get": RUNS_READ,
    "runs_list": RUNS_READ,
    "services_act": SERVICES_OPERATE,
    "services_list": SERVICES_READ,
    "services_logs": SERVICES_READ,
}
OF_ADMINISTRATORS, OF_USERS = NEEDS["services_list"], NEEDS["images_list"]
FIRST = "somebody-elses-choice"


@pytest.fixture
def may(postgres: str, database_name: str, platform: RunningPlatform) -> Callable[..., bool]:
    def ask(name: str, need: Need = OF_ADMINISTRATORS) -> bool:
        where = [f"--host={postgres}", f"--port={PORT}", "--username=postgres", f"--dbname={database_name}"]
        argv = [
            str(_programs() / PSQL[0]),
            *PSQL[1:],
            "--quiet",
            *where,
            f"--set=name={name}",
            f"--set=grants={need.permission},{need.kind}",
        ]
        ran = subprocess.run(argv, input=QUERY, capture_output=True, text=True, timeout=30, check=True)
        assert ran.stdout.strip() in ("", "may")
        return ran.stdout.strip() == "may"

    return ask


async def test_the_database_answers_for_administrators_that_are_enabled_and_signed_in(
    platform: RunningPlatform, may: Callable[..., bool]
) -> None:
    admin = await platform.admin()
    await platform.user(admin, "ada")
    assert may("admin")
    assert not may("ada"), "signed in, and no administrator"
    assert may("ada", OF_USERS)
    assert not may("nobody")
    assert not may("admin' OR 'a' = 'a"), "a name is a value, not a part of the question"
    made = await admin.post("/users", {"name": "eve", "nickname": "Eve", "password": FIRST, "roles": ["admin"]})
    assert made.status_code == 201, made.text
    assert not may("eve"), "an administrator, and not signed in"
    assert not may("eve", OF_USERS), "not signed in"
    eve = await platform.sign_in("eve", FIRST)
    assert not may("eve"), "with a password of somebody else's"
    assert not may("eve", OF_USERS), "with a password of somebody else's"
    await eve.post("/session/password", {"current_password": FIRST, "new_password": PASSWORD})
    assert may("eve")
    assert (await admin.post(f"/users/{made.json()['id']}/disable", {})).is_success
    assert not may("eve")
    assert not may("eve", OF_USERS)


async def test_who_is_not_signed_in_asks_by_a_token_that_is_used_and_has_it_in_its_scope(
    platform: RunningPlatform, may: Callable[..., bool]
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada", roles=["admin"])
    for grants in (["services:read", "tasks:create"], ["platform"]):
        await program_of(platform, ada, *grants)
    assert (await ada.delete("/session")).status_code == 204
    assert not may("ada"), "a token that nobody uses is no sign of her"
    assert not may("ada", OF_USERS)
    again = await platform.sign_in("ada", PASSWORD)
    narrow, wide = await program_of(platform, again, "services:read"), await program_of(platform, again, "platform")
    assert (await again.delete("/session")).status_code == 204
    assert (await narrow.get("/session")).status_code == 200
    assert may("ada", NEEDS["services_logs"])
    assert not may("ada", NEEDS["services_act"]), "the token does not open it"
    assert not may("ada", OF_USERS)
    assert (await wide.get("/session")).status_code == 200
    assert may("ada", OF_USERS)
    database = connect(platform.configuration, pool_size=1)
    for change in (
        "UPDATE access_tokens SET last_used_at = now() - interval '6 minutes'",
        "UPDATE access_tokens SET last_used_at = now(), expires_at = now()",
    ):
        async with database.begin() as connection:
            await connection.execute(text(change))
        assert not may("ada", NEEDS["services_logs"]), change
    async with database.begin() as connection:
        await connection.execute(text("UPDATE access_tokens SET expires_at = now() + interval '1 day'"))
    await database.dispose()
    assert may("ada", NEEDS["services_logs"])
    assert (await admin.http.put(f"/users/{await id_of(narrow)}/roles", json={"roles": ["user"]})).is_success
    assert not may("ada", NEEDS["services_logs"]), "her token opens more than she may do"


async def test_a_single_permission_is_enough_also_by_a_group_and_no_other_one_is(
    platform: RunningPlatform, may: Callable[..., bool]
) -> None:
    admin = await platform.admin()
    ada = (await (await platform.user(admin, "ada")).get("/session")).json()["user"]["id"]
    role = (await admin.post("/roles", {"name": "Watch", "grants": ["services:read"]})).json()["id"]
    group = {"name": "Ops", "description": "Who watches", "roles": [role], "users": [ada]}
    made = await admin.post("/groups", group)
    assert made.status_code == 201, made.text
    assert may("ada", NEEDS["services_logs"])
    assert not may("ada", NEEDS["services_act"])
    assert not may("ada", NEEDS["runs_list"])
    assert (await admin.delete(f"/groups/{made.json()['id']}/users/{ada}")).is_success
    assert not may("ada", NEEDS["services_logs"])
    assert (await admin.post(f"/roles/{role}/users", {"users": [ada]})).is_success
    assert may("ada", NEEDS["services_logs"])


def test_the_control_service_asks_for_the_permissions_that_the_platform_asks_for() -> None:
    needed = {operation: (need.permission, frozenset({need.kind})) for operation, need in NEEDS.items()}
    assert needed == {operation: (held.name, held.kinds) for operation, held in PERMISSIONS.items()}
    assert CALLERS["platform"].operations == PERMISSIONS.keys()
