"""Files under a crowd: what all hold at a time fits into the pod, and one's own many keep nobody else waiting."""

import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from atoll.files import slots, work
from atoll.homes import codes
from atoll.homes.client import FilesClient
from atoll.homes.schemas import Owner
from atoll.tasks.collect import last_lines
from atoll.tasks.logs import log_path
from atoll.web.errors import TooMany, Unavailable

from tests.unit.platform.conftest import configuration, eventually

TREE = Path(__file__).parents[4]
MIB = 1 << 20


@dataclass
class Files:
    """A `files` of its own."""

    http: httpx.AsyncClient
    pid: int

    def read(self, user: str) -> httpx.Request:
        return self.http.build_request("POST", "/read", json={"owner": owner(user), "path": "large"})

    async def listing(self, user: str) -> httpx.Response:
        return await self.http.post("/list", json={"owner": owner(user), "path": ""})

    def workers(self) -> list[int]:
        return [int(each) for each in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]

    def own_bytes(self) -> int:
        return private_bytes(self.pid)


def owner(user: str) -> dict[str, Any]:
    return {"name": user, "uid": 30011}


def private_bytes(pid: int) -> int:
    """What the process alone holds."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


@pytest.fixture
async def files(tmp_path: Path) -> AsyncIterator[Files]:
    settings = configuration(tmp_path, "/nowhere", "none")
    (tmp_path / "config.yaml").write_text(json.dumps(settings.model_dump(mode="json")))
    for user in ("ada", "bob", *(f"user{number}" for number in range(20))):
        home = tmp_path / "storage/home" / user
        home.mkdir(parents=True)
        with (home / "large").open("wb") as file:
            file.truncate(1 << 28)
    log = tmp_path / "storage/home/ada" / log_path("x", 1, 0)
    log.parent.mkdir(parents=True)
    log.write_text("a line\n" * 20_000 + "the last line\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "atoll.files",
        env={
            **os.environ,
            "ATOLL_CONFIG": str(tmp_path / "config.yaml"),
            "ATOLL_LISTEN": "127.0.0.1",
            "ATOLL_PORT": str(port),
            "PYTHONPATH": f"{TREE}/platform",
        },
    )
    headers = {"Authorization": "Bearer internal"}
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}/internal/files", headers=headers, timeout=30, limits=limits
    ) as http:

        async def ready() -> bool:
            assert process.returncode is None
            with contextlib.suppress(httpx.HTTPError):
                return (await http.get(f"http://127.0.0.1:{port}/readyz")).is_success
            return False

        await eventually(ready, 60)
        try:
            yield Files(http, process.pid)
        finally:
            process.terminate()
            await process.wait()


async def test_what_nobody_reads_holds_little_and_keeps_nobody_else_waiting(files: Files) -> None:
    assert (await files.listing("ada")).is_success
    before = files.own_bytes()
    async with contextlib.AsyncExitStack() as stack:
        pool = work.READS
        stalled = [await files.http.send(files.read("ada"), stream=True) for _ in range(pool.per_owner)]
        for answer in stalled:
            stack.push_async_callback(answer.aclose)
            assert answer.is_success
        # More of the same user wait a moment, a few of them, and are refused in words; meanwhile others are served.
        api = FilesClient(str(files.http.base_url).removesuffix("/internal/files/"), "internal", "/home")
        stack.push_async_callback(api.close)
        ada = Owner.model_validate(owner("ada"))
        assert pool.waiting
        asked = [asyncio.create_task(api.content(ada, "", "large", download=True)) for _ in range(pool.waiting + 1)]
        refused, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        assert all(each.exception() for each in refused), "it was served although its owner has as many as one may"
        assert len(waiting) == pool.waiting, "it waited although as many as may wait already do"
        for user in ("bob", "ada"):
            assert (await files.listing(user)).is_success
        first = await files.http.send(files.read("bob"), stream=True)
        stack.push_async_callback(first.aclose)
        chunks = first.aiter_raw()
        assert len(await anext(chunks)) > 0
        # The end of a file comes as a look does, or ended tasks would wait for their owner's downloads.
        end = await asyncio.wait_for(last_lines(api, ada, "x", 1, 0), slots.WAIT_S / 2)
        assert end[-1] == "the last line"
        for each in asked:
            with pytest.raises(TooMany) as told:
                await each
            assert (told.value.status, told.value.code) == (429, codes.TooManyFileRequests.code)
            assert int(told.value.headers["Retry-After"]) > 0
        # All that there can be at a time, and what each holds.
        for number in range(pool.most - pool.per_owner - 1):
            answer = await files.http.send(files.read(f"user{number % 4}"), stream=True)
            stack.push_async_callback(answer.aclose)
            assert answer.is_success, number
        workers = files.workers()
        assert len(workers) == pool.most
        await asyncio.sleep(1)  # so much that whoever reads ahead has done so
        assert (files.own_bytes() - before) / pool.most < MIB
        assert max(map(private_bytes, workers)) < work.READ_BYTES
        assert before < work.BASE_BYTES
        assert (await files.listing("bob")).is_success, "who looks waits for those who read"

    async def gone() -> bool:
        return not files.workers()

    await eventually(gone, timeout_s=work.HANG_S)
    answer = await files.http.send(files.read("ada"), stream=True)
    assert answer.is_success
    await answer.aclose()


def test_the_pod_can_hold_all_that_runs_at_a_time() -> None:
    services = yaml.safe_load((TREE / "roles/platform/vars/main.yml").read_text())["platform_services"]
    limit = next(service["memory_limit"] for service in services if service["name"] == "files")
    assert limit.endswith("Mi")
    assert int(limit.removesuffix("Mi")) * MIB >= work.MOST_BYTES


async def test_who_waits_in_vain_for_others_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "WAIT_S", 0.1)
    pool = slots.Slots(slots.Pool(most=2, per_owner=1))
    async with pool.taken("ada"), pool.taken("bob"):
        with pytest.raises(Unavailable) as refused:
            async with pool.taken("carol"):
                raise AssertionError("there is no room")
        assert refused.value.headers["Retry-After"]
    async with pool.taken("carol"), pool.taken("ada"):  # nothing is lost by a refusal
        pass
