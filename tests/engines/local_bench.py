"""The local engine: processes of this machine, user data in a temporary directory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from atoll.engines.base import Endpoint, Engine, EngineError
from atoll.engines.local import records
from atoll.engines.local.engine import LocalEngine
from atoll.engines.local.scheduler import Machine

from tests.engines.bench import TYPE, Bench


class LocalBench(Bench):
    """Two pretended machines."""

    user = "ada"
    image = "local/plain"
    patience_s = 20
    knows_indices = True

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self._state = directory / "state"
        self._storage = directory / "storage"
        self.uid = os.getuid()
        (self._storage / "home" / self.user).mkdir(parents=True)

    async def make(self) -> Engine:
        machines = [Machine(name, "amd64", {TYPE.type: 4}, 64, 1 << 38) for name in ("one", "two")]
        return LocalEngine(self._state, self._storage, [TYPE], machines)

    def place(self, source: str) -> str:
        return str(self._storage / source)

    async def put(self, source: str, name: str, text: str) -> None:
        (self._storage / source).mkdir(parents=True, exist_ok=True)
        (self._storage / source / name).write_text(text)

    async def left_of(self, attempt_id: str) -> list[str]:
        return [path.name for path in (self._state / attempt_id).rglob("*")]

    async def left_of_cluster(self, virtual_cluster: str) -> list[str]:
        assert isinstance(self.engine, LocalEngine)
        return [name for name in self.engine._clusters if name == virtual_cluster]

    async def left_of_member(self, virtual_cluster: str, name: str) -> list[str]:
        assert isinstance(self.engine, LocalEngine)
        return [each.name for each in self.engine._clusters[virtual_cluster].members if each.name == name]

    @contextlib.contextmanager
    def cut_off(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(records, "write", _killed)
            yield

    async def written(self) -> str:
        return "\n".join(path.read_text() for path in self._state.rglob("*") if path.is_file())

    async def reach(self, endpoint: Endpoint, path: str) -> str:
        async with httpx.AsyncClient(trust_env=False) as client:
            try:
                return (await client.get(f"http://{endpoint.host}:{endpoint.number}{path}")).text
            except httpx.HTTPError as error:
                return f"nothing: {error}"


def _killed(*_: object) -> None:
    raise EngineError("cut off")


@contextlib.asynccontextmanager
async def local_bench(directory: Path) -> AsyncIterator[Bench]:
    """A local engine that watches, with the suite's virtual cluster."""
    made = LocalBench(directory)
    await made.begin()
    try:
        await made.engine.provision(made.provision())
        yield made
    finally:
        await made.end()
