"""For whom the control service takes the word of the platform: its question, asked of the platform's own tables."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from atoll.identity import permissions as roles
from atoll.images.policy import IMAGES_READ
from atoll.services.policy import RUNS_READ, SERVICES_OPERATE, SERVICES_READ
from atoll.tasks.policy import TASKS_CREATE

from installer.control.accounts import ADMINISTRATORS, EVERYBODY, PSQL, QUERY
from installer.control.callers import CALLERS, OF_EVERYBODY
from installer.dev.postgres import PORT, _programs
from tests.unit.platform.conftest import PASSWORD, RunningPlatform

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
FIRST = "somebody-elses-choice"


@pytest.fixture
def may(postgres: str, database_name: str, platform: RunningPlatform) -> Callable[..., bool]:
    def ask(name: str, roles: frozenset[str] = ADMINISTRATORS) -> bool:
        where = [f"--host={postgres}", f"--port={PORT}", "--username=postgres", f"--dbname={database_name}"]
        argv = [
            str(_programs() / PSQL[0]),
            *PSQL[1:],
            "--quiet",
            *where,
            f"--set=name={name}",
            f"--set=roles={','.join(roles)}",
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
    assert may("ada", EVERYBODY)
    assert not may("nobody")
    assert not may("admin' OR 'a' = 'a"), "a name is a value, not a part of the question"
    made = await admin.post("/users", {"name": "eve", "password": FIRST, "roles": ["admin", "user"]})
    assert made.status_code == 201, made.text
    assert not may("eve"), "an administrator, and not signed in"
    assert not may("eve", EVERYBODY), "not signed in"
    eve = await platform.sign_in("eve", FIRST)
    assert not may("eve"), "with a password of somebody else's"
    assert not may("eve", EVERYBODY), "with a password of somebody else's"
    await eve.post("/session/password", {"current_password": FIRST, "new_password": PASSWORD})
    assert may("eve")
    assert (await admin.post(f"/users/{made.json()['id']}/disable", {})).is_success
    assert not may("eve")
    assert not may("eve", EVERYBODY)


def test_the_roles_are_those_of_the_platform() -> None:
    assert (roles.ADMINISTRATORS, roles.EVERYBODY) == (ADMINISTRATORS, EVERYBODY)


def test_the_control_service_asks_for_the_roles_that_the_platform_asks_for() -> None:
    needed = {operation: EVERYBODY if operation in OF_EVERYBODY else ADMINISTRATORS for operation in PERMISSIONS}
    assert needed == {operation: permission.roles for operation, permission in PERMISSIONS.items()}
    assert CALLERS["platform"].operations == PERMISSIONS.keys()
