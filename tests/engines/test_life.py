"""Submitting, adopting, stopping, forgetting, waiting: from the first to the last moment of an attempt."""

from __future__ import annotations

import asyncio
import contextlib
import time
from decimal import Decimal

import pytest
from atoll.engines.base import EngineError, LogGone, NodeDevicesObservation, Phase, UserShare

from tests.engines.bench import CLUSTER, END, ENDED, SHARE, TYPE, Bench, Started, eventually, nothing_is_left_of

SAYS_IT_RUNS = f"import time; print('{END}'); time.sleep(600)"
COUNTS_ITS_STARTS = f"""
import os, time
path = os.environ['ATOLL_OUTPUT_DIR'] + '/starts'
open(path, 'a').write('x')
time.sleep(1)
print(len(open(path).read())); print('{END}'); time.sleep(600)
"""
ASKED = """
import os, signal, sys, time
def asked(*_):
    time.sleep(2)  # it saves what it has
    open(os.environ['ATOLL_OUTPUT_DIR'] + '/asked', 'w').write('politely'); sys.exit(3)
signal.signal(signal.SIGTERM, asked)
print('-- that is all --'); time.sleep(600)
"""
BEATS = """
import time
for _ in range(30):
    print(time.time()); time.sleep(0.1)
print('-- that is all --'); time.sleep(600)
"""
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('-- that is all --'); time.sleep(600)"


async def test_submitting_twice_is_submitting_once(bench: Bench, start: Started) -> None:
    attempt = await start(COUNTS_ITS_STARTS)
    await bench.engine.submit(attempt.submission)
    await attempt.until(Phase.RUNNING)
    await bench.engine.submit(attempt.submission)
    assert (await attempt.output()).strip() == "1"
    assert [replica.rank for replica in attempt.observe().replicas] == [0]


@pytest.mark.long
async def test_what_changes_is_told(bench: Bench, start: Started) -> None:
    attempt = await start("")
    await attempt.until(Phase.SUCCEEDED)
    await eventually(lambda: attempt.id in bench.told, bench.patience_s)
    assert None in bench.told, "machines are told, too"


async def test_an_end_is_told_with_its_exit_code_and_reason(start: Started) -> None:
    seen = await (await start("raise SystemExit(3)")).until(Phase.FAILED)
    assert seen.reason is not None
    assert (seen.reason.code, seen.reason.params) == ("exit_code", {"exit_code": 3})
    assert [(item.state, item.exit_code) for item in seen.replicas] == [("failed", 3)]
    assert seen.replicas[0].started_at is not None
    assert seen.replicas[0].finished_at is not None


async def test_an_attempt_that_was_never_submitted_is_gone(bench: Bench) -> None:
    assert bench.engine.observe("never-1").phase is Phase.GONE
    assert bench.engine.endpoints("never-1") in ((), [])
    with pytest.raises(LogGone):
        await anext(bench.engine.logs("never-1", 0, 0))


async def test_after_a_restart_the_engine_goes_on_with_what_runs_and_what_waits(bench: Bench, start: Started) -> None:
    running = await start(SAYS_IT_RUNS, devices=SHARE)
    await running.output()
    waiting = await start(SAYS_IT_RUNS, devices=SHARE)
    await waiting.until(Phase.WAITING)
    pod = running.observe().replicas[0].pod
    await bench.restart()
    assert {running.id, waiting.id} <= {*bench.engine.adopt()}
    assert running.observe().phase is Phase.RUNNING
    assert running.observe().replicas[0].pod == pod
    assert waiting.observe().phase is Phase.WAITING
    await bench.engine.provision(bench.provision())
    await running.stop()
    await waiting.output()


@pytest.mark.long
async def test_an_end_that_nobody_watched_is_seen_after_a_restart(bench: Bench, start: Started) -> None:
    attempt = await start("import time; time.sleep(2)")
    await attempt.until(Phase.RUNNING)
    await bench.end()
    await asyncio.sleep(4)
    await bench.begin()
    assert attempt.id in bench.engine.adopt()
    await attempt.until(Phase.SUCCEEDED)


async def test_a_stop_asks_politely_first_and_leaves_time_to_save(start: Started) -> None:
    attempt = await start(ASKED, grace_s=20)
    await attempt.output()
    await attempt.stop()
    directory = attempt.submission.output
    reader = await start(f"print(open('{directory}/asked').read()); print('{END}'); import time; time.sleep(600)")
    assert (await reader.output()).strip() == "politely"


async def test_what_does_not_listen_is_ended_after_the_grace(bench: Bench, start: Started) -> None:
    attempt = await start(DEAF, grace_s=2)
    await attempt.output()
    asked = time.monotonic()
    async with asyncio.timeout(bench.patience_s):
        assert (await attempt.stop()).phase in (Phase.FAILED, Phase.GONE)
    assert time.monotonic() - asked >= 2, "it was ended before its time"


async def test_what_waits_is_stopped_at_once(start: Started) -> None:
    holder = await start(SAYS_IT_RUNS, devices=SHARE)
    await holder.until(Phase.RUNNING)
    waiting = await start(SAYS_IT_RUNS, devices=1)
    await waiting.until(Phase.WAITING)
    await waiting.stop()
    assert holder.observe().phase is Phase.RUNNING


@pytest.mark.long
async def test_the_end_of_what_waited_and_was_stopped_is_told(bench: Bench, start: Started) -> None:
    holder = await start(SAYS_IT_RUNS, devices=SHARE)
    await holder.until(Phase.RUNNING)
    waiting = await start(SAYS_IT_RUNS, devices=1)

    def why() -> bool:
        seen = waiting.observe()
        return seen.phase is Phase.WAITING and seen.reason is not None and seen.reason.code != "queued"

    await eventually(why, bench.patience_s)
    bench.told.clear()
    await waiting.stop()
    await eventually(lambda: waiting.id in bench.told, bench.patience_s)


@pytest.mark.long
async def test_stopping_again_or_what_ended_or_never_was_changes_nothing(bench: Bench, start: Started) -> None:
    ended = await start("")
    failed = await start("raise SystemExit(3)")
    running = await start(SAYS_IT_RUNS)
    seen = [await ended.until(Phase.SUCCEEDED), await failed.until(Phase.FAILED)]
    left = [await bench.left_of(each.id) for each in (ended, failed)]
    for attempt_id in ("never-1", ended.id, failed.id):
        await bench.engine.stop(attempt_id)
    await running.output()
    await bench.engine.stop(running.id)
    await bench.engine.stop(running.id)
    assert (await running.ended()).phase in (Phase.FAILED, Phase.GONE)
    assert [ended.observe(), failed.observe()] == seen
    assert [await bench.left_of(each.id) for each in (ended, failed)] == left
    assert {ended.id, failed.id} <= {*bench.engine.adopt()}
    await bench.restart()
    assert [ended.observe().phase, failed.observe().phase] == [Phase.SUCCEEDED, Phase.FAILED]


@pytest.mark.long
async def test_nothing_is_told_before_all_that_there_is_was_listed(bench: Bench, start: Started) -> None:
    running = await start(SAYS_IT_RUNS)
    await running.until(Phase.RUNNING)
    await bench.end()
    engine = await bench.make()
    assert not engine.synced
    try:
        async with contextlib.aclosing(engine.run()) as changes:
            await anext(changes)
            assert engine.synced
            assert running.id in engine.adopt()
            assert engine.observe(running.id).phase is Phase.RUNNING
    finally:
        await engine.close()
        await bench.begin()


@pytest.mark.long
async def test_what_runs_goes_on_while_nobody_watches(bench: Bench, start: Started) -> None:
    attempt = await start(BEATS)
    await attempt.output(until="\n")
    await bench.end()
    closed = time.time()
    await asyncio.sleep(1)
    opened = time.time()
    await bench.begin()
    beats = [float(line) for line in (await attempt.output()).split()]
    assert len(beats) == 30
    assert any(closed < beat < opened for beat in beats), "nothing ran meanwhile"


async def test_a_log_that_is_followed_ends_with_its_program(bench: Bench, start: Started) -> None:
    attempt = await start("import time; print('first', flush=True); time.sleep(2); print('last')")
    await attempt.until(Phase.RUNNING)
    async with asyncio.timeout(bench.patience_s):
        said = b"".join([chunk async for chunk in bench.engine.logs(attempt.id, 0, 0)])
    assert said.decode() == "first\nlast\n"


@pytest.mark.long
async def test_what_is_forgotten_is_gone_and_may_be_forgotten_again(bench: Bench, start: Started) -> None:
    attempt = await start("")
    await attempt.until(Phase.SUCCEEDED)
    await bench.engine.forget(attempt.id, CLUSTER)
    await eventually(lambda: bench.engine.observe(attempt.id).phase is Phase.GONE, bench.patience_s)
    await eventually(lambda: attempt.id not in bench.engine.adopt(), bench.patience_s)
    await bench.engine.forget(attempt.id, CLUSTER)
    await bench.engine.forget("never-1", CLUSTER)
    await bench.restart()
    assert bench.engine.observe(attempt.id).phase is Phase.GONE


async def test_what_is_forgotten_leaves_nothing(bench: Bench, start: Started) -> None:
    attempt = await start("", secrets={"TOKEN": "hunter2"})
    await attempt.until(Phase.SUCCEEDED)
    assert await bench.left_of(attempt.id)
    await bench.engine.forget(attempt.id, CLUSTER)
    await nothing_is_left_of(bench, attempt.id)


async def test_a_submission_that_was_cut_off_half_way_is_adopted_and_leaves_nothing_once_it_is_forgotten(
    bench: Bench, start: Started
) -> None:
    attempt = start.prepare("", secrets={"TOKEN": "hunter2"})
    with bench.cut_off(), pytest.raises(EngineError):
        await bench.engine.submit(attempt.submission)
    assert await bench.left_of(attempt.id)
    await bench.restart()
    assert attempt.id in bench.engine.adopt()
    assert attempt.observe().phase in (Phase.GONE, Phase.WAITING, Phase.STARTING), "it ran without its variables"
    await bench.engine.forget(attempt.id, CLUSTER)
    await nothing_is_left_of(bench, attempt.id)


@pytest.mark.long
async def test_a_submission_that_was_cut_off_half_way_may_be_made_again(bench: Bench, start: Started) -> None:
    attempt = start.prepare("import os; assert os.environ['TOKEN'] == 'hunter2'", secrets={"TOKEN": "hunter2"})
    with bench.cut_off(), pytest.raises(EngineError):
        await bench.engine.submit(attempt.submission)
    await bench.restart()
    await bench.engine.provision(bench.provision())
    await bench.engine.submit(attempt.submission)
    await attempt.until(Phase.SUCCEEDED)


async def test_what_waits_says_why_and_starts_when_there_is_room(start: Started) -> None:
    holder = await start(SAYS_IT_RUNS, devices=SHARE)
    await holder.until(Phase.RUNNING)
    waiting = await start(SAYS_IT_RUNS, devices=1)
    await waiting.until(Phase.WAITING)

    def why() -> bool:
        reason = waiting.observe().reason
        return reason is not None and reason.code in ("devices_in_use", "user_limit_reached", "no_node_has_room")

    await eventually(why, waiting.bench.patience_s)
    await holder.stop()
    await waiting.until(Phase.STARTING, Phase.RUNNING)


async def test_one_user_reserves_a_share_of_the_cpu_and_the_rest_waits_and_is_told_why(
    bench: Bench, start: Started
) -> None:
    machines = [machine for machine in bench.engine.nodes() if machine.takes_tasks]
    share = UserShare(percent=1, usual_cpu="200m", usual_memory="64Mi")
    cores = Decimal(str(sum(machine.cpu_cores for machine in machines)))
    most, _ = share.of(cores, Decimal(1 << 40), len(machines))
    await bench.engine.provision(bench.provision(user_share=share.model_copy(update={"percent": 100})))
    usual = await start(SAYS_IT_RUNS)
    await usual.until(Phase.RUNNING)
    await bench.engine.provision(bench.provision(user_share=share))
    assert usual.observe().phase is Phase.RUNNING, "what runs is left alone"
    await usual.stop()
    await usual.ended()
    most_of_it = f"{int(most * 600)}m"
    holder = await start(SAYS_IT_RUNS, cpu=most_of_it)
    await holder.until(Phase.RUNNING)
    waiting = await start(SAYS_IT_RUNS, cpu=most_of_it)

    def why() -> bool:
        reason = waiting.observe().reason
        return reason is not None and reason.code in ("user_share_used_up", "capacity_in_use")

    await eventually(why, bench.patience_s)
    assert waiting.observe().phase is Phase.WAITING
    await holder.stop()
    await waiting.until(Phase.RUNNING)


@pytest.mark.long
async def test_provisioning_again_disturbs_nothing(bench: Bench, start: Started) -> None:
    attempt = await start(SAYS_IT_RUNS)
    await attempt.until(Phase.RUNNING)
    await bench.engine.provision(bench.provision())
    await bench.engine.provision(bench.provision())
    await asyncio.sleep(1)
    assert attempt.observe().phase is Phase.RUNNING
    assert {seen.phase for seen in attempt.seen} & ENDED == frozenset()


@pytest.mark.long
async def test_what_is_provisioned_anew_counts(bench: Bench, start: Started) -> None:
    await bench.engine.provision(bench.provision(1))
    waiting = await start(SAYS_IT_RUNS, devices=2)

    def why() -> bool:
        seen = waiting.observe()
        return seen.phase is Phase.WAITING and seen.reason is not None

    await eventually(why, bench.patience_s)
    await asyncio.sleep(1)
    assert why(), "it waits for what nobody gives"
    await bench.engine.provision(bench.provision(2))
    await waiting.until(Phase.RUNNING)


async def test_machines_are_told_with_their_devices_and_who_holds_them(bench: Bench, start: Started) -> None:
    before = bench.engine.capacity()
    attempt = await start(SAYS_IT_RUNS, devices=2)
    await attempt.until(Phase.RUNNING)
    assert bench.engine.capacity() == before, "each start of a task would provision all virtual clusters again"

    def used() -> NodeDevicesObservation | None:
        node = attempt.observe().replicas[0].node
        machines = {machine.name: machine for machine in bench.engine.nodes()}
        devices = [item for item in machines[node].devices if item.type == TYPE.type] if node in machines else []
        return next((item for item in devices if item.used >= 2), None)

    held = await eventually(used, bench.patience_s)
    (replica,) = attempt.observe().replicas
    if bench.knows_indices:
        assert held.used_by == dict.fromkeys(replica.devices or (), attempt.id)
        assert len(held.used_by) == held.used == 2
    else:
        assert (held.used_by, replica.devices) == (None, None), "it knows after all: tried then, too"


async def test_the_replicas_of_an_attempt_know_their_rank(start: Started) -> None:
    says = f"import os, time; print(os.environ['RANK'], os.environ['WORLD_SIZE']); print('{END}'); time.sleep(600)"
    attempt = await start(says, nodes=2)
    assert [(await attempt.output(rank)).split()[-2:] for rank in (0, 1)] == [["0", "2"], ["1", "2"]]
    nodes = {replica.node for replica in attempt.observe().replicas}
    assert len(nodes) == 2


@pytest.mark.long
async def test_a_log_is_followed_and_goes_on_from_any_offset(start: Started) -> None:
    attempt = await start(
        f"import time\nprint('first'); time.sleep(2); print('second'); print('{END}'); time.sleep(600)"
    )
    assert (await attempt.output(until="first")) == ""
    whole = await attempt.output()
    assert whole == "first\nsecond\n"
    assert await attempt.output(offset=len("first\n")) == "second\n"


@pytest.mark.long
async def test_what_is_being_run_is_not_forgotten_by_mistake(bench: Bench, start: Started) -> None:
    attempt = await start(SAYS_IT_RUNS)
    await attempt.until(Phase.RUNNING)
    try:
        await bench.engine.forget(attempt.id, CLUSTER)
    except EngineError:
        assert attempt.observe().phase is Phase.RUNNING
    else:
        assert (await attempt.ended()).phase is Phase.GONE
