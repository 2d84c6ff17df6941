"""Who did what: rows have a size, and are forgotten by age and by number."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from atoll.api.domains import DOMAINS
from atoll.audit.domain import DOMAIN as AUDIT
from atoll.audit_trail.forgetting import AT_ONCE
from atoll.audit_trail.models import AuditRow
from atoll.audit_trail.record import LONGEST_TEXT, MOST_DETAILS_BYTES, bounded
from atoll.database.base import now
from atoll.database.connection import Sessions, connect, sessions
from atoll.jobs import application
from sqlalchemy import func, select

from tests.unit.platform.conftest import RunningPlatform, eventually


def test_details_have_a_size() -> None:
    most = 2 * MOST_DETAILS_BYTES
    assert bounded({"image": "x" * 60_000, "kind": "training"}) == {
        "image": "x" * (LONGEST_TEXT - 1) + "…",
        "kind": "training",
    }
    for details in ({"names": ["n" * 60] * 1000}, {f"k{number}": "v" * 999 for number in range(99)}):
        kept = bounded(details)
        assert kept["truncated"] is True
        assert len(json.dumps(kept)) < most


async def test_a_refused_request_writes_a_short_row(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    long = "n" * 30_000
    assert (await ada.post(f"/services/{long}/restart")).status_code == 403
    (denied,) = (await admin.get("/audit", params={"action": "request.denied"})).json()["items"]
    assert len(denied["object_name"]) == LONGEST_TEXT


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
        return not {"00old", "00young"} & await names()

    try:
        await write(opened, "00old", 2 * AT_ONCE + 1, days=10)
        await write(opened, "00young", 3, days=8)
        await eventually(old_are_gone)
        assert "00young" in await names(), "nothing else is forgotten"
        await write(opened, "1many", 45, days=0)
        await eventually(too_many_are_gone)
        async with opened() as session:
            assert await session.scalar(select(func.count(AuditRow.id))) == 40
    finally:
        await database.dispose()


async def write(opened: Sessions, name: str, count: int, *, days: int) -> None:
    async with opened() as session, session.begin():
        session.add_all(
            AuditRow(
                id=f"{name}{number:06d}",
                at=now() - timedelta(days=days),
                actor_id=None,
                actor_name=name,
                action="x",
                object_kind="x",
                object_id="",
                object_name="",
                outcome="done",
                address="",
                request_id="",
                details={},
            )
            for number in range(count)
        )
