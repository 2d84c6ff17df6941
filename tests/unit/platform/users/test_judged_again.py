"""Every write of the API, asked for by somebody who loses their rights while it waits: it is not done.

The operations are those of the matrix: one that judges its asker at the beginning alone fails here. On a real database.
"""

import asyncio
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from atoll.identity.dependencies import Guard
from atoll.identity.rights import dependencies
from atoll.web.requests import SAFE_METHODS
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import Client, RunningPlatform, eventually, training
from tests.unit.platform.people import a_group, a_role, account, id_of, told, with_machines
from tests.unit.platform.users.test_races import WAITING, owner
from tests.unit.platform.web.test_permission_matrix import GUARDS

__all__ = ["owner"]

# Why an operation that writes is not among those that are tried.
ELSEWHERE = {
    "POST /audit/export": "test_nothing_is_exported_by_who_may_no_longer_before_the_first_byte",
    "POST /users/export": "test_nothing_is_exported_by_who_may_no_longer_before_the_first_byte",
    "POST /users/import": "test_who_loses_their_rights_while_accounts_are_made_makes_none",
    "POST /services/{name}/restart": "the control service judges by itself, and the database is not waited for",
    "POST /trainings/estimate": "it changes nothing",
}
BODIES: dict[str, Any] = {
    "POST /users": account("backdoor", roles=["admin"]),
    "POST /users/batch": {"users": [{"name": "backdoor", "nickname": "b", "password": "x" * 12}], "roles": ["admin"]},
    "PATCH /users/{user_id}": {"nickname": "Other"},
    "PUT /users/{user_id}/roles": {"roles": []},
    "PUT /users/{user_id}/groups": {"groups": []},
    "POST /users/{user_id}/delete": {"stop_tasks": True},
    "POST /users/{user_id}/disable": {"stop_tasks": True},
    "POST /groups": {"name": "New", "description": "New", "roles": ["user"]},
    "PATCH /groups/{group_id}": {"description": "Other"},
    "PUT /groups/{group_id}/roles": {"roles": ["admin"]},
    "POST /groups/{group_id}/users": {"users": ["{eve}"]},
    "POST /roles": {"name": "New", "grants": ["platform"]},
    "PATCH /roles/{role_id}": {"grants": ["administration"]},
    "POST /roles/{role_id}/users": {"users": ["{eve}"]},
    "POST /roles/{role_id}/groups": {"groups": ["{group_id}"]},
    "POST /virtual-clusters": {"name": "new", "devices": {}},
    "PATCH /virtual-clusters/{cluster_id}": {"max_hours": 20},
    "POST /virtual-clusters/{cluster_id}/extend": {"hours": 1},
    "POST /virtual-clusters/{cluster_id}/members": {"users": ["{eve}"]},
    "POST /virtual-clusters/{cluster_id}/members/remove": {"users": ["{user_id}"], "stop_tasks": True},
    "POST /trainings": training(),
    "POST /home/archives": {"path": "examples"},
    "PUT /settings": {"refresh_seconds": 30},
}
ENDED, QUEUED = "UPDATE tasks SET state = 'finished'", "UPDATE tasks SET state = 'queued'"
LOCKED = ("users", "roles", "groups", "virtual_clusters", "tasks", "operations", "user_settings")


def writes() -> set[str]:
    """All for which somebody has to hold something."""
    return {
        operation
        for operation, guard in GUARDS.items()
        if operation.partition(" ")[0] not in SAFE_METHODS and isinstance(guard, Guard) and guard.permission
    }


@dataclass
class Scene:
    """Eve administers; ada, and what there is of everything."""

    eve: Client
    places: dict[str, str]
    owner: AsyncEngine

    def filled(self, value: Any) -> Any:
        match value:
            case str():
                return value.format(**self.places)
            case dict():
                return {key: self.filled(part) for key, part in value.items()}
            case list():
                return [self.filled(part) for part in value]
            case _:
                return value

    async def do(self, statement: str) -> Any:
        async with self.owner.begin() as connection:
            done = await connection.execute(text(statement), {"eve": self.places["eve"]})
            return done.scalar() if done.returns_rows else None

    async def while_rights_are_lost(self, operation: str) -> httpx.Response | None:
        """The answer to who asked before; None where it did not wait for it."""
        method, path = operation.split(" ")

        async def waits() -> bool:
            async with self.owner.connect() as other:
                return asking.done() or bool(await other.scalar(text(WAITING)))

        async with self.owner.connect() as connection:
            for table in LOCKED:
                await connection.execute(text(f"SELECT FROM {table} FOR UPDATE"))
            await connection.execute(text("DELETE FROM user_roles WHERE user_id = :eve"), {"eve": self.places["eve"]})
            body = self.filled(BODIES.get(operation))
            asking = asyncio.ensure_future(self.eve.http.request(method, path.format(**self.places), json=body))
            await eventually(waits)
            waited = not asking.done()
            await connection.commit()
        answer = await asking
        await self.do("INSERT INTO user_roles (user_id, role_id) VALUES (:eve, 'admin')")
        return answer if waited else None


async def scene(portal: RunningPlatform, owner: AsyncEngine) -> Scene:
    admin = await portal.admin()
    eve = await portal.user(admin, "eve", roles=["admin"])
    ada = await portal.user(admin, "ada")
    token = await ada.post("/access-tokens", {"name": "t", "grants": ["platform"], "days": 1})
    cluster = await admin.post("/virtual-clusters", {"name": "spare", "devices": {}, "max_hours": 10})
    await with_machines(portal)
    task = await eve.post("/trainings", training())
    assert task.is_success, task.text
    archive = await eve.post("/home/archives", {"path": "examples"})
    assert archive.is_success, archive.text
    places = {
        "eve": await id_of(eve),
        "user_id": await id_of(ada),
        "role_id": await a_role(admin, "Some", "nodes:read"),
        "group_id": await a_group(admin, "Some", ["user"], [await id_of(ada)]),
        "cluster_id": cluster.json()["id"],
        "token_id": token.json()["id"],
        "task_id": task.json()["id"],
        "operation_id": archive.json()["id"],
        "way": "microsoft",
    }
    return Scene(eve, places, owner)


async def test_no_write_is_done_for_who_lost_their_rights_while_it_waited(
    portal: RunningPlatform, owner: AsyncEngine
) -> None:
    it = await scene(portal, owner)
    done = "SELECT count(*) FROM audit WHERE actor_name = 'eve' AND outcome = 'done'"
    before = await it.do(done)
    wrong = []
    for operation in sorted(writes() - ELSEWHERE.keys()):
        await it.do(ENDED if operation == "DELETE /tasks/{task_id}" else QUEUED)
        answer = await it.while_rights_are_lost(operation)
        if answer is None:
            wrong.append(f"{operation}: it waited for nothing")
        elif told(answer)[:2] != (403, "more_than_you_hold"):
            wrong.append(f"{operation}: {answer.status_code}, done without rights: {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)
    assert await it.do(done) == before, "it was refused and done"


async def test_a_session_that_ends_while_its_request_waits_is_found(
    portal: RunningPlatform, owner: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = await scene(portal, owner)
    usual = dependencies.Judge.__call__

    async def late(judge: dependencies.Judge, caller: Any) -> None:
        await it.do("DELETE FROM sessions WHERE user_id = :eve")
        await usual(judge, caller)

    monkeypatch.setattr(dependencies.Judge, "__call__", late)
    assert told(await it.eve.post("/roles", {"name": "Late", "grants": ["platform"]}))[:2] == (401, "not_signed_in")
    assert await it.do("SELECT count(*) FROM roles WHERE name = 'Late'") == 0, "it was made after all"
