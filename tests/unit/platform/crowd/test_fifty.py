"""A Monday morning: fifty people whom nothing knows yet sign in at once. What that takes, `./atoll bench` measures."""

import asyncio
from dataclasses import replace

import pytest
from atoll.database.connection import connect
from atoll.identity import passwords

from tests.bench.population import Population, populate
from tests.unit.platform.conftest import PASSWORD, QUICK, RunningPlatform, eventually
from tests.unit.platform.crowd.test_strangers import Slow, slow
from tests.unit.platform.people import portal

__all__ = ["portal", "slow"]
FIFTY, PATIENCE_S = 50, 120
FEW = Population(users=99, groups=3, clusters=2, tasks=0, audited=0, signed_in=0)


@pytest.fixture
async def names(portal: RunningPlatform) -> list[str]:
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await populate(connection, replace(FEW, password_hash=QUICK.hash(PASSWORD)))
        found = await connection.exec_driver_sql("SELECT name FROM users WHERE active AND id LIKE 'u%' ORDER BY id")
        told = [str(row[0]) for row in found]
    await database.dispose()
    return told


async def test_fifty_people_who_come_at_once_are_all_let_in(
    portal: RunningPlatform, names: list[str], slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "_HASHER", slow)
    people = [
        asyncio.create_task(
            portal.anonymous(**{"X-Forwarded-For": f"198.51.100.{at}"}).post(
                "/session", json={"name": name, "password": PASSWORD}, timeout=PATIENCE_S
            )
        )
        for at, name in enumerate(names[:FIFTY])
    ]

    async def all_are_here() -> bool:
        return passwords._QUEUE.here + sum(each.done() for each in people) == FIFTY

    await eventually(all_are_here)
    slow.word.set()
    statuses = [(await each).status_code for each in people]
    assert statuses == [201] * FIFTY, "who comes with many others is told to come again"


async def test_fifty_people_behind_one_address_are_all_let_in(portal: RunningPlatform, names: list[str]) -> None:
    people = (
        portal.anonymous(**{"X-Forwarded-For": "203.0.113.7"}).post(
            "/session", json={"name": name, "password": PASSWORD}, timeout=PATIENCE_S
        )
        for name in names[:FIFTY]
    )
    statuses = [answer.status_code for answer in await asyncio.gather(*people)]
    assert statuses == [201] * FIFTY, "who comes from where many others do is told to come again"
