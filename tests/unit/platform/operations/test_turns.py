"""Whose operation comes next: nobody who asks for many keeps another one from his single one."""

import asyncio
from datetime import timedelta

from atoll.configuration import Operations as Settings
from atoll.database.base import now
from atoll.database.claims import Claim, Claims
from atoll.operations.models import OperationRow, OperationState
from atoll.operations.repository import OperationRepository
from atoll.web.errors import TooMany
from sqlalchemy import update

from tests.unit.platform.operations.conftest import Operated


async def take(operated: Operated, claims: Claims[OperationRow], *, per_owner: int = 2) -> tuple[Claim | None, str]:
    """The next one, begun; and whose it is."""
    async with operated.sessions() as session, session.begin():
        claim = await OperationRepository(session).take(
            claims, "worker", {"test.steps": 4}, per_owner=per_owner, altogether=4
        )
        if claim is None:
            return None, ""
        row = await session.get_one(OperationRow, claim.id)
        await session.execute(update(OperationRow).where(OperationRow.id == claim.id).values(started_at=now()))
        return claim, row.owner.name


async def end(operated: Operated, claim: Claim | None) -> None:
    assert claim is not None
    values = {"state": OperationState.FINISHED, "due_at": None, "lock_owner": None, "lock_expires_at": None}
    async with operated.sessions() as session, session.begin():
        await session.execute(update(OperationRow).where(OperationRow.id == claim.id).values(**values))


async def test_a_single_operation_waits_for_one_of_each_other_not_for_all_of_them(without_jobs: Operated) -> None:
    admin = await without_jobs.admin()
    for name in ("ada", "bob", "carol"):
        await without_jobs.user(admin, name)
    for name in ("ada", "bob"):
        for _ in range(6):
            await without_jobs.start("test.steps", name, steps=1)
    claims = Claims(without_jobs.sessions, OperationRow, timedelta(minutes=5))
    taken = [await take(without_jobs, claims) for _ in range(4)]
    assert [name for _, name in taken] == ["ada", "bob", "ada", "bob"]
    await without_jobs.start("test.steps", "carol", steps=1)
    order = []
    for _ in range(5):
        await end(without_jobs, taken.pop(0)[0])
        taken.append(await take(without_jobs, claims))
        order.append(taken[-1][1])
    assert order[0] == "carol", "she had no turn and the others run one each at least"
    assert sorted(order[1:3]) == ["ada", "bob"]
    assert {name for _, name in taken} == {"ada", "bob"}


async def test_who_runs_as_many_as_another_gets_the_turn_that_he_had_longer_ago(without_jobs: Operated) -> None:
    admin = await without_jobs.admin()
    for name in ("ada", "bob"):
        await without_jobs.user(admin, name)
    for name in ("ada", "ada", "ada", "bob", "bob"):
        await without_jobs.start("test.steps", name, steps=1)
    claims = Claims(without_jobs.sessions, OperationRow, timedelta(minutes=5))
    order = []
    for _ in range(5):
        claim, name = await take(without_jobs, claims)
        order.append(name)
        await end(without_jobs, claim)
    assert order == ["ada", "bob", "ada", "bob", "ada"]


async def test_requests_at_the_same_time_do_not_pass_the_limit(without_jobs: Operated) -> None:
    settings = Settings(waiting_per_user=3)
    without_jobs.configuration = without_jobs.configuration.model_copy(update={"operations": settings})
    found = await asyncio.gather(
        *(without_jobs.start("test.steps", steps=1) for _ in range(10)), return_exceptions=True
    )
    assert len([each for each in found if isinstance(each, TooMany)]) == 7
    assert len(await without_jobs.rows()) == 3
