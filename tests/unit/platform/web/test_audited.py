"""Every write of the API is done once, and looked up in the audit by its request: what it leaves there, or why nothing.

The operations are those of the routes: a new one that writes and is not in the table, or not done here, fails.
"""

import re
from collections import defaultdict

import httpx
import pytest
from atoll.database.connection import connect
from atoll.web.requests import SAFE_METHODS
from sqlalchemy import text

from tests.unit.platform.browsers import a_browser, different, of, provider, wechat
from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform, training
from tests.unit.platform.people import a_group, a_role, account, id_of, portal, registered, with_machines
from tests.unit.platform.users.test_import import file, sent
from tests.unit.platform.web.test_permission_matrix import asks, named_tests, operations

__all__ = ["different", "portal", "provider", "wechat"]

NOTHING: frozenset[str] = frozenset()
COME_BACK = "POST /session/ways/{way}"
# What each write leaves in the audit.
AUDITED: dict[str, frozenset[str]] = {
    operation: frozenset(actions.split())
    for operation, actions in {
        "POST /session": "session.create",
        "DELETE /session": "session.delete",
        "POST /session/password": "user.change_password",
        "POST /session/proof": "session.prove",
        "DELETE /sessions/{session_id}": "session.end",
        "POST /sessions/end-others": "session.end_others",
        "POST /registrations": "user.register",
        "POST /access-tokens": "access_token.create",
        "DELETE /access-tokens/{token_id}": "access_token.delete",
        "POST /session/ways/{way}": "user.link",
        "POST /session/ways/{way}/account": "user.register session.create",
        "DELETE /session/ways/{way}": "user.unlink",
        "POST /audit/export": "audit.export",
        "POST /users/export": "user.export",
        "POST /users": "user.create",
        "POST /users/batch": "user.create",
        "POST /users/import": "user.import user.create",
        "PATCH /users/{user_id}": "user.update",
        "PUT /users/{user_id}/roles": "user.roles",
        "PUT /users/{user_id}/groups": "user.groups",
        "POST /users/{user_id}/disable": "user.disable",
        "POST /users/{user_id}/enable": "user.enable",
        "POST /users/{user_id}/reset-password": "user.reset_password",
        "POST /users/{user_id}/end-sessions": "user.end_sessions",
        "POST /users/{user_id}/delete": "user.delete",
        "DELETE /users/{user_id}/access-tokens/{token_id}": "access_token.delete",
        "DELETE /users/{user_id}/ways/{way}": "user.unlink",
        "POST /groups": "group.create",
        "PATCH /groups/{group_id}": "group.update",
        "PUT /groups/{group_id}/roles": "group.roles",
        "POST /groups/{group_id}/users": "group.add",
        "DELETE /groups/{group_id}/users/{user_id}": "group.remove",
        "DELETE /groups/{group_id}": "group.delete",
        "POST /roles": "role.create",
        "PATCH /roles/{role_id}": "role.update",
        "POST /roles/{role_id}/users": "role.give",
        "DELETE /roles/{role_id}/users/{user_id}": "role.take",
        "POST /roles/{role_id}/groups": "role.give",
        "DELETE /roles/{role_id}/groups/{group_id}": "role.take",
        "DELETE /roles/{role_id}": "role.delete",
        "POST /virtual-clusters": "virtual_cluster.create",
        "PATCH /virtual-clusters/{cluster_id}": "virtual_cluster.edit",
        "POST /virtual-clusters/{cluster_id}/extend": "virtual_cluster.extend",
        "POST /virtual-clusters/{cluster_id}/members": "virtual_cluster.add_members",
        "POST /virtual-clusters/{cluster_id}/members/remove": "virtual_cluster.remove_members",
        "DELETE /virtual-clusters/{cluster_id}": "virtual_cluster.delete",
        "POST /trainings": "task.create",
        "POST /tasks/{task_id}/stop": "task.stop",
        "DELETE /tasks/{task_id}": "task.delete",
        "POST /home/archives": "operation.create",
        "POST /operations/{operation_id}/cancel": "operation.cancel",
        "PUT /settings": "settings.change",
    }.items()
}
# What changes nothing that anybody has.
UNAUDITED = {
    "POST /trainings/estimate": "it only tells what would be",
    "POST /session/ways/{way}/start": "somebody goes to a provider, and nobody is known yet",
    "POST /session/ways/{way}/link": "the same; with what they come back, the link is made",
    "POST /session/ways/{way}/prove": "the same; with what they come back, a session begins",
}
# What needs more than a portal, and the test that looks it up.
ELSEWHERE = {"POST /services/{name}/restart": "test_a_restart_is_done_for_the_administrator_who_asks_and_kept"}


def writes() -> set[str]:
    return {operation for operation in operations() if operation.partition(" ")[0] not in SAFE_METHODS}


def test_of_every_write_it_is_said_what_it_leaves_in_the_audit() -> None:
    assert AUDITED.keys() | UNAUDITED.keys() | ELSEWHERE.keys() == writes()
    assert len(AUDITED) + len(UNAUDITED) + len(ELSEWHERE) == len(writes()), "said twice"
    sources = named_tests()
    for operation, name in ELSEWHERE.items():
        assert asks(sources[name], operation.replace("{name}", "jobs")), name
        assert '"/audit"' in sources[name], f"{name} looks nothing up"


class Seen:
    """The requests of each write that were sent, by the routes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: dict[str, list[str]] = defaultdict(list)
        self.failed: list[str] = []
        # The most specific first: `/users/export` is no user.
        self._routes = sorted(
            ((operation, _pattern(operation)) for operation in writes()), key=lambda each: "{" in each[0]
        )
        usual, seen = RunningPlatform.anonymous, self

        def anonymous(platform: RunningPlatform, **headers: str) -> httpx.AsyncClient:
            client = usual(platform, **headers)
            client.event_hooks["response"].append(seen._answered)
            return client

        monkeypatch.setattr(RunningPlatform, "anonymous", anonymous)

    async def _answered(self, answer: httpx.Response) -> None:
        asked = f"{answer.request.method} {answer.request.url.path.removeprefix('/api/v1')}"
        operation = next((name for name, pattern in self._routes if pattern.fullmatch(asked)), None)
        if operation is None:
            return
        if not answer.is_success:
            await answer.aread()
            self.failed.append(f"{asked}: {answer.status_code}: {answer.text[:200]}")
        self.requests[operation].append(answer.headers["x-request-id"])


def _pattern(operation: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{[^}]+\\\}", "[^/]+", re.escape(operation)))


async def left_by(admin: Client) -> dict[str, set[str]]:
    """The actions in the audit that were done, by the request that did them."""
    found: dict[str, set[str]] = defaultdict(set)
    cursor: str | None = None
    while True:
        page = (await admin.get("/audit", params={"limit": 200, **({"cursor": cursor} if cursor else {})})).json()
        for item in page["items"]:
            if item["outcome"] == "done":
                found[item["request_id"]].add(item["action"])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


async def own_things(portal: RunningPlatform, ada: Client) -> None:
    """Sessions, tokens, ways, settings, tasks, operations."""
    await portal.sign_in("ada", PASSWORD)
    sessions = (await ada.get("/sessions")).json()["items"]
    await ada.delete(f"/sessions/{next(each['id'] for each in sessions if not each['current'])}")
    await portal.sign_in("ada", PASSWORD)
    await ada.post("/sessions/end-others")
    await ada.post("/session/proof", {"password": PASSWORD})
    token = await ada.post("/access-tokens", {"name": "t", "grants": ["platform"], "days": 1})
    await ada.delete(f"/access-tokens/{token.json()['id']}")
    browser = of(ada, portal)
    address = await browser.begin("microsoft", "/session/ways/{way}/link", {"password": PASSWORD})
    await browser.come_back(await browser.sign_in_there(address, "ada"))
    await browser.begin("microsoft", "/session/ways/{way}/prove")
    await ada.delete("/session/ways/microsoft")
    await ada.http.put("/settings", json={"refresh_seconds": 30})
    await ada.post("/trainings/estimate", training())
    task = (await ada.post("/trainings", training())).json()["id"]
    await ada.post(f"/tasks/{task}/stop")
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE tasks SET state = 'killed', finished_at = now()"))
    await database.dispose()
    await ada.delete(f"/tasks/{task}")
    archive = (await ada.post("/home/archives", {"path": "examples"})).json()["id"]
    await ada.post(f"/operations/{archive}/cancel")
    await ada.delete("/session")


async def people(portal: RunningPlatform, admin: Client) -> None:
    """Users, roles, groups."""
    carl = await registered(portal, "carl")
    user = await id_of(carl)
    await admin.post(
        "/users/batch", {"users": [{"name": "dora", "nickname": "d", "password": "x" * 12}], "roles": ["user"]}
    )
    await sent(admin, file("finn,Finn,,,User,,"))
    await admin.post("/users/export")
    await admin.post("/audit/export")
    await admin.http.patch(f"/users/{user}", json={"nickname": "Carl"})
    role, group = await a_role(admin, "Some", "nodes:read"), await a_group(admin, "Some", ["user"])
    await admin.http.put(f"/users/{user}/roles", json={"roles": ["user"]})
    await admin.http.put(f"/users/{user}/groups", json={"groups": [group]})
    token = (await carl.post("/access-tokens", {"name": "t", "grants": ["platform"], "days": 1})).json()["id"]
    await admin.delete(f"/users/{user}/access-tokens/{token}")
    await admin.http.patch(f"/groups/{group}", json={"description": "Other"})
    await admin.http.put(f"/groups/{group}/roles", json={"roles": ["annotator"]})
    await admin.delete(f"/groups/{group}/users/{user}")
    await admin.post(f"/groups/{group}/users", {"users": [user]})
    await admin.http.patch(f"/roles/{role}", json={"description": "Other"})
    await admin.post(f"/roles/{role}/users", {"users": [user]})
    await admin.delete(f"/roles/{role}/users/{user}")
    await admin.post(f"/roles/{role}/groups", {"groups": [group]})
    await admin.delete(f"/roles/{role}/groups/{group}")
    await admin.delete(f"/roles/{role}")
    await admin.delete(f"/groups/{group}")
    for verb, body in (("end-sessions", None), ("reset-password", None), ("disable", {}), ("enable", None)):
        await admin.post(f"/users/{user}/{verb}", body)
    await admin.post(f"/users/{user}/delete", {})
    browser = a_browser(portal)
    await browser.through("eve")
    made = await browser.make("eve")
    await admin.delete(f"/users/{made.json()['user']['id']}/ways/microsoft")


async def clusters(admin: Client, member: str) -> None:
    """Virtual clusters."""
    made = await admin.post("/virtual-clusters", {"name": "spare", "devices": {}, "max_hours": 10})
    path = f"/virtual-clusters/{made.json()['id']}"
    await admin.http.patch(path, json={"max_hours": 20})
    await admin.post(f"{path}/extend", {"hours": 1})
    await admin.post(f"{path}/members", {"users": [member]})
    await admin.post(f"{path}/members/remove", {"users": [member]})
    await admin.delete(path)


async def test_every_write_is_found_in_the_audit_by_its_request(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Seen(monkeypatch)
    admin = await portal.admin()
    await with_machines(portal)
    ada = await portal.user(admin, "ada")
    member = await id_of(ada)
    await admin.post("/users", account("bob"))
    await own_things(portal, ada)
    await people(portal, admin)
    await clusters(admin, member)
    assert seen.failed == []
    assert seen.requests.keys() == writes() - ELSEWHERE.keys(), "a write that nobody did here"
    left = await left_by(admin)
    wrong = []
    for operation, requests in seen.requests.items():
        actions = [left.get(request, set()) for request in requests]
        wanted = AUDITED.get(operation, NOTHING)
        # Who comes back from a provider and is unknown there leaves nothing yet.
        if not all(found == wanted or (operation == COME_BACK and not found) for found in actions) or (
            wanted and not any(actions)
        ):
            wrong.append(f"{operation}: {actions} in the audit, not {sorted(wanted)}")
    assert not wrong, "\n".join(wrong)
