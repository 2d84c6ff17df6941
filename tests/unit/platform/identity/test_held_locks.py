"""Whoever is judged and waits for what somebody else has locked keeps nobody else from signing in. On a database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable

import httpx
import pytest
from atoll.database.connection import LOCK_WAIT_S, connect
from atoll.database.locks import JUDGING, UIDS
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from tests.unit.platform.conftest import PASSWORD, RunningPlatform
from tests.unit.platform.people import told

SOON_S = LOCK_WAIT_S + 4


@pytest.fixture
async def holder(portal: RunningPlatform) -> AsyncIterator[AsyncConnection]:
    """Whoever has something locked until the test ends."""
    database = connect(portal.configuration, pool_size=1)
    async with database.connect() as connection:
        yield connection
        await connection.rollback()
    await database.dispose()


async def soon(answer: Awaitable[httpx.Response], why: str) -> httpx.Response:
    try:
        return await asyncio.wait_for(answer, SOON_S)
    except TimeoutError:
        pytest.fail(why)


async def signs_in(portal: RunningPlatform, name: str) -> httpx.Response:
    return await portal.anonymous().post("/session", json={"name": name, "password": PASSWORD})


def is_put_off(answer: httpx.Response) -> bool:
    return told(answer)[:2] == (503, "database_unavailable") and int(answer.headers["Retry-After"]) > 0


async def test_who_waits_for_a_uid_keeps_nobody_from_signing_in(
    portal: RunningPlatform, holder: AsyncConnection
) -> None:
    """As an import under way has it."""
    await portal.admin()
    await holder.execute(text(f"SELECT pg_advisory_xact_lock({UIDS})"))
    wanted = {"name": "ada", "nickname": "ada", "password": PASSWORD}
    registering = asyncio.create_task(portal.anonymous().post("/registrations", json=wanted))
    await asyncio.sleep(1)
    admin = await soon(signs_in(portal, "admin"), "everybody waits for one who registers")
    assert admin.status_code == 201
    assert not registering.done(), "it waited for nothing, and nothing was tried"
    assert is_put_off(await soon(registering, "it is kept waiting for as long as an import takes"))
    await holder.rollback()
    assert (await portal.anonymous().post("/registrations", json=wanted)).status_code == 201


async def test_who_registers_waits_for_a_uid_while_others_are_judged(
    portal: RunningPlatform, holder: AsyncConnection
) -> None:
    await portal.admin()
    await holder.execute(text(f"SELECT pg_advisory_xact_lock({UIDS})"))
    wanted = {"name": "ada", "nickname": "ada", "password": PASSWORD}
    registering = asyncio.create_task(portal.anonymous().post("/registrations", json=wanted))
    await asyncio.sleep(1)
    tried = await holder.scalar(text(f"SELECT pg_try_advisory_xact_lock({JUDGING})"))
    assert (tried, registering.done()) == (True, False), "nobody is judged while one waits for a uid"
    await holder.rollback()
    assert (await registering).status_code == 201


async def test_whose_account_is_locked_keeps_nobody_else_from_signing_in(
    portal: RunningPlatform, holder: AsyncConnection
) -> None:
    """As their own request has it that waits for a virtual cluster."""
    admin = await portal.admin()
    await portal.user(admin, "ada", member=False)
    await holder.execute(text("SELECT id FROM users WHERE name = 'ada' FOR UPDATE"))
    waiting = asyncio.create_task(signs_in(portal, "ada"))
    await asyncio.sleep(0.7)
    other = await soon(signs_in(portal, "admin"), "everybody waits for one whose account is locked")
    assert other.status_code == 201
    assert is_put_off(await soon(waiting, "it is kept waiting for as long as the account is locked"))
    await holder.rollback()
    assert (await signs_in(portal, "ada")).status_code == 201
