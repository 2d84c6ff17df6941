"""People of a platform and what they may do, as tests make them by the API."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
from atoll.api.application import application as api_application
from atoll.api.contents import ensure_contents
from atoll.configuration import Configuration
from atoll.database.connection import connect, sessions
from atoll.database.rights import API
from atoll.engines.repository import NodeRepository

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform, as_service, configuration, serving
from tests.unit.platform.rows import a_node

OWN = ["settings:read", "settings:write"]  # with their own, whoever may do anything at all
FIRST = "somebody-elses-choice"
Audited = tuple[str, str, dict[str, Any]]


@pytest.fixture
async def portal(
    tmp_path: Path, postgres: str, database_name: str, different: dict[str, Any]
) -> AsyncIterator[RunningPlatform]:
    """The API with its database, and nothing behind it: enough for what people may do, and ready at once."""
    usual = configuration(tmp_path, postgres, database_name)
    settings = Configuration.model_validate(usual.model_dump(exclude={*different}) | different) if different else usual
    database = connect(settings, pool_size=1)
    await ensure_contents(sessions(database), settings)
    await database.dispose()
    async with serving(api_application(as_service(settings, API))) as port:
        running = RunningPlatform(settings, f"http://127.0.0.1:{port}")
        try:
            yield running
        finally:
            for client in running.clients:
                await client.aclose()


async def with_machines(platform: RunningPlatform) -> None:
    """There is a machine on which tasks could run; without `jobs` none does."""
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session, session.begin():
        await NodeRepository(session).replace([a_node("node1")])
    await database.dispose()


def account(name: str, **more: Any) -> dict[str, Any]:
    """What a new account takes at least."""
    return {"name": name, "nickname": name, "password": FIRST, "roles": ["user"], **more}


async def registered(platform: RunningPlatform, name: str) -> Client:
    """Somebody who made an account for themselves, signed in."""
    wanted = {"name": name, "nickname": name, "password": PASSWORD}
    made = await platform.anonymous().post("/registrations", json=wanted)
    assert made.status_code == 201, made.text
    return await platform.sign_in(name, PASSWORD)


async def id_of(client: Client) -> str:
    """The id of a user."""
    found: str = (await client.get("/session")).json()["user"]["id"]
    return found


async def may(client: Client) -> list[str]:
    """The permissions that a user has now, but for those that come with whatever is granted."""
    return [each for each in (await client.get("/session")).json()["permissions"] if each not in OWN]


async def a_role(admin: Client, name: str, *grants: str) -> str:
    """The id of a new role."""
    made = await admin.post("/roles", {"name": name, "grants": [*grants]})
    assert made.status_code == 201, made.text
    found: str = made.json()["id"]
    return found


async def a_group(admin: Client, name: str, roles: Sequence[str], users: Sequence[str] = ()) -> str:
    """The id of a new group."""
    body = {"name": name, "description": f"Of {name}", "roles": [*roles], "users": [*users]}
    made = await admin.post("/groups", body)
    assert made.status_code == 201, made.text
    found: str = made.json()["id"]
    return found


def told(answer: httpx.Response) -> tuple[int, str, dict[str, str]]:
    """Status, code, and the codes of mistakes by their fields; of what succeeds the status alone."""
    if answer.is_success:
        return answer.status_code, "", {}
    said = answer.json()
    return answer.status_code, said["code"], {item["field"]: item["code"] for item in said["errors"]}


async def audited(admin: Client, kind: str) -> list[Audited]:
    """What was done to users, groups or roles, from the first on: action, name, details."""
    items = (await admin.get("/audit", params={"limit": 200})).json()["items"]
    return [
        (one["action"], one["object_name"], one["details"]) for one in reversed(items) if one["object_kind"] == kind
    ]


async def at_once(*requests: Any) -> list[httpx.Response]:
    """The answers of requests that are sent together."""
    return list(await asyncio.gather(*requests))


async def lose_rights(admin: Client, user_id: str, how: str) -> None:
    """Have an administrator take them: disabled, deleted, or demoted."""
    match how:
        case "disabled":
            done = await admin.post(f"/users/{user_id}/disable", {})
        case "deleted":
            done = await admin.post(f"/users/{user_id}/delete", {})
        case _:
            done = await admin.http.put(f"/users/{user_id}/roles", json={"roles": ["user"]})
    assert done.is_success, done.text
