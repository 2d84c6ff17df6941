"""Every operation of the API × who asks × whose object it is. On a real database.

That what is hidden is answered as what never was, `test_hidden.py` tries.

The operations are those of the routes, the rows those of the domains' manifests: a new route without a row fails.
"""

import ast
import re
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from atoll.api.domains import DOMAINS
from atoll.database.connection import connect, sessions
from atoll.identity.dependencies import Guard
from atoll.identity.permissions import ANYBODY, PermissionKind
from atoll.identity.repository import IdentityRepository
from atoll.operations.models import OperationRow
from atoll.web.domain import DENIED, HIDDEN, OK, Elsewhere, Expected, MatrixRow, Permission
from atoll.web.requests import SAFE_METHODS

from tests.unit.platform.conftest import Client, RunningPlatform, training
from tests.unit.platform.people import id_of, registered
from tests.unit.platform.programs import program_of
from tests.unit.platform.web.objects import MATRIX
from tests.unit.platform.web.test_contract import api_routes, guards, methods

Who = Literal[
    "nobody",
    "owner",
    "colleague",
    "foreigner",
    "admin",
    "unentitled",
    "annotator",
    "custom",
    "administrator_alone",
    "through_a_group",
    "member_through_a_group",
    "member_elsewhere",
]
SIGNED_OUT = 401
# What the holder of a role of somebody's own making was granted: permissions of two kinds, one by one.
GRANTS = ("groups:read", "overview:read", "roles:read", "tasks:read", "users:read", "virtual_clusters:read")
# What the rows give by these, or leave to somebody, is of the platform: more than who rules alone holds.
GIVES_PLATFORM = {
    "POST /users",
    "POST /users/batch",
    "PUT /users/{user_id}/roles",
    "PUT /groups/{group_id}/roles",
    "POST /roles",
}


GUARDS = {f"{method} {route.path}": guards(route)[0] for route in api_routes() for method in methods(route)}


def held(who: Who, permission: Permission) -> bool:
    """Whether who was granted single permissions, or administration and no more, holds it."""
    named = permission.name in GRANTS if who == "custom" else PermissionKind.ADMINISTRATION in permission.kinds
    return named or permission.kinds >= ANYBODY


def expected_of(row: MatrixRow, who: Who, operation: str) -> Expected:
    """What a caller gets. Who holds single permissions gets what they open, as whoever else has those."""
    match who:
        case "nobody":
            return SIGNED_OUT
        case "annotator":
            return row.unentitled if row.annotator is None else row.annotator
        case "through_a_group" | "member_elsewhere":
            return row.foreigner
        case "member_through_a_group":
            return row.colleague
        case "custom" | "administrator_alone":
            guard = GUARDS[operation]
            assert isinstance(guard, Guard), operation
            if guard.permission is None:
                return row.unentitled if row.annotator is None else row.annotator
            asked = [each for each in (guard.permission, *guard.others) if held(who, each)]
            if not asked or operation in GIVES_PLATFORM:
                return DENIED
            own = PermissionKind.PLATFORM in asked[0].kinds and not asked[0].kinds >= ANYBODY
            return row.foreigner if own else row.admin
        case _:
            found: Expected = getattr(row, who)
            return found


def expected_by_token(row: MatrixRow, who: Who, operation: str, *, read_only: bool) -> Expected:
    """What a program of somebody gets by a token with all that they may: as they do, but for what needs a session."""
    guard = GUARDS[operation]
    assert isinstance(guard, Guard), operation
    if not guard.by_token or (read_only and operation.split(" ")[0] not in SAFE_METHODS):
        return DENIED
    return expected_of(row, who, operation)


def test_who_was_given_nothing_may_look_after_their_sessions_and_password_alone() -> None:
    rows = {operation: row for operation, row in MATRIX.items() if isinstance(row, MatrixRow)}
    opened = {operation for operation, row in rows.items() if row.unentitled != DENIED}
    unguarded = {
        operation for operation, guard in GUARDS.items() if isinstance(guard, Guard) and guard.permission is None
    }
    assert opened == {
        "GET /session",
        "POST /session/password",
        "GET /sessions",
        "POST /sessions/end-others",
        "DELETE /sessions/{session_id}",
        "GET /access-tokens",
        "GET /access-tokens/options",
        "DELETE /access-tokens/{token_id}",
        "GET /session/proof",
        "POST /session/proof",
        "GET /session/ways",
        "POST /session/ways/{way}/link",
        "POST /session/ways/{way}/prove",
        "DELETE /session/ways/{way}",
    }
    assert unguarded == opened | {"DELETE /session", "POST /access-tokens"}


def operations() -> set[str]:
    return {f"{method} {route.path}" for route in api_routes() for method in methods(route)}


def test_every_operation_has_a_row() -> None:
    assert operations() == set(MATRIX)
    assert len(MATRIX) == sum(len(domain.matrix) for domain in DOMAINS)


def named_tests() -> dict[str, str]:
    """The source of each test function of the platform."""
    found: dict[str, str] = {}
    for file in Path(__file__).parents[1].rglob("test_*.py"):
        text = file.read_text(encoding="utf-8")
        for part in ast.parse(text).body:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and part.name.startswith("test_"):
                found[part.name] = ast.get_source_segment(text, part) or ""
    return found


def asks(source: str, operation: str) -> bool:
    """Whether a test names the method and, as a whole text, the path of an operation."""
    method, path = operation.split(" ")
    pattern = r"\{[^}]+\}".join(re.escape(part) for part in re.split(r"\{[^}]+\}", path))
    named = re.search(rf"""["'](?:/api/v1)?{pattern}["'?]""", source)
    return named is not None and re.search(rf"\b{method}\b", source, re.IGNORECASE) is not None


def test_what_the_matrix_cannot_try_is_tested_elsewhere() -> None:
    sources = named_tests()
    rows = {operation: row.tested_by for operation, row in MATRIX.items() if isinstance(row, Elsewhere)}
    assert rows
    assert {name for operation, name in rows.items() if not asks(sources.get(name, ""), operation)} == set()


@pytest.mark.parametrize(
    ("source", "asked"),
    [
        ("await ada.get(f\"/things/{thing['id']}/parts\")", True),
        ('await ada.http.get("/api/v1/things/{id}/parts?all")', True),
        ('await ada.delete(f"/things/{thing}/parts")', False),
        ('await ada.get(f"/things/{thing}")', False),
        ('await ada.get(f"/things/{thing}/parts/first")', False),
    ],
)
def test_a_test_that_asks_something_else_would_be_found(source: str, asked: bool) -> None:
    assert asks(source, "GET /things/{thing_id}/parts") is asked


async def ended_operation(platform: RunningPlatform, owner: str) -> str:
    """Somebody's operation that is over."""
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session, session.begin():
        user = await IdentityRepository(session).user_by_name(owner)
        assert user is not None
        row = OperationRow(kind="test", name="secret", owner_id=user.id, parameters={}, state="finished", due_at=None)
        session.add(row)
    await database.dispose()
    return row.id


async def grouped(platform: RunningPlatform, admin: Client, name: str, of: str | None = None) -> Client:
    """Somebody who uses the platform by a group of their own; of a virtual cluster, too, by the same group."""
    client = await registered(platform, name)
    group = {"name": f"Group of {name}", "description": "Use it", "roles": ["user"], "users": [await id_of(client)]}
    made = await admin.post("/groups", group)
    assert made.status_code == 201, made.text
    if of is not None:
        clusters = (await admin.get("/virtual-clusters")).json()["items"]
        cluster_id = next(each["id"] for each in clusters if each["name"] == of)
        joined = await admin.post(f"/virtual-clusters/{cluster_id}/members", {"groups": [made.json()["id"]]})
        assert joined.is_success, joined.text
    return client


async def who_ask(platform: RunningPlatform) -> dict[Who, Client]:
    """Everybody of the matrix."""
    admin = await platform.admin()
    role = await admin.post("/roles", {"name": "Reads", "grants": [*GRANTS]})
    assert role.status_code == 201, role.text
    other = await admin.post("/roles", {"name": "Rules", "grants": ["administration"]})
    assert other.status_code == 201, other.text
    elsewhere = await admin.post("/virtual-clusters", {"name": "elsewhere", "devices": {}})
    assert elsewhere.status_code == 201, elsewhere.text
    return {
        "nobody": Client(platform.anonymous(), "nobody"),
        "unentitled": await registered(platform, "unentitled"),
        "annotator": await platform.user(admin, "annotator", roles=["annotator"]),
        "custom": await platform.user(admin, "custom", member=False, roles=[role.json()["id"]]),
        "administrator_alone": await platform.user(admin, "ruler", member=False, roles=[other.json()["id"]]),
        "through_a_group": await grouped(platform, admin, "grouped"),
        "member_through_a_group": await grouped(platform, admin, "joined", of="default"),
        "member_elsewhere": await grouped(platform, admin, "stranger", of="elsewhere"),
        "colleague": await platform.user(admin, "colleague"),
        "foreigner": await platform.user(admin, "foreigner", member=False),
        "admin": admin,
        "owner": await platform.user(admin, "owner"),  # last: only the owner may remove the task
    }


async def made(admin: Client, address: str, body: dict[str, Any]) -> str:
    """The id of something new."""
    answer = await admin.post(address, body)
    assert answer.status_code == 201, answer.text
    identifier: str = answer.json()["id"]
    return identifier


async def of_people(admin: Client, owner: Client) -> dict[str, str]:
    """What `owner` has to do with and others have not: the virtual cluster is one of which only they are a member."""
    places = {
        "user_id": await id_of(owner),
        "session_id": (await owner.get("/sessions")).json()["items"][0]["id"],
        "role_id": await made(admin, "/roles", {"name": "secret", "grants": ["overview:read"]}),
    }
    of_owner = {"roles": [places["role_id"]], "users": [places["user_id"]]}
    places["group_id"] = await made(admin, "/groups", {"name": "secret", "description": "secret", **of_owner})
    places["cluster_id"] = await made(admin, "/virtual-clusters", {"name": "secret", "devices": {}})
    joined = await admin.post(f"/virtual-clusters/{places['cluster_id']}/members", {"users": [places["user_id"]]})
    assert joined.is_success, joined.text
    places["record_id"] = (await admin.get("/audit")).json()["items"][0]["id"]
    return places


async def places_of(platform: RunningPlatform, admin: Client, owner: Client, program: Any) -> dict[str, str]:
    """The objects of `owner`, by the places in paths."""
    program(
        "owner", "import os\nopen(os.environ['ATOLL_OUTPUT_DIR'] + '/result', 'w').write('secret')\nprint('secret')\n"
    )
    task_id = (await owner.post("/trainings", training())).json()["id"]
    await owner.until(task_id, "finished")
    operation_id = await ended_operation(platform, "owner")
    places = {"task_id": task_id, "operation_id": operation_id, **await of_people(admin, owner)}
    for domain in DOMAINS:
        for place, example in domain.examples.items():
            made = await owner.post(example.address, example.body)
            assert made.is_success, f"the example of {domain.name}: {made.text}"
            places[place] = made.json()[example.field]
    return places


def mistakes_of(named: str, answer: httpx.Response, expected: int | str) -> list[str]:
    """What is wrong with what somebody was answered: another status, or something of whom it is refused for."""
    got: int | str = OK if answer.is_success else answer.status_code
    found = [] if got == expected else [f"{named}: {got}, expected {expected}: {answer.text[:200]}"]
    if expected in (HIDDEN, DENIED, SIGNED_OUT) and "secret" in answer.text:
        found.append(f"{named} leaks")
    return found


async def test_everybody_gets_what_the_table_says(platform: RunningPlatform, program: Any) -> None:
    callers = await who_ask(platform)
    places = await places_of(platform, callers["admin"], callers["owner"], program)
    wrong = []
    for who, client in callers.items():
        for operation, row in MATRIX.items():
            if isinstance(row, Elsewhere):
                continue
            method, path = operation.split(" ")
            path = path.format(**{**places, **row.path})
            answer = await client.http.request(method, path, json=row.body, params=row.params)
            wrong += mistakes_of(f"{who}: {operation}", answer, expected_of(row, who, operation))
    assert not wrong, "\n".join(wrong)


# What the token of each is given: all that they may, by kinds or by names.
TOKENS: dict[Who, tuple[str, ...]] = {
    "unentitled": ("platform",),  # made while they held it
    "annotator": ("annotation",),
    "custom": (*GRANTS, "settings:read", "settings:write"),
    "administrator_alone": ("administration",),
    "through_a_group": ("platform",),
    "member_through_a_group": ("platform",),
    "member_elsewhere": ("platform",),
    "colleague": ("platform",),
    "foreigner": ("platform",),
    "admin": ("administration", "platform"),
    "owner": ("platform",),
}
READ_ONLY: tuple[Who, ...] = ("foreigner", "admin", "owner")


async def programs(platform: RunningPlatform, callers: dict[Who, Client]) -> dict[tuple[Who, bool], Client]:
    """Of some a program that reads only; then one of each, by a token with all that they may."""
    admin, unentitled = callers["admin"], callers["unentitled"]
    roles = f"/users/{await id_of(unentitled)}/roles"
    assert (await admin.http.put(roles, json={"roles": ["user"]})).is_success
    of: dict[tuple[Who, bool], Client] = {}
    for who in READ_ONLY:
        of[who, True] = await program_of(platform, callers[who], *TOKENS[who], read_only=True)
    for who, grants in TOKENS.items():
        of[who, False] = await program_of(platform, callers[who], *grants)
    assert (await admin.http.put(roles, json={"roles": []})).is_success
    return of


async def done(admin: Client) -> int:
    """How many writes there are in the audit."""
    number: int = 0
    cursor: str | None = None
    while True:
        page = (await admin.get("/audit", params={"limit": 200, **({"cursor": cursor} if cursor else {})})).json()
        number += sum(item["outcome"] == "done" for item in page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return number


async def test_a_token_opens_to_a_program_what_it_opens_to_its_owner_but_for_what_needs_a_session(
    platform: RunningPlatform, program: Any
) -> None:
    callers = await who_ask(platform)
    admin = callers["admin"]
    places = await places_of(platform, callers["admin"], callers["owner"], program)
    asking = await programs(platform, callers)
    assert {who for who, _ in asking} == {*callers} - {"nobody"}
    wrong = []
    written = await done(admin)
    for (who, read_only), client in asking.items():
        for operation, row in MATRIX.items():
            if isinstance(row, Elsewhere):
                continue
            method, path = operation.split(" ")
            path = path.format(**{**places, **row.path})
            answer = await client.http.request(method, path, json=row.body, params=row.params)
            expected = expected_by_token(row, who, operation, read_only=read_only)
            wrong += mistakes_of(f"a program of {who}{' that reads only' * read_only}: {operation}", answer, expected)
        if read_only and (now := await done(admin)) != written:
            wrong.append(f"a program of {who} that reads only has written {now - written} times")
    assert not wrong, "\n".join(wrong)


async def test_the_tasks_of_others_are_listed_for_administrators_only(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    program("ada", "")
    task_id = (await ada.post("/trainings", training(name="of_ada"))).json()["id"]
    refused = await ada.get("/tasks", params={"owner": "all"})
    assert refused.status_code == 403
    assert (await ada.get("/tasks/stream", params={"owner": "all"})).status_code == 403
    assert (await admin.get("/tasks")).json()["items"] == []
    listed = (await admin.get("/tasks", params={"owner": "all", "words": "of_a"})).json()["items"]
    assert [item["id"] for item in listed] == [task_id]
    await ada.until(task_id, "finished")


async def test_an_administrator_stops_the_task_of_another(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    program("ada", "import time\ntime.sleep(60)\n")
    task_id = (await ada.post("/trainings", training(devices=1))).json()["id"]
    await ada.until(task_id, "running")
    assert "stop" in (await admin.task(task_id))["actions"]
    await admin.post(f"/tasks/{task_id}/stop")
    task = await ada.until(task_id, "killed")
    assert task["reason"] == {"code": "stopped_by_user", "message": "admin stopped it.", "params": {"user": "admin"}}
