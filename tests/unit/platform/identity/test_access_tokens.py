"""Access tokens: made, shown once, and opening what their scope and their owner's rights have in common."""

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from atoll.configuration import AccessTokens
from atoll.database.base import now
from atoll.database.connection import connect
from sqlalchemy import text

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import a_group, a_role, id_of, may, told
from tests.unit.platform.programs import EVERYTHING, by, program_of
from tests.unit.platform.round_trips import asked

__all__ = ["asked"]
MOST_DAYS = 90


@pytest.fixture
def different() -> dict[str, Any]:
    return {"access_tokens": {"most_days": MOST_DAYS, "most_per_user": 50}}


def wanted(**changes: Any) -> dict[str, Any]:
    return {"name": "ci", "grants": ["tasks:read"], "days": 30, **changes}


async def test_a_token_is_told_once_and_kept_as_a_digest(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    made = await ada.post("/access-tokens", wanted(name="  Nightly run  ", grants=["tasks:read", "platform"]))
    assert made.status_code == 201, made.text
    token = made.json().pop("token")
    shown = {key: value for key, value in made.json().items() if key != "token"}
    assert shown["name"] == "Nightly run"
    assert (shown["grants"], shown["read_only"]) == (["platform", "tasks:read"], False)
    assert (shown["last_used_at"], shown["last_used_address"]) == (None, "")
    left = datetime.fromisoformat(shown["expires_at"]) - now()
    assert timedelta(days=30) - timedelta(minutes=5) < left <= timedelta(days=30), "it lives for another time"
    listed = await ada.get("/access-tokens")
    assert listed.json() == {"items": [shown], "next_cursor": None}
    database = connect(portal.configuration, pool_size=1)
    async with database.connect() as connection:
        kept = str((await connection.execute(text("SELECT * FROM access_tokens"))).all())
        written = str((await connection.execute(text("SELECT * FROM audit"))).all())
    await database.dispose()
    assert shown["id"] in kept
    assert shown["id"] in written
    assert token[10:30] not in kept + written


async def test_a_token_works_without_cookie_and_without_what_the_portal_sends(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    program = await program_of(portal, admin, *EVERYTHING)
    assert (await program.get("/users")).status_code == 200
    made = await program.post("/roles", {"name": "Made by a program", "grants": ["tasks:read"]})
    assert made.status_code == 201, made.text
    assert (await program.delete(f"/roles/{made.json()['id']}")).status_code == 204
    for scheme in ("bearer", "BEARER", "Bearer "):
        assert (await by(portal, f"{scheme} {program.token}").get("/users")).status_code == 200, scheme
    assert "set-cookie" not in (await program.get("/session")).headers


async def test_the_documented_command_asks_by_a_token(portal: RunningPlatform) -> None:
    program = await program_of(portal, await portal.admin(), "tasks:read")
    documented = """printf 'Authorization: Bearer %s' "$ATOLL_TOKEN" | curl -fsS -H @- https://PORTAL/api/v1/tasks"""
    command = documented.replace("https://PORTAL", portal.url)
    for token, status in ((program.token, 0), (program.token[:-1], 22)):
        environment = {"PATH": os.environ["PATH"], "ATOLL_TOKEN": token}
        asking = await asyncio.create_subprocess_exec(
            "sh", "-c", command, env=environment, stdout=asyncio.subprocess.PIPE
        )
        said, _ = await asking.communicate()
        assert asking.returncode == status
        assert status or json.loads(said) == {"items": [], "next_cursor": None}


async def test_by_a_token_the_database_is_asked_as_often_as_by_a_session(
    portal: RunningPlatform, asked: Counter[str]
) -> None:
    admin = await portal.admin()
    program = await program_of(portal, admin, *EVERYTHING)

    async def questions(client: Client) -> int:
        took = []
        for _ in range(10):  # each connection of the pool prepares a statement at first
            asked.clear()
            assert (await client.get("/roles")).status_code == 200
            took.append(asked["/api/v1/roles"])
        return min(took)

    assert await questions(program) == await questions(admin) > 1


async def test_a_program_is_told_who_it_is_and_what_it_may(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    made = await ada.post("/access-tokens", wanted(grants=["tasks:read", "files:read"]))
    program = Client(by(portal, f"Bearer {made.json()['token']}"), "ada")
    session = (await program.get("/session")).json()
    assert session["user"] == (await ada.get("/session")).json()["user"]
    assert session["permissions"] == ["files:read", "tasks:read"]
    assert session["expires_at"] == made.json()["expires_at"]
    assert session["virtual_clusters"] == (await ada.get("/session")).json()["virtual_clusters"]


async def test_where_a_token_is_shown_a_cookie_counts_for_nothing(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    narrow = await program_of(portal, admin, "tasks:read")
    for token, status in ((f" {narrow.token}", 403), (" atoll_made-up", 401), ("", 401)):
        answer = await admin.get("/users", headers={"Authorization": f"Bearer{token}"})
        assert answer.status_code == status, token
    bare = {"X-Atoll-Request": "", "Authorization": "Bearer made-up"}
    assert (await admin.post("/roles", {}, headers=bare)).status_code == 401, "a page could ask by a cookie"
    assert (await admin.http.delete("/session", headers=bare)).status_code == 401
    signed = {"name": "admin", "password": PASSWORD}
    assert (await admin.post("/session", signed, headers={"Authorization": "Bearer x"})).status_code == 201
    assert (await admin.get("/users")).status_code == 200


async def test_other_ways_to_authorise_change_nothing(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    for other in ("Basic YWRtaW46eA==", "Bearerish x", "bearer"):
        basic = {"Authorization": other}
        status = 401 if other == "bearer" else 200
        assert (await admin.get("/users", headers=basic)).status_code == status, other
    refused = await admin.post("/roles", {}, headers={"Authorization": "Basic x", "X-Atoll-Request": ""})
    assert (refused.status_code, refused.json()["code"]) == (403, "foreign_request")


@pytest.mark.parametrize(
    ("headers", "code"),
    [({"Origin": "https://evil.test"}, "foreign_origin"), ({"Sec-Fetch-Site": "cross-site"}, "foreign_site")],
)
async def test_writes_of_foreign_pages_are_refused_by_token_too(
    portal: RunningPlatform, headers: dict[str, str], code: str
) -> None:
    program = await program_of(portal, await portal.admin(), *EVERYTHING)
    role = {"name": "Evil", "grants": ["tasks:read"]}
    assert told(await program.post("/roles", role, headers=headers))[:2] == (403, code)
    assert (await program.post("/roles", role)).status_code == 201


async def test_a_token_opens_what_its_scope_and_its_owners_rights_have_in_common(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Reads", "tasks:read", "users:read", "nodes:read")
    ada = await portal.user(admin, "ada", roles=[role])
    program = await program_of(portal, ada, "tasks:read", "users:read")
    assert await may(program) == ["tasks:read", "users:read"], "it opens more than its scope"
    assert (await program.get("/users")).status_code == 200
    assert (await program.get("/settings")).status_code == 403, "it opens more than its scope"
    refused = await program.get("/nodes")
    assert told(refused)[:2] == (403, "token_lacks_permission"), "it opens more than its scope"
    assert refused.json()["params"] == {"permission": "nodes:read", "token": "a program"}
    assert (await ada.get("/nodes")).status_code == 200
    assert (await admin.http.patch(f"/roles/{role}", json={"grants": ["users:read", "nodes:read"]})).is_success
    assert await may(program) == ["users:read"], "it opens what its owner may not do any more"
    assert told(await program.get("/tasks"))[:2] == (403, "token_lacks_permission")
    assert (await admin.http.put(f"/users/{await id_of(ada)}/roles", json={"roles": ["admin"]})).is_success
    assert await may(program) == ["tasks:read", "users:read"]
    assert told(await program.get("/nodes"))[0] == 403, "its owner's new rights widen it"
    assert (await admin.http.put(f"/users/{await id_of(ada)}/roles", json={"roles": []})).is_success
    assert await may(program) == []
    assert told(await program.get("/users"))[0] == 403


async def test_a_kind_opens_all_that_its_owner_holds_of_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    program = await program_of(portal, admin, *EVERYTHING)
    assert await may(program) == await may(admin)
    platform = await program_of(portal, admin, "platform")
    assert 0 < len(await may(platform)) < len(await may(admin))
    assert (await platform.get("/users")).status_code == 403


async def test_nobody_gives_a_token_what_they_do_not_hold(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Half", "tasks:read", "users:read", "users:manage")
    ada = await portal.user(admin, "ada", member=False, roles=[role])
    for grants, missing in (
        (["administration"], "nodes:read"),
        (["tasks:read", "platform"], "tasks:create"),
        (["nodes:read"], "nodes:read"),
    ):
        refused = await ada.post("/access-tokens", wanted(grants=grants))
        assert told(refused)[:2] == (403, "more_than_you_hold"), "a token was given more than its owner holds"
        assert missing in refused.json()["params"]["permissions"].split(", ")
    assert (await ada.get("/access-tokens")).json()["items"] == []
    assert (await ada.post("/access-tokens", wanted(grants=["users:manage"]))).status_code == 201


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({"name": "   "}, {"name": "string_too_short"}),
        ({"name": "x" * 65}, {"name": "string_too_long"}),
        ({"name": "two\nlines"}, {"name": "string_pattern_mismatch"}),
        ({"grants": []}, {"grants": "too_short"}),
        ({"grants": ["tasks:read", "everything"]}, {"grants.1": "no_such_grant"}),
        ({"days": 0}, {"days": "greater_than_equal"}),
        ({"days": MOST_DAYS + 1}, {"days": "less_than_equal"}),
        ({"days": 10**30}, {"days": "less_than_equal"}),
        ({"token": "atoll_of-my-choice"}, {"token": "extra_forbidden"}),
    ],
)
async def test_mistakes_are_told_at_their_fields_and_make_nothing(
    portal: RunningPlatform, changes: dict[str, Any], mistakes: dict[str, str]
) -> None:
    admin = await portal.admin()
    assert told(await admin.post("/access-tokens", wanted(**changes))) == (422, "invalid_request", mistakes)
    assert (await admin.get("/access-tokens")).json()["items"] == []
    assert (await admin.post("/access-tokens", wanted(days=MOST_DAYS))).status_code == 201


async def test_what_can_be_given_is_told_to_each(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Single", "tasks:read", "users:read")
    ada = await portal.user(admin, "ada", member=False, roles=[role, "annotator"])
    of_admin = (await admin.get("/access-tokens/options")).json()
    assert [kind["name"] for kind in of_admin["kinds"]] == ["platform", "annotation", "administration"]
    assert of_admin["permissions"] == (await admin.get("/session")).json()["permissions"]
    assert (of_admin["most_days"], of_admin["most"]) == (MOST_DAYS, 50)
    of_ada = (await ada.get("/access-tokens/options")).json()
    assert [kind["name"] for kind in of_ada["kinds"]] == ["annotation"], "a kind of which she lacks something"
    assert of_ada["permissions"] == (await ada.get("/session")).json()["permissions"]
    assert set(of_ada["kinds"][0]["permissions"]) <= set(of_ada["permissions"])
    for kind in of_admin["kinds"]:
        assert (await admin.post("/access-tokens", wanted(grants=[kind["name"]]))).status_code == 201


def test_tokens_live_a_year_at_most_where_nobody_says_otherwise() -> None:
    assert AccessTokens() == AccessTokens(most_days=365, most_per_user=50)


async def test_a_token_that_reads_only_changes_nothing(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    program = await program_of(portal, admin, *EVERYTHING, read_only=True)
    assert (await program.get("/users")).status_code == 200
    assert await may(program) == await may(admin)
    for refused in (
        await program.post("/roles", {"name": "Written", "grants": ["tasks:read"]}),
        await program.http.patch("/users/nobody", json={}),
        await program.http.put("/users/nobody/roles", json={"roles": []}),
        await program.delete("/roles/user"),
    ):
        assert told(refused)[:2] == (403, "token_reads_only"), "a token that reads only has written"
        assert refused.json()["params"] == {"token": "a program"}


OF_WHO_IS_SIGNED_IN: dict[str, Callable[[Client, str], Awaitable[httpx.Response]]] = {
    "makes a token": lambda it, _: it.post("/access-tokens", wanted()),
    "lists tokens": lambda it, _: it.get("/access-tokens"),
    "asks what tokens can have": lambda it, _: it.get("/access-tokens/options"),
    "ends itself": lambda it, token: it.delete(f"/access-tokens/{token}"),
    "lists sessions": lambda it, _: it.get("/sessions"),
    "ends a session": lambda it, _: it.delete("/sessions/one"),
    "ends other sessions": lambda it, _: it.post("/sessions/end-others"),
    "signs out": lambda it, _: it.delete("/session"),
    "changes the password": lambda it, _: it.post(
        "/session/password", {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    ),
}


@pytest.mark.parametrize("what", OF_WHO_IS_SIGNED_IN)
async def test_a_token_never_does_what_is_for_who_is_signed_in(portal: RunningPlatform, what: str) -> None:
    admin = await portal.admin()
    program = await program_of(portal, admin, *EVERYTHING)
    assert told(await OF_WHO_IS_SIGNED_IN[what](program, program.id))[:2] == (403, "session_needed"), "a token did it"
    assert (await program.get("/users")).status_code == 200
    assert (await portal.sign_in("admin", PASSWORD)).name == "admin"


ON_AN_ACCOUNT: dict[str, Callable[[Client, str, str], Awaitable[httpx.Response]]] = {
    "edits": lambda it, user, _: it.http.patch(f"/users/{user}", json={"nickname": "Other"}),
    "gives roles": lambda it, user, _: it.http.put(f"/users/{user}/roles", json={"roles": ["admin", "user"]}),
    "takes roles": lambda it, user, _: it.http.put(f"/users/{user}/roles", json={"roles": ["admin"]}),
    "puts into groups": lambda it, user, _: it.http.put(f"/users/{user}/groups", json={"groups": []}),
    "is given a role": lambda it, user, _: it.post("/roles/annotator/users", {"users": [user]}),
    "loses a role": lambda it, user, _: it.delete(f"/roles/admin/users/{user}"),
    "is put into a new group": lambda it, user, _: it.post(
        "/groups", {"name": f"Group {time.monotonic_ns()}", "description": "New", "roles": ["user"], "users": [user]}
    ),
    "ends sessions": lambda it, user, _: it.post(f"/users/{user}/end-sessions"),
    "ends a token": lambda it, user, token: it.delete(f"/users/{user}/access-tokens/{token}"),
}


@pytest.mark.parametrize("what", ON_AN_ACCOUNT)
async def test_a_token_of_an_administrator_leaves_its_owners_account_alone_and_not_that_of_others(
    portal: RunningPlatform, what: str
) -> None:
    first = await portal.admin()
    admin = await portal.user(first, "ruler", roles=["admin"])
    other = await portal.user(first, "other", roles=["admin"])
    program, of_other = await program_of(portal, admin, *EVERYTHING), await program_of(portal, other, "tasks:read")
    user = await id_of(admin)
    before = (await first.get(f"/users/{user}")).json()
    act = ON_AN_ACCOUNT[what]
    refused = await act(program, user, program.id)
    assert told(refused)[:2] == (403, "session_needed"), "a token acted upon the account of its owner"
    assert (await first.get(f"/users/{user}")).json() == before
    assert (await act(program, await id_of(other), of_other.id)).is_success
    assert (await act(admin, user, program.id)).is_success, "who is signed in may"


async def test_a_token_of_an_administrator_makes_nobody_a_password(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    program = await program_of(portal, admin, *EVERYTHING)
    path = f"/users/{await id_of(ada)}/reset-password"
    assert told(await program.post(path))[:2] == (403, "session_needed"), "who found a token signs in as others"
    assert (await ada.get("/session")).status_code == 200
    assert (await admin.post(path)).status_code == 200


async def test_a_program_gives_no_more_than_its_token_opens(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    program = await program_of(portal, admin, "users:manage", "roles:manage", "tasks:read")
    role = await a_role(admin, "Nodes", "nodes:read")
    for refused in (
        await program.http.put(f"/users/{await id_of(ada)}/roles", json={"roles": [role]}),
        await program.post(f"/users/{await id_of(ada)}/disable", {}),
        await program.post("/roles", {"name": "More", "grants": ["tasks:read", "nodes:read"]}),
    ):
        assert told(refused)[:2] == (403, "more_than_you_hold"), "a token gave more than it opens"
    assert (await program.post("/roles", {"name": "Less", "grants": ["tasks:read"]})).status_code == 201


async def test_the_audit_says_by_which_token_it_was_done(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    program = await program_of(portal, admin, *EVERYTHING, name="Nightly run")
    other = await program_of(portal, admin, "tasks:read", name="Other")
    await program.post("/roles", {"name": "By program", "grants": ["tasks:read"]})
    await admin.post("/roles", {"name": "By hand", "grants": ["tasks:read"]})
    for each in (program, other, other):
        await each.post("/access-tokens", wanted())
    items = (await admin.get("/audit")).json()["items"]
    means = {"id": program.id, "name": "Nightly run"}
    done = {item["object_name"]: item["details"].get("access_token") for item in items if item["outcome"] == "done"}
    assert done["By program"] == means, "the audit does not say by which token"
    assert (done["By hand"], done["Nightly run"]) == (None, None)
    denied = [item["details"] for item in items if item["outcome"] == "denied"]
    times: dict[str, int] = {}
    for details in denied:  # a row for each token and minute
        assert details["route"] == "POST /access-tokens"
        times[details["access_token"]["name"]] = times.get(details["access_token"]["name"], 0) + details["times"]
    assert times == {"Nightly run": 1, "Other": 2}
    made = next(item for item in items if item["action"] == "access_token.create" and item["object_id"] == program.id)
    assert made["object_name"] == "Nightly run"
    assert made["details"] == {"user": "admin", "grants": [*EVERYTHING], "read_only": False, "days": 30}


async def test_a_token_neither_puts_its_owner_into_a_group_nor_takes_them_out(portal: RunningPlatform) -> None:
    first = await portal.admin()
    admin = await portal.user(first, "ruler", roles=["admin"])
    program, user = await program_of(portal, admin, *EVERYTHING), await id_of(admin)
    group = await a_group(admin, "Ops", ["user"])
    put = f"/groups/{group}/users"
    assert told(await program.post(put, {"users": [user]}))[:2] == (403, "session_needed")
    assert (await admin.post(put, {"users": [user]})).is_success
    assert told(await program.delete(f"{put}/{user}"))[:2] == (403, "session_needed")
    assert (await admin.delete(f"{put}/{user}")).is_success
