"""A mount of user data that ended, and one that hangs. With real mounts of FUSE: needs root and /dev/fuse."""

from __future__ import annotations

import asyncio
import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from atoll.configuration import Configuration, Engine, Storage
from atoll.files.application import application
from atoll.files.mount import Mount
from httpx import ASGITransport, AsyncClient

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: it mounts")


class Fuse:
    """A mount at `root` whose client says nothing, until it ends."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._client = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self._client},rootmode=40755,user_id=0,group_id=0".encode()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"silent", os.fsencode(root), b"fuse", 0, options):
            raise OSError(ctypes.get_errno(), "mount")

    def end(self) -> None:
        if self._client >= 0:
            os.close(self._client)
        self._client = -1


@pytest.fixture
def fuse(tmp_path: Path) -> Iterator[Fuse]:
    mount = Fuse(tmp_path)
    yield mount
    mount.end()
    subprocess.run(["umount", tmp_path], check=True)


@pytest.fixture
def health(fuse: Fuse, tmp_path_factory: pytest.TempPathFactory) -> AsyncClient:
    """What the probes of the pod of `files` ask."""
    secrets = tmp_path_factory.mktemp("secrets")
    (secrets / "internal_token").write_text("token")
    settings = Configuration.model_construct(
        storage=Storage(root=fuse.root), secrets=secrets, engine=Engine.model_construct(kind="local")
    )
    return AsyncClient(transport=ASGITransport(application(settings)), base_url="http://files")


@root_only
async def test_a_mount_that_ended_is_told_and_only_a_new_container_helps(fuse: Fuse, health: AsyncClient) -> None:
    fuse.end()
    ready, alive = await health.get("/readyz"), await health.get("/healthz")
    assert ready.status_code == 503, "what cannot read user data is ready"
    assert "Transport endpoint is not connected" in ready.json()["obstacle"]
    assert alive.status_code == 503, "nobody starts it again, and it never sees the mount that is made in its place"
    assert "has ended" in alive.json()["obstacle"]


@root_only
async def test_a_mount_that_hangs_holds_up_nobody_and_is_waited_for(fuse: Fuse, health: AsyncClient) -> None:
    asked = [asyncio.ensure_future(health.get(path)) for path in ("/readyz", "/healthz", "/readyz", "/healthz")]
    assert (await health.get("/metrics")).status_code == 200
    assert not any(each.done() for each in asked), "a look at a silent mount holds up the service"
    found = [await each for each in asked]
    assert [each.status_code for each in found] == [503, 200, 503, 200]
    assert "does not answer" in found[0].json()["obstacle"]
    fuse.end()
    assert (await health.get("/healthz")).status_code == 503


async def test_a_root_that_is_there_is_ready_and_one_that_is_not_is_told(tmp_path: Path) -> None:
    assert await Mount(tmp_path).obstacle() is None
    away = Mount(tmp_path / "away")
    assert "is the storage mounted?" in (await away.obstacle() or "")
    assert await away.ended() is None


@root_only
def test_a_look_that_hangs_keeps_no_process_from_its_end(fuse: Fuse) -> None:
    program = "import asyncio, pathlib, sys; from atoll.files.mount import Mount; "
    program += "print(asyncio.run(Mount(pathlib.Path(sys.argv[1]), 0.1).obstacle()))"
    done = subprocess.run(
        [sys.executable, "-c", program, fuse.root],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert "does not answer" in done.stdout, done.stderr
