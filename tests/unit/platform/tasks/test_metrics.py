"""Charts of a task whose program reports more than anybody looks at, and whose storage is slow."""

import asyncio
import json
import threading
import tracemalloc
from collections import Counter
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from atoll.homes.client import FilesClient
from atoll.tasks import scalars
from atoll.tasks.metrics import TaskMetricsService
from atoll.tasks.models import TaskRow
from atoll.tasks.schemas import TaskMetrics
from atoll.web.turns import AT_ONCE

from tests.unit.platform.conftest import RunningPlatform, eventually, training

MIB = 1 << 20
CONNECTIONS = 30  # of the API with the database: as many as it keeps, and as many as it opens for a while
MANY_KEYS = b"".join(
    json.dumps({"step": number, **{f"k{number}_{key}": 1 for key in range(1000)}}).encode() + b"\n"
    for number in range(845)
)


async def chunks(content: bytes, read: list[int] | None = None) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(content), 1 << 16):
        if read is not None:
            read.append(start)
        yield content[start : start + (1 << 16)]


async def test_a_file_of_845_000_keys_is_cut_off_and_takes_little_memory() -> None:
    tracemalloc.start()
    try:
        series, truncated = await scalars.parsed(chunks(MANY_KEYS))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert truncated
    assert len(series) == scalars.MOST_SERIES
    assert most < 8 * MIB, f"{most / MIB:.0f} MiB"


async def test_points_are_counted_while_they_are_read_and_no_more_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = b"".join(b'{"step": %d, "loss": 0.5}\n' % number for number in range(150_000))
    read: list[int] = []
    monkeypatch.setattr(scalars, "MOST_POINTS", 50_000)
    (loss,), truncated = await scalars.parsed(chunks(content, read))
    assert truncated
    assert loss.steps[-1] == 50_000 - 1
    assert len(loss.steps) <= scalars.SHOWN_POINTS + 1
    assert read[-1] < len(content) - MIB


async def test_all_series_together_are_not_more_than_a_page_can_draw() -> None:
    entry = {f"s{number}": 0.25 for number in range(scalars.MOST_SERIES)}
    content = b"".join(json.dumps({"step": step, **entry}).encode() + b"\n" for step in range(3000))
    series, truncated = await scalars.parsed(chunks(content))
    assert not truncated
    assert sum(len(each.steps) for each in series) <= scalars.SHOWN_IN_ALL + scalars.MOST_SERIES


async def test_a_line_without_end_is_left_out_and_the_next_one_is_read() -> None:
    long = json.dumps({"step": 0, "text": "x" * (4 * scalars.MOST_LINE_BYTES)}).encode()
    (loss,), truncated = await scalars.parsed(chunks(long + b'\n{"step": 1, "loss": 0.5}\n{"step": 2, "lo'))
    assert (loss.steps, loss.values) == ([1], [0.5])
    assert truncated


@pytest.mark.parametrize("line", [b" " * 999 + b"\n", b"\n"], ids=["bytes", "lines"])
async def test_bytes_and_lines_are_counted_while_they_are_read(line: bytes) -> None:
    read: list[int] = []
    _, truncated = await scalars.parsed(chunks(line * ((scalars.MOST_BYTES + MIB) // len(line)), read))
    assert truncated
    assert read[-1] <= (scalars.MOST_BYTES if len(line) > 1 else 4 * scalars.MOST_LINES)


@pytest.mark.parametrize("step", ["feed", "series"])
async def test_requests_are_answered_while_a_chart_is_made_of_what_was_reported(
    monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    answered, others = threading.Event(), []
    made = getattr(scalars.Scalars, step)

    def slow(*given: Any) -> Any:
        others.append(answered.wait(2))
        return made(*given)

    monkeypatch.setattr(scalars.Scalars, step, slow)
    asyncio.get_running_loop().call_later(0.05, answered.set)
    await scalars.parsed(chunks(b'{"step": 1, "loss": 0.5}\n'))
    assert others == [True], "the event loop stood still"


async def task_of(platform: RunningPlatform, program: Any, user: Any, reported: bytes) -> str:
    program(user.name, "pass")
    made = await user.post("/trainings", training())
    task_id: str = made.json()["id"]
    await user.until(task_id, "finished")
    path = platform.home(user.name) / "tasks" / task_id / "metrics.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(reported)
    return task_id


async def test_the_answer_says_that_it_is_cut_off(platform: RunningPlatform, program: Any) -> None:
    ada = await platform.user(await platform.admin(), "ada")
    cut = await task_of(platform, program, ada, MANY_KEYS)
    whole = await task_of(platform, program, ada, b'{"step": 1, "loss": 0.5}\n')
    answer = await ada.get(f"/tasks/{cut}/metrics")
    assert answer.status_code == 200
    assert answer.json()["truncated"] is True
    assert (await ada.get(f"/tasks/{whole}/metrics")).json()["truncated"] is False


async def test_metrics_that_storage_is_slow_to_give_hold_no_connection_of_the_database(
    platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await platform.user(await platform.admin(), "ada")
    task_id = await task_of(platform, program, ada, b'{"step": 1, "loss": 0.5}\n')
    here, go_on = 0, asyncio.Event()
    read, charts = FilesClient.read, TaskMetricsService.metrics

    async def slow(self: FilesClient, *what: Any, **more: Any) -> AsyncGenerator[bytes, None]:
        await go_on.wait()
        async for chunk in read(self, *what, **more):
            yield chunk

    async def counted(self: TaskMetricsService, row: TaskRow) -> TaskMetrics:
        nonlocal here
        here += 1
        return await charts(self, row)

    monkeypatch.setattr(FilesClient, "read", slow)
    monkeypatch.setattr(TaskMetricsService, "metrics", counted)
    asked = [asyncio.create_task(ada.get(f"/tasks/{task_id}/metrics")) for _ in range(40)]
    try:

        async def more_than_there_are_connections() -> bool:
            return here >= CONNECTIONS

        await eventually(more_than_there_are_connections, 10)
        async with asyncio.timeout(3):
            assert (await ada.get("/tasks")).status_code == 200
    except TimeoutError:
        pytest.fail(f"{here} of {len(asked)} requests for metrics keep the database from all others")
    finally:
        go_on.set()
        answers = await asyncio.gather(*asked, return_exceptions=True)
    assert any(not isinstance(answer, BaseException) and answer.status_code == 200 for answer in answers)


async def test_who_asks_for_many_metrics_is_refused_before_a_browser_gives_up(
    platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One at a time is read: who waits behind many would wait for longer than anybody listens."""
    ada = await platform.user(await platform.admin(), "ada")
    task_id = await task_of(platform, program, ada, b'{"step": 1, "loss": 0.5}\n')
    assert (scalars.OWNERS._wait_s or 1e9) + 5 < 30, "they wait for as long as it takes"  # as a browser does
    monkeypatch.setattr(scalars.OWNERS, "_wait_s", 0.5)
    go_on, parsed = asyncio.Event(), scalars.parsed

    async def slow(content: AsyncGenerator[bytes, None]) -> Any:
        await go_on.wait()
        return await parsed(content)

    monkeypatch.setattr(scalars, "parsed", slow)
    asked = [asyncio.create_task(ada.get(f"/tasks/{task_id}/metrics")) for _ in range(3 * scalars.WAITING)]
    try:

        async def all_but_one() -> bool:
            return sum(each.done() for each in asked) == len(asked) - 1

        await eventually(all_but_one, 10)
    finally:
        go_on.set()
        answers = await asyncio.gather(*asked)
    codes = Counter(answer.status_code for answer in answers)
    assert codes == {200: 1, 429: len(asked) - 1}, "they wait for as long as it takes"
    assert all("Retry-After" in answer.headers for answer in answers if answer.status_code == 429)


async def test_one_users_slow_metrics_keep_nobody_elses_waiting(
    platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await platform.admin()
    ada, bob = await platform.user(admin, "ada"), await platform.user(admin, "bob")
    slow_one = await task_of(platform, program, ada, b'{"step": 1, "slow": 1}\n')
    quick_one = await task_of(platform, program, bob, b'{"step": 1, "loss": 0.5}\n')
    begun, go_on = 0, threading.Event()
    feed = scalars.Scalars.feed

    def slow(self: scalars.Scalars, chunk: bytes) -> bool:
        nonlocal begun
        if b"slow" in chunk and threading.current_thread().name.startswith("scalars"):  # not what ends the task
            begun += 1
            go_on.wait(30)
        return feed(self, chunk)

    monkeypatch.setattr(scalars.Scalars, "feed", slow)
    asked = [asyncio.create_task(ada.get(f"/tasks/{slow_one}/metrics")) for _ in range(AT_ONCE)]
    try:

        async def at_work() -> int:
            return begun

        await eventually(at_work)
        async with asyncio.timeout(5):
            answer = await bob.get(f"/tasks/{quick_one}/metrics")
        assert answer.json()["scalars"][0]["values"] == [0.5]
        assert (await ada.get("/tasks")).status_code == 200
    except TimeoutError:
        pytest.fail(f"{begun} of one user's metrics keep everybody else's waiting")
    finally:
        go_on.set()
        answers = await asyncio.gather(*asked)
    assert {answer.status_code for answer in answers} == {200}
