"""What only the local engine may get wrong; what each engine has to do stands in `tests/engines`."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from atoll.engines.base import Phase
from atoll.engines.local import engine

from tests.engines.bench import CLUSTER, Started
from tests.engines.local_bench import LocalBench
from tests.unit.platform.conftest import eventually


async def test_what_ended_while_it_was_started_may_be_forgotten_once_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = engine._begin

    def begin_and_wait(argv: list[str], environment: dict[str, str], file: Path) -> None:
        begin(argv, environment, file)
        engine._CHILDREN[-1].wait()

    monkeypatch.setattr(engine, "_begin", begin_and_wait)
    bench = LocalBench(tmp_path)
    bench.engine = await bench.make()
    await bench.engine.provision(bench.provision())
    attempt = await Started(bench)("")
    async with asyncio.timeout(20), contextlib.aclosing(bench.engine.run()) as changes:
        async for changed in changes:
            if changed == attempt.id and attempt.observe().phase is Phase.SUCCEEDED:
                break
        await bench.engine.forget(attempt.id, CLUSTER)
        assert attempt.observe().phase is Phase.GONE
    await bench.engine.close()


async def test_what_is_submitted_again_while_it_is_forgotten_keeps_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted, remove = threading.Event(), shutil.rmtree

    def remove_late(*arguments: Any, **more: Any) -> None:
        assert submitted.wait(10)
        remove(*arguments, **more)

    (tmp_path / "state" / f"{engine.FORGOTTEN}x" / "cut-off").mkdir(parents=True)
    bench = LocalBench(tmp_path)
    bench.engine = await bench.make()
    attempt = await Started(bench)("")
    monkeypatch.setattr(shutil, "rmtree", remove_late)
    await bench.engine.stop(attempt.id)
    forgetting = asyncio.create_task(bench.engine.forget(attempt.id, CLUSTER))
    await asyncio.sleep(0)
    await bench.engine.submit(attempt.submission)
    submitted.set()
    await forgetting
    assert "submission.json" in await bench.left_of(attempt.id)
    again = await bench.make()
    async with contextlib.aclosing(again.run()) as changes:
        await anext(changes)
        assert list(again.adopt()) == [attempt.id]
    assert [path.name for path in (tmp_path / "state").iterdir()] == [attempt.id]


async def test_what_is_stopped_while_it_is_started_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, begins, go_on = engine._begin, threading.Event(), threading.Event()
    children: list[subprocess.Popen[bytes]] = []

    def slow(argv: list[str], environment: dict[str, str], file: Path) -> None:
        begins.set()
        assert go_on.wait(10)
        begin(argv, environment, file)
        children.append(engine._CHILDREN[-1])

    monkeypatch.setattr(engine, "_begin", slow)
    bench = LocalBench(tmp_path)
    bench.engine = await bench.make()
    await bench.engine.provision(bench.provision())
    attempt = await Started(bench)("import time; time.sleep(60)")

    async def drive() -> None:
        async for _ in bench.engine.run():
            pass

    driving = asyncio.create_task(drive())
    await asyncio.to_thread(begins.wait, 10)
    await bench.engine.stop(attempt.id)
    go_on.set()

    async def has_ended() -> bool:
        return driving.done() or attempt.observe().phase is Phase.FAILED

    await eventually(has_ended, 20)
    driving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await driving
    await bench.engine.close()
    assert [child.wait(10) is not None for child in children] == [True], "a program goes on that nobody knows of"
