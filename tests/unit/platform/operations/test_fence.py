"""Who lost the claim on an operation writes nothing more, and who takes it over goes on behind the last checkpoint."""

import asyncio

from atoll.operations.handling import Work
from atoll.operations.models import OperationRow
from atoll.web.domain import OperationKind
from sqlalchemy import update

from tests.unit.platform.operations import ledger
from tests.unit.platform.operations.conftest import Operated, worked_on


class Gate:
    """A handler of two steps that halts between them."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.opened = asyncio.Event()

    async def handler(self, work: Work) -> None:
        if work.checkpoint is None:
            await ledger.write(work, "first", checkpoint={"done": 1})
        self.reached.set()
        await self.opened.wait()
        await ledger.write(work, "second", checkpoint={"done": 2})

    def kinds(self) -> tuple[OperationKind, ...]:
        """All of the ledger's, `test.steps` with this handler."""
        return (OperationKind("test.steps", self.handler, resumable=True), *ledger.KINDS[1:])


async def reached(gate: Gate) -> None:
    async with asyncio.timeout(20):
        await gate.reached.wait()


async def test_who_lost_the_claim_writes_neither_its_work_nor_its_checkpoint_nor_an_end(without_jobs: Operated) -> None:
    gate = Gate()
    operation_id = await without_jobs.start("test.steps")
    async with worked_on(without_jobs, gate.kinds(), workers=1):
        await reached(gate)
        async with without_jobs.sessions() as session, session.begin():
            taken = update(OperationRow).values(fence=OperationRow.fence + 1)  # by one of the very same name
            await session.execute(taken.where(OperationRow.id == operation_id))
        before = await without_jobs.row(operation_id)
        gate.opened.set()
        await without_jobs.once(await without_jobs.start("test.fragile", pause_s=0), "finished")  # its turn is over
    after = await without_jobs.row(operation_id)
    assert [what for _, what, _ in await without_jobs.ledger(operation_id)] == ["first"]
    assert (after.checkpoint, after.state, after.ending) == ({"done": 1}, "running", None)
    assert (after.lock_owner, after.lock_expires_at) == (before.lock_owner, before.lock_expires_at), "it let go of it"


async def test_after_a_kill_it_goes_on_behind_what_was_stored(without_jobs: Operated, killed: None) -> None:
    operation_id = await without_jobs.start("test.steps")
    gate = Gate()
    async with worked_on(without_jobs, gate.kinds(), lease_s=1, workers=1):
        await reached(gate)
    gate.opened.set()
    async with worked_on(without_jobs, gate.kinds(), workers=1):
        await without_jobs.once(operation_id, "finished")
    done = [(what, attempt) for _, what, attempt in await without_jobs.ledger()]
    assert done == [("first", 1), ("second", 2)]
