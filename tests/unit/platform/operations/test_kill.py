"""Real `jobs` processes are killed, frozen and ended in the middle of operations: nothing is done twice."""

import asyncio
import signal
from collections import Counter

from tests.unit.platform.conftest import eventually
from tests.unit.platform.operations.conftest import Operated

STEPS = 5
SHORT_S = 3.0  # soon over for one that was killed
LONG_S = 60.0  # none runs out while the machine is slow


async def lines(operated: Operated, count: int) -> None:
    async def look() -> bool:
        return len(await operated.ledger()) >= count

    await eventually(look, 60)


async def all_ended(operated: Operated, timeout_s: float = 90) -> None:
    async def look() -> bool:
        return all(row.state in ("finished", "failed", "cancelled") for row in await operated.rows())

    await eventually(look, timeout_s)


async def check_ledger(operated: Operated) -> Counter[str]:
    """Every step of every operation stands there once; what was broken off left nothing. Gives the ends."""
    found = Counter((operation, what) for operation, what, _ in await operated.ledger())
    expected: Counter[tuple[str, str]] = Counter()
    ends: Counter[str] = Counter()
    for row in await operated.rows():
        ends[f"{row.kind} {row.state}"] += 1
        assert (row.lock_owner, row.lock_expires_at, row.due_at) == (None, None, None)
        if row.kind == "test.steps":
            assert row.state == "finished", row.reason
            expected.update((row.id, f"step {number}") for number in range(STEPS))
        elif row.state == "finished":
            expected[row.id, "done"] += 1
        else:
            assert row.reason is not None
            assert row.reason["code"] == "operation_interrupted"
            # It may have done all before it was killed: done once and told as broken off, never twice nor by half.
            expected[row.id, "done"] += min(found[row.id, "done"], 1)
    assert found == expected
    return ends


async def test_fifty_operations_survive_the_kill_of_jobs_and_nothing_is_done_twice(without_jobs: Operated) -> None:
    for number in range(50):
        if number % 5 == 0:
            await without_jobs.start("test.fragile", pause_s=1.0)
        else:
            await without_jobs.start("test.steps", steps=STEPS, pause_s=0.1)
    first = await without_jobs.jobs_process(SHORT_S)
    await lines(without_jobs, 30)
    first.send_signal(signal.SIGKILL)
    await first.wait()
    before = Counter(row.state for row in await without_jobs.rows())
    assert before["running"] > 0, "it was not killed in the middle"
    assert before["queued"] > 0
    await without_jobs.jobs_process(SHORT_S)
    await all_ended(without_jobs)
    ends = await check_ledger(without_jobs)
    assert ends["test.steps finished"] == 40
    assert ends["test.fragile failed"] + ends["test.fragile finished"] == 10
    resumed = [row for row in await without_jobs.rows() if row.kind == "test.steps" and row.attempts > 1]
    assert resumed, "none of those that went on was in the middle"


async def test_two_processes_share_the_work_and_do_none_of_it_twice(without_jobs: Operated) -> None:
    for _ in range(50):
        await without_jobs.start("test.steps", steps=STEPS, pause_s=0.02)
    await asyncio.gather(without_jobs.jobs_process(LONG_S), without_jobs.jobs_process(LONG_S))
    await all_ended(without_jobs)
    await check_ledger(without_jobs)
    assert {row.attempts for row in await without_jobs.rows()} == {1}


async def test_a_process_that_wakes_up_after_its_lease_writes_nothing_more(without_jobs: Operated) -> None:
    frozen = await without_jobs.jobs_process(SHORT_S)
    for _ in range(8):
        await without_jobs.start("test.steps", steps=STEPS, pause_s=0.3)
    await lines(without_jobs, 8)
    # Wherever it is, perhaps in the middle of a transaction, whose locks the server then takes from it.
    frozen.send_signal(signal.SIGSTOP)
    await without_jobs.jobs_process(SHORT_S)
    await all_ended(without_jobs)
    frozen.send_signal(signal.SIGCONT)
    await asyncio.sleep(2)
    await check_ledger(without_jobs)


async def test_a_process_that_is_told_to_end_gives_its_work_back(without_jobs: Operated) -> None:
    first = await without_jobs.jobs_process(LONG_S)
    for _ in range(4):
        await without_jobs.start("test.steps", steps=STEPS, pause_s=0.5)
    await lines(without_jobs, 4)
    first.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(first.wait(), 15) is not None
    rows = await without_jobs.rows()
    assert {row.state for row in rows} == {"running"}
    assert {row.lock_owner for row in rows} == {None}
    await without_jobs.jobs_process(LONG_S)
    await all_ended(without_jobs)
    await check_ledger(without_jobs)
