"""No record holds a password or a token, whatever is done and wherever somebody typed it. On a real database.

Of the secrets of tasks, tests/unit/platform/tasks/test_submit.py tries it.
"""

import json
from typing import Any

from atoll.database.connection import connect
from sqlalchemy import text

from tests.unit.platform.conftest import ADMIN_PASSWORD, PASSWORD, RunningPlatform
from tests.unit.platform.people import a_group, a_role, account, registered

EVERY_ROW = "SELECT to_jsonb(audit)::text FROM audit"
TYPED = "correct-horse-battery"  # looks like a user name


async def every_row(portal: RunningPlatform) -> str:
    """All that is kept, as one text."""
    database = connect(portal.configuration, pool_size=1)
    async with database.connect() as connection:
        found = "\n".join((await connection.scalars(text(EVERY_ROW))).all())
    await database.dispose()
    return found


async def test_nothing_that_is_done_to_accounts_leaves_a_secret_in_the_audit(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    secrets: dict[str, str] = {"first of admin": ADMIN_PASSWORD, "of admin": PASSWORD}

    def made(name: str, **more: Any) -> dict[str, Any]:
        secrets[f"first of {name}"] = f"initial-of-{len(secrets)}-xyzzy"
        return account(name, password=secrets[f"first of {name}"], **more)

    role = await a_role(admin, "Watch", "nodes:read")
    ada = (await admin.post("/users", made("ada", roles=[role], phone="+49 30 1", email="a@b.example"))).json()["id"]
    bob = {key: value for key, value in made("bob").items() if key != "roles"}
    eve = (await admin.post("/users/batch", {"users": [bob], "roles": ["user"]})).json()["items"][0]["id"]
    await a_group(admin, "Ops", ["user"], [ada])
    given = await admin.post(f"/users/{ada}/reset-password")
    secrets["one-time"] = given.json()["password"]
    own = await portal.sign_in("ada", secrets["one-time"])
    secrets["new"] = "a-new-one-of-hers"
    wrong = {"current_password": "not-hers-at-all", "new_password": "never-taken-over"}
    assert (await own.post("/session/password", wrong)).status_code == 422
    changed = {"current_password": secrets["one-time"], "new_password": secrets["new"]}
    assert (await own.post("/session/password", changed)).is_success
    secrets |= {"wrong": wrong["current_password"], "not taken": wrong["new_password"]}
    assert (await own.post("/users", made("mallory"))).status_code == 403
    for action in ("disable", "enable", "end-sessions", "delete"):
        assert (await admin.post(f"/users/{eve}/{action}", {})).is_success
    await registered(portal, "carol")
    for client in (own, admin):
        secrets |= {f"cookie {name} of {client.name}": str(value) for name, value in client.http.cookies.items()}
    assert (await own.delete("/session")).is_success
    kept = await every_row(portal)
    actions = {json.loads(line)["action"] for line in kept.splitlines()}
    assert len(actions) >= 12, f"hardly anything was done: {actions}"
    found = {name for name, secret in secrets.items() if secret in kept or secret.lower() in kept}
    assert not found, "in clear in the audit"
    assert "argon2" not in kept, "a hash is in the audit"


async def test_a_password_that_was_typed_as_the_name_is_not_kept(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    assert (await admin.post("/users", account("ada"))).is_success
    http = portal.anonymous()
    for name in (TYPED, TYPED.upper(), f"{TYPED}!", "ada"):
        assert (await http.post("/session", json={"name": name, "password": "whatever-else"})).status_code == 401
    rows = (await admin.get("/audit", params={"action": "session.create", "outcome": "failed"})).json()["items"]
    kept = {(row["actor_name"], row["object_name"]) for row in rows}
    assert kept == {("", ""), ("ada", "ada")}, "what was typed as a name is kept"
    nameless = sum(row["details"]["times"] for row in rows if not row["actor_name"])
    assert nameless == 3, "that somebody tried is kept nevertheless"
    assert TYPED not in (await every_row(portal)).lower()
