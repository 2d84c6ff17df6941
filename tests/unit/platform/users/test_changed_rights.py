"""What flows for somebody ends when they may other things than when it began. On a real database."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx
import pytest

from tests.unit.platform.conftest import Client, RunningPlatform
from tests.unit.platform.people import a_group, a_role, id_of, may, registered

SECONDS = 5


@dataclass
class Scene:
    """Ada is in the group, which has the role; she has a second one herself."""

    admin: Client
    ada: str
    group: str
    role: str
    own: str


CHANGES: dict[str, Callable[[Scene], Awaitable[httpx.Response]]] = {
    "a role is edited": lambda it: it.admin.http.patch(f"/roles/{it.role}", json={"grants": ["overview:read"]}),
    "a role is deleted": lambda it: it.admin.delete(f"/roles/{it.role}"),
    "an own role is edited": lambda it: it.admin.http.patch(f"/roles/{it.own}", json={"grants": ["nodes:read"]}),
    "roles of the user": lambda it: it.admin.http.put(f"/users/{it.ada}/roles", json={"roles": []}),
    "a role is taken": lambda it: it.admin.delete(f"/roles/{it.own}/users/{it.ada}"),
    "a role is given": lambda it: it.admin.post("/roles/user/users", {"users": [it.ada]}),
    "groups of the user": lambda it: it.admin.http.put(f"/users/{it.ada}/groups", json={"groups": []}),
    "out of a group": lambda it: it.admin.delete(f"/groups/{it.group}/users/{it.ada}"),
    "roles of the group": lambda it: it.admin.http.put(f"/groups/{it.group}/roles", json={"roles": ["annotator"]}),
    "a role is taken from the group": lambda it: it.admin.delete(f"/roles/{it.role}/groups/{it.group}"),
    "the group is deleted": lambda it: it.admin.delete(f"/groups/{it.group}"),
}


@pytest.mark.parametrize("what", CHANGES)
async def test_a_stream_ends_within_seconds_when_its_user_may_other_things(portal: RunningPlatform, what: str) -> None:
    admin = await portal.admin()
    ada, eve = await registered(portal, "ada"), await portal.user(admin, "eve")
    user = await id_of(ada)
    role, own = await a_role(admin, "Group's", "tasks:read", "nodes:read"), await a_role(admin, "Own", "overview:read")
    scene = Scene(admin, user, await a_group(admin, "Ops", [role], [user]), role, own)
    assert (await admin.post(f"/roles/{own}/users", {"users": [user]})).is_success
    before = await may(ada)
    async with (
        asyncio.timeout(30),
        ada.http.stream("GET", "/tasks/stream") as cut,
        eve.http.stream("GET", "/tasks/stream") as kept,
    ):
        lines, others = cut.aiter_lines(), kept.aiter_lines()
        await anext(lines)
        await anext(others)
        began = time.monotonic()
        assert (await CHANGES[what](scene)).is_success
        try:
            async with asyncio.timeout(2 * SECONDS):
                async for _ in lines:
                    pass
        except TimeoutError:
            pytest.fail(f"{what}: the stream goes on with the rights of before")
        assert time.monotonic() - began < SECONDS
        try:
            while True:
                await asyncio.wait_for(anext(others), 0.5)
        except TimeoutError:
            pass
        except StopAsyncIteration:
            pytest.fail("the stream of whom it does not concern ended, too")
    assert await may(ada) != before
