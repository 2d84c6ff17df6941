"""Followed logs: they may be silent for hours and cost nobody else anything."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import yaml
from aiohttp import ClientTimeout, web
from atoll import quantities
from atoll.engines import live_log as jobs_client
from atoll.engines.base import EngineError, LogGone
from atoll.engines.kubernetes.client import NODE, WATCH_TIMEOUT, KubernetesClient
from atoll.engines.kubernetes.engine import LIVE_LOG_BYTES
from atoll.engines.local.engine import LocalEngine
from atoll.tasks.logs import TaskLog

from tests.unit.platform.conftest import RunningPlatform, eventually, trust


class Outputs:
    """What stands in for the engine's logs, and how many are open."""

    def __init__(self) -> None:
        self.open = 0
        self.words: asyncio.Queue[bytes] = asyncio.Queue()

    async def logs(self, attempt_id: str) -> AsyncGenerator[bytes, None]:
        self.open += 1
        try:
            if attempt_id == "gone":
                raise LogGone(attempt_id)
            while True:
                yield await self.words.get()
        finally:
            self.open -= 1


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> Outputs:
    made = Outputs()

    monkeypatch.setattr(LocalEngine, "logs", lambda _engine, attempt_id, _rank, _offset: made.logs(attempt_id))
    return made


def jobs(platform: RunningPlatform) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=f"{platform.configuration.services.jobs}/internal/jobs",
        headers={"Authorization": "Bearer internal"},
        verify=trust(),
        timeout=10,
    )


async def test_a_silent_log_is_answered_and_let_go_when_its_reader_leaves(
    platform: RunningPlatform, outputs: Outputs
) -> None:
    async def all_closed() -> bool:
        return outputs.open == 0

    async with jobs(platform) as client:
        async with client.stream("GET", "/attempts/a/log?rank=0&offset=0") as answer:
            assert answer.status_code == 200
            assert outputs.open == 1
        await eventually(all_closed, timeout_s=5)
        with contextlib.suppress(httpx.ReadTimeout):  # it leaves before there is an answer
            await client.get("/attempts/a/log?rank=0&offset=0", timeout=0.5)
        await eventually(all_closed, timeout_s=5)


async def test_words_that_come_late_are_not_lost(
    platform: RunningPlatform, outputs: Outputs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("atoll.jobs.application.FIRST_BYTES_S", 0.1)
    async with jobs(platform) as client, client.stream("GET", "/attempts/a/log?rank=0&offset=0") as answer:
        for word in (b"late ", b"words"):
            outputs.words.put_nowait(word)
        read = answer.aiter_raw()
        got = b""
        while len(got) < len("late words"):
            got += await anext(read)
        assert got == b"late words"


async def test_a_log_that_the_engine_does_not_have_is_not_there(platform: RunningPlatform, outputs: Outputs) -> None:
    async with jobs(platform) as client:
        answer = await client.get("/attempts/gone/log?rank=0&offset=0")
    assert (answer.status_code, answer.json()["code"], outputs.open) == (404, "log_gone", 0)


@contextlib.asynccontextmanager
async def kubernetes(tmp_path: Path, *routes: web.RouteDef) -> AsyncIterator[KubernetesClient]:
    """A client of a pretended API server."""
    server = web.Application()
    server.add_routes(routes)
    runner = web.AppRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(_kubeconfig(f"http://127.0.0.1:{runner.addresses[0][1]}")))
    client = await KubernetesClient.connect(kubeconfig)
    try:
        yield client
    finally:
        await client.close()
        await runner.cleanup()


async def test_a_watch_whose_server_is_gone_without_a_word_breaks_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("atoll.engines.kubernetes.client.WATCH_TIMEOUT", ClientTimeout(total=60, sock_read=0.5))
    assert WATCH_TIMEOUT.sock_read == 90

    async def silent(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        await asyncio.Event().wait()
        return answer

    async with kubernetes(tmp_path, web.get("/api/v1/nodes", silent)) as client, asyncio.timeout(10):
        with pytest.raises(EngineError, match="broke off"):
            async for _ in client.watch(NODE, "1"):
                pass


async def test_a_log_whose_sibling_is_gone_without_a_word_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def says_nothing(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        await answer.prepare(request)
        await answer.write(b"the last word\n")
        await asyncio.Event().wait()
        return answer

    assert jobs_client._PATIENCE.read is not None
    monkeypatch.setattr(jobs_client, "_PATIENCE", httpx.Timeout(5, read=0.2))
    app = web.Application()
    app.add_routes([web.get("/internal/jobs/attempts/{id}/log", says_nothing)])
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    sibling = jobs_client.JobsClient(f"http://127.0.0.1:{runner.addresses[0][1]}", "internal")
    chunks = sibling.log("a-1", 0, 0)
    try:
        async with asyncio.timeout(5):
            assert await anext(chunks) == b"the last word\n"
            with pytest.raises(jobs_client.LiveLogGone):
                await anext(chunks)
    finally:
        await sibling.close()
        await runner.cleanup()


async def test_many_silent_logs_do_not_keep_the_engine_from_the_kubernetes_api(tmp_path: Path) -> None:
    following = 0
    ended = asyncio.Event()

    async def log(request: web.Request) -> web.StreamResponse:
        nonlocal following
        answer = web.StreamResponse()
        await answer.prepare(request)
        following += 1
        await ended.wait()
        return answer

    async def node(_request: web.Request) -> web.Response:
        return web.json_response({"metadata": {"name": "one"}})

    async def follow(client: KubernetesClient, number: int) -> None:
        async for _ in client.log("vc-default", f"pod-{number}", "task"):
            pass

    routes = (web.get("/api/v1/namespaces/{space}/pods/{pod}/log", log), web.get("/api/v1/nodes/{name}", node))
    async with kubernetes(tmp_path, *routes) as client:
        followers = [asyncio.create_task(follow(client, number)) for number in range(120)]

        async def all_follow() -> bool:
            return following == len(followers)

        await eventually(all_follow, timeout_s=30)
        assert await client.get(NODE, None, "one") == {"metadata": {"name": "one"}}
        ended.set()
        for follower in followers:
            follower.cancel()
        await asyncio.gather(*followers, return_exceptions=True)


def test_what_is_followed_live_is_what_the_kubelet_surely_keeps() -> None:
    settings = yaml.safe_load(Path("group_vars/container_runtime.yml").read_text(encoding="utf-8"))
    kept = quantities.parse(settings["container_runtime"]["log_size"])
    line_of_an_empty_line = len("2026-11-21T21:36:20.123456789Z stdout F \n")
    assert kept // line_of_an_empty_line > LIVE_LOG_BYTES


class Quiet(TaskLog):
    """A log of which nothing is to be had but `words`, one look after the other."""

    def __init__(self, words: list[bytes]) -> None:
        listener = SimpleNamespace(subscribe=lambda _channel: contextlib.nullcontext())
        jobs = SimpleNamespace(log=self._words)
        super().__init__(SimpleNamespace(listener=listener, part=lambda _kind: jobs), None, None, 1, 0)  # type: ignore[arg-type]
        self.words = iter(words)
        self.paused: list[float] = []
        self.looks = len(words)

    async def _words(self, *_: Any) -> AsyncGenerator[bytes, None]:
        word = next(self.words)
        if word:
            yield word

    async def _ended(self) -> bool:
        return len(self.paused) == self.looks

    async def _change(self, _changes: Any, longest_s: float) -> None:
        self.paused.append(longest_s)

    async def _stored(self, _offset: int) -> AsyncGenerator[bytes, None]:
        nothing: tuple[bytes, ...] = ()
        for word in nothing:
            yield word

    def _attempt_id(self) -> str:
        return "1-1"


async def test_a_log_to_which_nothing_is_added_is_looked_at_ever_more_rarely() -> None:
    quiet = Quiet([b"", b"", b"", b"", b"word", b""])
    assert b"".join([chunk async for chunk in quiet._bytes(0, follow=True)]) == b"word"
    assert quiet.paused == [1.0, 2.0, 4.0, 5.0, 5.0, 1.0]


def _kubeconfig(server: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [{"name": "test", "cluster": {"server": server}}],
        "users": [{"name": "test", "user": {"token": "test"}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
    }
