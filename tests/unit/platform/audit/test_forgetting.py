"""Who did what: rows have a size, and are forgotten by age and by number."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from atoll.api.domains import DOMAINS
from atoll.audit.domain import DOMAIN as AUDIT
from atoll.audit_trail.functions import AT_ONCE, LONGEST_TEXT
from atoll.audit_trail.models import AuditRow
from atoll.database.base import now
from atoll.database.connection import Sessions, connect, sessions
from atoll.identity.models import UserRow
from atoll.jobs import application
from sqlalchemy import func, select

from tests.unit.platform.conftest import RunningPlatform, eventually


async def test_a_refused_request_writes_a_short_row(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    long = "n" * 30_000
    assert (await ada.post(f"/services/{long}/restart")).status_code == 403
    (denied,) = (await admin.get("/audit", params={"action": "request.denied"})).json()["items"]
    assert len(denied["object_name"]) == LONGEST_TEXT


async def test_what_is_refused_again_and_again_is_counted_and_written_once_a_minute(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada, bob = [await platform.user(admin, name) for name in ("ada", "bob")]
    tried = 30
    for number in range(0, tried, 5):
        asked = (ada.post(f"/services/s{each}/restart") for each in range(number, number + 5))
        assert {answer.status_code for answer in await asyncio.gather(*asked)} == {403}
    assert (await ada.post("/users", {})).status_code == 403
    assert (await bob.post("/services/api/restart")).status_code == 403
    rows = (await admin.get("/audit", params={"action": "request.denied"})).json()["items"]
    of_ada = [row for row in rows if row["details"]["route"].endswith("/restart") and row["actor_name"] == "ada"]
    assert len(of_ada) <= 2, "one per minute, and the minute may have turned"
    assert sum(row["details"]["times"] for row in of_ada) == tried
    assert "/services/s" in of_ada[0]["object_name"]
    assert [row["details"]["times"] for row in rows if row not in of_ada] == [1, 1]


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    often = replace(AUDIT, periodic=tuple(replace(work, every=timedelta(seconds=0.2)) for work in AUDIT.periodic))
    monkeypatch.setattr(application, "DOMAINS", (often, *(each for each in DOMAINS if each is not AUDIT)))


@pytest.mark.parametrize("different", [{"audit": {"retention_days": 9, "rows": 40}}])
async def test_jobs_forgets_rows_that_are_old_or_too_many(platform: RunningPlatform) -> None:
    database = connect(platform.configuration, pool_size=1)
    opened = sessions(database)

    async def names() -> set[str]:
        async with opened() as session:
            return set((await session.scalars(select(AuditRow.actor_name))).all())

    async def old_are_gone() -> bool:
        return "00old" not in await names()

    async def too_many_are_gone() -> bool:
        async with opened() as session:
            return await session.scalar(select(func.count(AuditRow.id))) == 40

    try:
        await write(opened, "00old", 2 * AT_ONCE + 1, days=10)
        await write(opened, "00young", 3, days=8)
        await eventually(old_are_gone)
        assert "00young" in await names(), "nothing else is forgotten"
        await write(opened, "1many", 45, days=0)
        await eventually(too_many_are_gone)
        async with opened() as session:
            left = list((await session.scalars(select(AuditRow.id).order_by(AuditRow.id))).all())
        assert [each for each in left if each < "1"] == [f"00young{each:06d}" for each in range(3)], "of another day"
        assert {"1many000000", "1many000044"} <= {*left}, "what was first and what was last of its day is gone"
    finally:
        await database.dispose()


@pytest.mark.parametrize("different", [{"audit": {"retention_days": 9, "rows": 1000}}])
async def test_nobody_pushes_out_what_others_did(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    actors = [(await platform.user(admin, name)).name for name in ("ada", "bob", "eve")]
    database = connect(platform.configuration, pool_size=1)
    opened = sessions(database)

    async def left() -> dict[tuple[str, str], int]:
        query = select(AuditRow.actor_name, AuditRow.outcome, func.count(AuditRow.id)).where(AuditRow.action == "x")
        async with opened() as session:
            found = await session.execute(query.group_by(AuditRow.actor_name, AuditRow.outcome))
            return {(row[0], row[1]): row[2] for row in found.all()}

    async def few() -> bool:
        async with opened() as session:
            return await session.scalar(select(func.count(AuditRow.id))) == 1000

    try:
        async with opened() as session:
            ids = {row.name: row.id for row in (await session.scalars(select(UserRow))).all()}
        for name in actors:
            await write(opened, f"0{name}", 50, days=8, actor=(ids[name], name))
            await write(opened, f"1{name}", 5, days=8, actor=(ids[name], name), outcome="denied")
        # Refused ones of one actor: what else there is stays.
        await write(opened, "2", 3000, days=0, actor=(ids["eve"], "eve"), outcome="denied")
        await eventually(few)
        kept = await left()
        assert {kept.get((name, "done"), 0) for name in actors} == {50}, f"pushed out by what was refused: {kept}"
        assert [kept.get((name, "denied"), 0) for name in ("ada", "bob")] == [5, 5], kept
        # What was done by one actor.
        await write(opened, "3", 3000, days=0, actor=(ids["eve"], "eve"))
        await eventually(few)
        kept = await left()
        assert [kept.get((name, "done"), 0) for name in ("ada", "bob")] == [50, 50], f"pushed out by another: {kept}"
        assert [kept.get((name, "denied"), 0) for name in ("ada", "bob")] == [5, 5], kept
    finally:
        await database.dispose()


@pytest.mark.parametrize("different", [{"audit": {"retention_days": 9, "rows": 1000}}])
async def test_strangers_push_out_nothing_of_the_user_whose_name_they_try(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    http = platform.anonymous()
    for address, times in (("198.51.100.7", 3), ("198.51.100.8", 1)):
        for _ in range(times):
            body = {"name": "ada", "password": "a guess of a stranger"}
            answer = await http.post("/session", json=body, headers={"X-Forwarded-For": address})
            assert answer.status_code == 401
    assert (await ada.post("/services/api/restart")).status_code == 403
    tried = {"actor": "ada", "action": "session.create"}
    rows = (await admin.get("/audit", params=tried)).json()["items"]
    failed = [row for row in rows if row["outcome"] == "failed"]
    assert [row["actor"] for row in failed] == [None] * len(failed), "it counts as what ada did"
    assert sum(row["details"]["times"] for row in failed) == 4
    assert len(failed) <= 4 - 1, "one per minute and address, and the minute may have turned once"
    database = connect(platform.configuration, pool_size=1)
    opened = sessions(database)

    async def few() -> bool:
        async with opened() as session:
            return await session.scalar(select(func.count(AuditRow.id))) == 1000

    try:
        # More than one may have, all of one address: what another one did stays, and so does ada's.
        await write(opened, "0flood", 3000, days=0, outcome="failed", address="198.51.100.9")
        await eventually(few)
        async with opened() as session:
            kept = set((await session.scalars(select(AuditRow.address).where(AuditRow.outcome == "failed"))).all())
            denied = select(func.count(AuditRow.id)).where(AuditRow.outcome == "denied", AuditRow.actor_name == "ada")
            assert await session.scalar(denied) == 1, "pushed out by strangers"
        assert len(kept) == 3, f"pushed out by another address: {kept}"
    finally:
        await database.dispose()


async def write(
    opened: Sessions,
    name: str,
    count: int,
    *,
    days: int,
    actor: tuple[str | None, str] | None = None,
    outcome: str = "done",
    address: str = "",
) -> None:
    actor_id, actor_name = actor or (None, name)
    begin = now().replace(hour=0) - timedelta(days=days)
    async with opened() as session, session.begin():
        session.add_all(
            AuditRow(
                id=f"{name}{number:06d}",
                at=begin + timedelta(milliseconds=number),
                actor_id=actor_id,
                actor_name=actor_name,
                action="x",
                object_kind="x",
                object_id="",
                object_name="",
                outcome=outcome,
                address=address,
                request_id="",
                details={},
            )
            for number in range(count)
        )
