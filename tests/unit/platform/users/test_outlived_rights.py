"""A request outlives nothing: what its asker may do is looked at behind all waiting. On a real database."""

import asyncio
from typing import Any

import pytest
from atoll.identity import passwords

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import a_group, a_role, account, id_of, lose_rights, told
from tests.unit.platform.programs import EVERYTHING, program_of
from tests.unit.platform.users.test_races import during, owner
from tests.unit.platform.users.test_rights import a_user

__all__ = ["owner"]

Held = tuple[asyncio.Event, asyncio.Event]
SLOW = "waits-for-its-turn-1"
# What PUT /users/{id}/roles does: one lock of the row and one DELETE.
DEMOTION = """
    WITH locked AS (UPDATE users SET version = version + 1 WHERE id = :id RETURNING id)
    DELETE FROM user_roles USING locked WHERE user_id = locked.id
"""


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """A password that waits for its turn, as they do while many sign in: it came, it may go on."""
    came, go = asyncio.Event(), asyncio.Event()
    real = passwords.hashed

    async def hashed(password: str, *, known: bool = True, fresh: bool = False) -> str:
        if password == SLOW:
            came.set()
            await go.wait()
        return await real(password, known=known, fresh=fresh)

    monkeypatch.setattr(passwords, "hashed", hashed)
    return came, go


@pytest.mark.parametrize(("how", "status"), [("disabled", 401), ("demoted", 403), ("deleted", 401)])
async def test_who_lost_their_rights_makes_no_administrator_after_that(
    portal: RunningPlatform, held: Held, how: str, status: int
) -> None:
    came, go = held
    admin = await portal.admin()
    eve = await portal.user(admin, "eve", roles=["admin"])
    user = await id_of(eve)
    body = {"users": [{"name": "backdoor", "nickname": "b", "password": SLOW}], "roles": ["admin"]}
    asking = asyncio.ensure_future(eve.post("/users/batch", body))
    await asyncio.wait_for(came.wait(), 10)
    await lose_rights(admin, user, how)
    go.set()
    answer = await asking
    assert answer.status_code == status, f"{how} first, then an administrator was made"
    assert (await admin.get("/users", params={"words": "backdoor"})).json()["items"] == []


@pytest.mark.parametrize("route", ["own roles", "a role's users", "a group's users"])
async def test_who_is_demoted_does_not_take_it_back_with_a_request_that_waited(
    portal: RunningPlatform, owner: Any, route: str
) -> None:
    admin = await portal.admin()
    group = await a_group(admin, "Rulers", ["admin"])
    eve = await portal.user(admin, "eve", roles=["admin"])
    user = await id_of(eve)
    match route:
        case "own roles":
            back = eve.http.put(f"/users/{user}/roles", json={"roles": ["admin", "user"]})
        case "a role's users":
            back = eve.post("/roles/user/users", {"users": [user]})
        case _:
            back = eve.post(f"/groups/{group}/users", {"users": [user]})
    answer = await during(owner, DEMOTION, back, id=user)
    assert told(answer)[:2] == (403, "more_than_you_hold"), "demoted, and in power again"
    assert (await eve.get("/users")).status_code == 403


async def put_into(eve: Client, route: str, group: str) -> Any:
    """Put eve, or whom she makes, into the group."""
    user = await id_of(eve)
    match route:
        case "own groups":
            return await eve.http.put(f"/users/{user}/groups", json={"groups": [group]})
        case "group's users":
            return await eve.post(f"/groups/{group}/users", {"users": [user]})
        case _:
            return await eve.post("/users", account("new", groups=[group]))


@pytest.mark.parametrize("route", ["own groups", "group's users", "new account"])
async def test_nobody_gives_a_virtual_cluster_by_a_group_that_they_may_not_give_by_itself(
    portal: RunningPlatform, route: str
) -> None:
    admin = await portal.admin()
    group = await a_group(admin, "GPU team", ["user"])
    cluster = (await admin.get("/virtual-clusters")).json()["items"][0]["id"]
    role = await a_role(admin, "Manages people", "users:read", "users:manage", "groups:read", "groups:manage")
    eve = await a_user(portal, admin, "eve", "user", role)
    assert (await admin.post(f"/virtual-clusters/{cluster}/members", {"groups": [group]})).is_success
    refused = await put_into(eve, route, group)
    assert told(refused)[:2] == (403, "more_than_you_hold"), "a virtual cluster was given away by a group"
    assert refused.json()["params"] == {"permissions": "virtual_clusters:manage"}
    assert (await eve.get("/session")).json()["virtual_clusters"] == []
    # What they are in themselves they give on.
    assert (await admin.post(f"/virtual-clusters/{cluster}/members", {"users": [await id_of(eve)]})).is_success
    assert (await put_into(eve, route, group)).is_success


async def test_who_manages_virtual_clusters_gives_them_by_groups(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    group = await a_group(admin, "GPU team", ["user"])
    cluster = (await admin.get("/virtual-clusters")).json()["items"][0]["id"]
    assert (await admin.post(f"/virtual-clusters/{cluster}/members", {"groups": [group]})).is_success
    role = await a_role(admin, "Manages", "users:read", "users:manage", "groups:manage", "virtual_clusters:manage")
    eve = await a_user(portal, admin, "eve", "user", role)
    assert (await put_into(eve, "group's users", group)).is_success


async def test_nobody_signs_in_while_disabled_by_a_password_that_was_being_changed(
    portal: RunningPlatform, held: Held
) -> None:
    came, go = held
    admin = await portal.admin()
    eve = await portal.user(admin, "eve")
    user = await id_of(eve)
    body = {"current_password": PASSWORD, "new_password": SLOW}
    asking = asyncio.ensure_future(eve.post("/session/password", body))
    await asyncio.wait_for(came.wait(), 10)
    assert (await admin.post(f"/users/{user}/disable", {})).is_success
    go.set()
    assert (await asking).status_code == 401
    assert (await admin.post(f"/users/{user}/enable")).is_success
    assert (await eve.get("/session")).status_code == 401, "a session began while the account was disabled"


async def test_no_password_is_changed_by_a_session_that_ended_while_it_waited(
    portal: RunningPlatform, held: Held
) -> None:
    came, go = held
    thief = await portal.user(await portal.admin(), "eve")
    eve = await portal.sign_in("eve", PASSWORD)
    asking = asyncio.ensure_future(
        thief.post("/session/password", {"current_password": PASSWORD, "new_password": SLOW})
    )
    await asyncio.wait_for(came.wait(), 10)
    assert (await eve.post("/sessions/end-others")).is_success
    go.set()
    assert told(await asking)[:2] == (401, "not_signed_in"), "the password was changed by a session that had ended"
    assert (await portal.sign_in("eve", PASSWORD)).name == "eve"


@pytest.mark.parametrize("name", ["root", "nobody"])
async def test_nobody_is_called_as_every_system_calls_somebody_else(portal: RunningPlatform, name: str) -> None:
    admin = await portal.admin()
    body = {"name": name, "nickname": name, "password": "x" * 12}
    assert told(await portal.anonymous().post("/registrations", json=body))[:2] == (409, "name_taken")
    assert told(await admin.post("/users", account(name)))[:2] == (409, "name_taken")


# As an import under way has it: who else makes an account waits for a uid.
MEANWHILE = """
    WITH waited AS MATERIALIZED (SELECT 1 AS one FROM pg_advisory_xact_lock(4802174552))
    DELETE FROM {} USING waited WHERE {} = :id
"""


@pytest.mark.parametrize(
    ("table", "status"), [("user_roles", 403), ("sessions", 401)], ids=["rights are taken", "the sessions end"]
)
async def test_no_account_is_made_by_who_lost_their_rights_while_it_waited_for_a_uid(
    portal: RunningPlatform, owner: Any, table: str, status: int
) -> None:
    admin = await portal.admin()
    eve = await portal.user(admin, "eve", roles=["admin"])
    user = await id_of(eve)
    asked = eve.post("/users", account("backdoor", roles=["admin"]))
    answer = await during(owner, MEANWHILE.format(table, "one = 1 AND user_id"), asked, id=user)
    assert answer.status_code == status, "it was made after all"
    assert (await admin.get("/users", params={"words": "backdoor"})).json()["items"] == []


async def test_no_account_is_made_by_a_token_that_ended_while_it_waited_for_a_uid(
    portal: RunningPlatform, owner: Any
) -> None:
    admin = await portal.admin()
    program = await program_of(portal, admin, *EVERYTHING)
    asked = program.post("/users", account("backdoor", roles=["admin"]))
    answer = await during(owner, MEANWHILE.format("access_tokens", "one = 1 AND id"), asked, id=program.id)
    assert told(answer)[:2] == (401, "not_signed_in"), "the token ended, and has made an administrator"
    assert (await admin.get("/users", params={"words": "backdoor"})).json()["items"] == []


LOCKED = "WITH locked AS (UPDATE {} RETURNING 1) DELETE FROM user_roles WHERE user_id = :id"


@pytest.mark.parametrize("what", ["a role of a user", "a member of a group", "a role of a group"])
async def test_who_is_demoted_takes_nothing_by_a_request_that_waited(
    portal: RunningPlatform, owner: Any, what: str
) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada", roles=["user"])
    group = await a_group(admin, "Ops", ["user"], [await id_of(ada)])
    eve = await portal.user(admin, "eve", roles=["admin"])
    locked, path = {
        "a role of a user": (
            "users SET version = version + 1 WHERE name = 'ada'",
            f"/roles/user/users/{await id_of(ada)}",
        ),
        "a member of a group": (
            "users SET version = version + 1 WHERE name = 'ada'",
            f"/groups/{group}/users/{await id_of(ada)}",
        ),
        "a role of a group": ("groups SET version = version + 1", f"/roles/user/groups/{group}"),
    }[what]
    answer = await during(owner, LOCKED.format(locked), eve.delete(path), id=await id_of(eve))
    assert told(answer)[:2] == (403, "more_than_you_hold"), "it was taken by who may not any more"
    assert (await admin.delete(path)).is_success, "it was not there any more"
