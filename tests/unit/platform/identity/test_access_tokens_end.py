"""Access tokens end, and with them what they opened. On a real database."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from atoll.database.connection import connect
from atoll.identity import dependencies
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform, eventually
from tests.unit.platform.people import a_role, id_of, told
from tests.unit.platform.programs import EVERYTHING, Program, by, program_of

SECONDS = 5
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


@pytest.fixture
async def owner(portal: RunningPlatform) -> AsyncIterator[AsyncEngine]:
    """Whoever changes rows behind the API's back."""
    engine = connect(portal.configuration, pool_size=2)
    yield engine
    await engine.dispose()


async def change(owner: AsyncEngine, statement: str, **values: Any) -> None:
    async with owner.begin() as connection:
        await connection.execute(text(statement), values)


@dataclass
class Scene:
    """Ada has a program; the administrator may end it."""

    platform: RunningPlatform
    admin: Client
    ada: Client
    user: str
    program: Program
    owner: AsyncEngine


async def scene(portal: RunningPlatform, owner: AsyncEngine) -> Scene:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    return Scene(portal, admin, ada, await id_of(ada), await program_of(portal, ada, "platform"), owner)


ENDS: dict[str, Callable[[Scene], Awaitable[httpx.Response]]] = {
    "its owner ends it": lambda it: it.ada.delete(f"/access-tokens/{it.program.id}"),
    "an administrator ends it": lambda it: it.admin.delete(f"/users/{it.user}/access-tokens/{it.program.id}"),
    "the account is disabled": lambda it: it.admin.post(f"/users/{it.user}/disable", {}),
    "the account is deleted": lambda it: it.admin.post(f"/users/{it.user}/delete", {}),
    "the password is reset": lambda it: it.admin.post(f"/users/{it.user}/reset-password"),
}


@pytest.mark.parametrize("how", ENDS)
async def test_a_token_ends_and_what_flows_for_it(portal: RunningPlatform, owner: AsyncEngine, how: str) -> None:
    it = await scene(portal, owner)
    other = await program_of(portal, await portal.user(it.admin, "eve"), "platform")
    async with (
        asyncio.timeout(30),
        it.program.http.stream("GET", "/tasks/stream") as cut,
        other.http.stream("GET", "/tasks/stream") as kept,
    ):
        lines, others = cut.aiter_lines(), kept.aiter_lines()
        await anext(lines)
        await anext(others)
        began = time.monotonic()
        assert (await ENDS[how](it)).is_success
        assert told(await it.program.get("/tasks"))[:2] == (401, "wrong_token")
        try:
            async with asyncio.timeout(2 * SECONDS):
                async for _ in lines:
                    pass
        except TimeoutError:
            pytest.fail(f"{how}: the stream goes on")
        assert time.monotonic() - began < SECONDS
        try:
            while True:
                await asyncio.wait_for(anext(others), 0.5)
        except TimeoutError:
            pass
        except StopAsyncIteration:
            pytest.fail("the stream of another one's token ended, too")
    assert (await other.get("/tasks")).status_code == 200


async def test_a_stream_ends_when_the_scope_opens_less_and_when_the_time_is_over(
    portal: RunningPlatform, owner: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependencies, "SESSION_LOOK_S", 0.5)
    admin = await portal.admin()
    role = await a_role(admin, "Reads", "tasks:read", "nodes:read")
    ada = await portal.user(admin, "ada", roles=[role])
    program = await program_of(portal, ada, "tasks:read", "nodes:read")

    async def stream_until(change: Awaitable[Any]) -> None:
        async with asyncio.timeout(15), program.http.stream("GET", "/tasks/stream") as answer:
            lines = answer.aiter_lines()
            await anext(lines)
            await change
            async for _ in lines:
                pass

    await stream_until(admin.http.patch(f"/roles/{role}", json={"grants": ["tasks:read"]}))
    assert (await program.get("/tasks")).status_code == 200
    await stream_until(change(owner, "UPDATE access_tokens SET expires_at = now()"))
    assert told(await program.get("/tasks"))[:2] == (401, "wrong_token")
    listed = (await ada.get("/access-tokens")).json()["items"]
    assert [item["id"] for item in listed] == [program.id], "its owner does not see why it opens nothing"


async def test_a_download_is_broken_off_when_its_token_ends(platform: RunningPlatform) -> None:
    ada = await platform.user(await platform.admin(), "ada")
    program = await program_of(platform, ada, "files:read")
    home = platform.home("ada")
    home.mkdir(parents=True, exist_ok=True)
    with (home / "file").open("wb") as file:
        file.truncate(1 << 30)

    async def download() -> None:
        async with asyncio.timeout(20), program.http.stream("GET", "/home/files/content?path=file") as answer:
            assert answer.status_code == 200
            content = answer.aiter_raw()
            await anext(content)
            assert (await ada.delete(f"/access-tokens/{program.id}")).status_code == 204
            async for _ in content:
                pass

    with pytest.raises(httpx.RemoteProtocolError):
        await download()


async def test_who_is_enabled_again_has_no_token_of_before(portal: RunningPlatform, owner: AsyncEngine) -> None:
    it = await scene(portal, owner)
    for action in ("disable", "enable"):
        assert (await it.admin.post(f"/users/{it.user}/{action}", {})).is_success
    assert told(await it.program.get("/tasks"))[:2] == (401, "wrong_token"), "a token of before opens again"
    again = await portal.sign_in("ada", PASSWORD)
    assert (await again.get("/access-tokens")).json()["items"] == []


async def test_a_token_of_an_account_that_is_not_active_opens_nothing_whatever_made_it_so(
    portal: RunningPlatform, owner: AsyncEngine
) -> None:
    it = await scene(portal, owner)
    assert (await it.program.get("/tasks")).status_code == 200
    await change(owner, "UPDATE users SET active = false WHERE name = 'ada'")
    assert told(await it.program.get("/tasks"))[:2] == (401, "wrong_token")


async def test_tokens_outlive_sessions_and_a_password_that_their_owner_changes(
    portal: RunningPlatform, owner: AsyncEngine
) -> None:
    it = await scene(portal, owner)
    changed = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    assert (await it.ada.post("/session/password", changed)).status_code == 200
    assert (await it.admin.post(f"/users/{it.user}/end-sessions")).status_code == 200
    assert (await it.ada.get("/session")).status_code == 401
    assert (await it.program.get("/tasks")).status_code == 200


async def test_tokens_end_with_a_password_that_their_owner_changes_where_it_is_wanted(
    portal: RunningPlatform, owner: AsyncEngine
) -> None:
    it = await scene(portal, owner)
    other = await program_of(portal, await portal.user(it.admin, "eve"), "platform")
    changed = {"current_password": "not " + PASSWORD, "new_password": PASSWORD + "-2", "end_access_tokens": True}
    assert (await it.ada.post("/session/password", changed)).status_code == 422
    assert (await it.program.get("/tasks")).status_code == 200
    assert (await it.ada.post("/session/password", {**changed, "current_password": PASSWORD})).status_code == 200
    assert told(await it.program.get("/tasks"))[:2] == (401, "wrong_token"), "a token outlives the password"
    assert (await it.ada.get("/access-tokens")).json()["items"] == []
    assert (await other.get("/tasks")).status_code == 200
    record = (await it.admin.get("/audit")).json()["items"][0]
    assert (record["action"], record["details"]) == ("user.change_password", {"access_tokens": 1})


async def test_whose_password_must_be_changed_has_no_use_of_tokens(portal: RunningPlatform, owner: AsyncEngine) -> None:
    it = await scene(portal, owner)
    await change(owner, "UPDATE users SET must_change_password = true WHERE name = 'ada'")
    for path in ("/tasks", "/session"):
        assert told(await it.program.get(path))[:2] == (403, "must_change_password")
    made = await it.ada.post("/access-tokens", {"name": "x", "grants": ["tasks:read"], "days": 1})
    assert told(made)[:2] == (403, "must_change_password")


@pytest.mark.parametrize(
    ("meanwhile", "refused"),
    [
        ("UPDATE users SET active = false WHERE name = 'ada'", (401, "not_signed_in")),
        ("UPDATE users SET must_change_password = true WHERE name = 'ada'", (403, "must_change_password")),
        # Who changes the password has this user locked, and ends all sessions and tokens.
        (
            "WITH ended AS (DELETE FROM sessions) UPDATE users SET version = version + 1 WHERE name = 'ada'",
            (401, "not_signed_in"),
        ),
    ],
)
async def test_no_token_is_made_for_an_account_that_is_being_closed_nor_by_a_session_that_ends(
    portal: RunningPlatform, owner: AsyncEngine, meanwhile: str, refused: tuple[int, str]
) -> None:
    ada = await portal.user(await portal.admin(), "ada")

    async def waits() -> bool:
        async with owner.connect() as other:
            return making.done() or bool(await other.scalar(text(WAITING)))

    async with owner.connect() as connection:
        await connection.execute(text(meanwhile))
        body = {"name": "late", "grants": ["tasks:read"], "days": 1}
        making = asyncio.ensure_future(ada.post("/access-tokens", body))
        await eventually(waits)
        assert not making.done(), "it was made before the account was closed"
        await connection.commit()
    assert told(await making)[:2] == refused
    async with owner.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM access_tokens")) == 0


async def test_an_administrator_sees_and_ends_tokens_of_others(portal: RunningPlatform, owner: AsyncEngine) -> None:
    it = await scene(portal, owner)
    second = await program_of(portal, it.ada, "tasks:read", name="second")
    eve = await portal.user(it.admin, "eve")
    listed = await it.admin.get(f"/users/{it.user}/access-tokens")
    assert listed.json()["items"] == (await it.ada.get("/access-tokens")).json()["items"]
    assert [item["name"] for item in listed.json()["items"]] == ["second", "a program"]
    assert (await it.admin.get(f"/users/{it.user}")).json()["access_tokens"] == 2
    path = f"/users/{await id_of(eve)}/access-tokens/{second.id}"
    assert told(await it.admin.delete(path))[:2] == (404, "not_found"), "a token of another user"
    assert (await second.get("/tasks")).status_code == 200
    assert (await it.admin.delete(f"/users/{it.user}/access-tokens/{second.id}")).status_code == 204
    assert (await second.get("/tasks")).status_code == 401
    assert told(await it.admin.delete(f"/users/{it.user}/access-tokens/{second.id}"))[:2] == (404, "not_found")
    assert (await it.program.get("/tasks")).status_code == 200
    assert (await it.admin.get(f"/users/{it.user}")).json()["access_tokens"] == 1
    record = (await it.admin.get("/audit")).json()["items"][0]
    assert (record["action"], record["object_name"], record["details"]) == (
        "access_token.delete",
        "second",
        {"user": "ada"},
    )


async def test_who_manages_users_ends_no_token_of_somebody_who_holds_more(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Manages", "users:read", "users:manage")
    manager = await portal.user(admin, "manager", member=False, roles=[role])
    program = await program_of(portal, admin, *EVERYTHING)
    path = f"/users/{await id_of(admin)}/access-tokens"
    assert len((await manager.get(path)).json()["items"]) == 1
    assert told(await manager.delete(f"{path}/{program.id}"))[:2] == (403, "more_than_you_hold")
    assert (await program.get("/users")).status_code == 200


async def test_tokens_of_others_are_nobodys(portal: RunningPlatform, owner: AsyncEngine) -> None:
    it = await scene(portal, owner)
    eve = await portal.user(it.admin, "eve")
    for other in (eve, it.admin):
        assert (await other.get("/access-tokens")).json()["items"] == []
        assert told(await other.delete(f"/access-tokens/{it.program.id}"))[:2] == (404, "not_found")
    assert (await it.program.get("/tasks")).status_code == 200


async def test_what_ended_long_ago_is_forgotten_when_somebody_signs_in(
    portal: RunningPlatform, owner: AsyncEngine
) -> None:
    it = await scene(portal, owner)
    ended = "UPDATE access_tokens SET expires_at = now() - interval '{} days'"
    for days, left in ((29, 1), (31, 0)):
        await change(owner, ended.format(days))
        await portal.sign_in("ada", PASSWORD)
        assert len((await it.ada.get("/access-tokens")).json()["items"]) == left, days


async def test_that_a_token_is_used_is_kept_once_a_minute(portal: RunningPlatform, owner: AsyncEngine) -> None:
    it = await scene(portal, owner)
    elsewhere = by(portal, f"Bearer {it.program.token}", **{"X-Forwarded-For": "198.51.100.7"})

    async def used() -> tuple[str | None, str]:
        (listed,) = (await it.ada.get("/access-tokens")).json()["items"]
        return listed["last_used_at"], listed["last_used_address"]

    assert await used() == (None, "")
    await it.program.get("/tasks")
    first = await used()
    assert first[1] == "127.0.0.1"
    await elsewhere.get("/tasks")
    assert await used() == first, "it was written again within a minute"
    await change(owner, "UPDATE access_tokens SET last_used_at = last_used_at - interval '30 seconds'")
    before = await used()
    await elsewhere.get("/tasks")
    assert await used() == before
    await change(owner, "UPDATE access_tokens SET last_used_at = last_used_at - interval '61 seconds'")
    await elsewhere.get("/tasks")
    later = await used()
    assert later[1] == "198.51.100.7"
    assert str(later[0]) > str(first[0])
