"""What an engine has of virtual clusters: what is wanted, and nothing of those and of members that are not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from atoll.engines.base import ClusterProvision, Member, Phase

from tests.engines.bench import CLUSTER, END, Bench, Started

SECOND = f"{CLUSTER}-second"
BOB = Member(name="bob", uid=30999)
RUNS = f"import time; print({END!r}, flush=True); time.sleep(300)"


async def until_complete(bench: Bench, ask: Callable[[], Awaitable[bool]]) -> None:
    """Ask until that is all, as `jobs` does."""
    until = time.monotonic() + bench.patience_s
    while not await ask():
        assert time.monotonic() < until, "something is left for too long"
        await asyncio.sleep(0.2)


async def brought(bench: Bench, wanted: ClusterProvision) -> None:
    await until_complete(bench, lambda: bench.engine.provision(wanted))


async def removed(bench: Bench, name: str) -> None:
    await until_complete(bench, lambda: bench.engine.remove_cluster(name))


async def test_a_virtual_cluster_that_is_removed_leaves_nothing_and_disturbs_no_other(
    bench: Bench, start: Started
) -> None:
    attempt = await start(RUNS)
    await attempt.until(Phase.RUNNING)
    await brought(bench, bench.provision(name=SECOND))
    assert await bench.left_of_cluster(SECOND)
    await removed(bench, SECOND)
    assert await bench.left_of_cluster(SECOND) == [], "it is called gone, and something of it is there"
    assert await bench.left_of_cluster(CLUSTER), "another one went with it"
    assert attempt.observe().phase is Phase.RUNNING


@pytest.mark.long
async def test_removing_again_or_what_never_was_changes_nothing(bench: Bench) -> None:
    assert await bench.engine.remove_cluster(f"{CLUSTER}-never")
    await brought(bench, bench.provision(name=SECOND))
    await removed(bench, SECOND)
    assert await bench.engine.remove_cluster(SECOND)


@pytest.mark.long
async def test_a_removal_goes_on_after_a_restart_in_the_midst_of_it(bench: Bench) -> None:
    await brought(bench, bench.provision(name=SECOND))
    await bench.engine.remove_cluster(SECOND)
    await bench.restart()
    await removed(bench, SECOND)
    assert await bench.left_of_cluster(SECOND) == []
    await bench.engine.provision(bench.provision())


async def test_what_was_removed_is_made_anew_under_its_name_and_takes_tasks(bench: Bench, start: Started) -> None:
    await brought(bench, bench.provision(name=SECOND))
    await removed(bench, SECOND)
    await brought(bench, bench.provision(name=SECOND))
    attempt = await start("print('again')", virtual_cluster=SECOND)
    assert (await attempt.ended()).phase is Phase.SUCCEEDED
    await bench.engine.forget(attempt.id, SECOND)
    await removed(bench, SECOND)


async def test_of_who_is_no_member_any_more_nothing_is_left_and_the_others_go_on(bench: Bench, start: Started) -> None:
    attempt = await start(RUNS)
    await attempt.until(Phase.RUNNING)
    await brought(bench, bench.provision(others=(BOB,)))
    assert await bench.left_of_member(CLUSTER, BOB.name)
    await brought(bench, bench.provision())
    assert await bench.left_of_member(CLUSTER, BOB.name) == [], "who left still has a queue"
    assert await bench.left_of_member(CLUSTER, bench.user), "who stayed has none"
    assert attempt.observe().phase is Phase.RUNNING


@pytest.mark.long
async def test_who_comes_back_has_all_that_members_have(bench: Bench) -> None:
    await brought(bench, bench.provision(others=(BOB,)))
    there = sorted(await bench.left_of_member(CLUSTER, BOB.name))
    await bench.engine.provision(bench.provision())
    await brought(bench, bench.provision(others=(BOB,)))
    assert sorted(await bench.left_of_member(CLUSTER, BOB.name)) == there
    await brought(bench, bench.provision())
