"""Needs root and the bundle (built or in the cache): its runc starts containers here."""

from __future__ import annotations

import os
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from tests.system.harness import bundled
from tests.unit.plugins.conftest import load

INIT, GETATTR = 26, 3
NO_SUCH_CALL = -38


@pytest.fixture(scope="session")
def runc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle's; of one that is named it is taken as it is."""
    return bundled(tmp_path_factory.mktemp("bundle"), "program/runc") / "bin/amd64/runc"


@pytest.fixture
def probe(runc: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module that asks a node, with the bundle's runc."""
    module = load("modules", "atoll_user_namespaces")
    monkeypatch.setattr(module, "RUNC", str(runc))
    return module


Mount = Callable[..., Path]


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Mount]:
    """Mount a file system at a folder; it is gone behind the test."""
    with ExitStack() as mounted:

        def call(kind: str, *options: str, at: str = "tree") -> Path:
            place = tmp_path / at
            place.mkdir(parents=True, exist_ok=True)
            subprocess.run(
                ["mount", "-t", kind, *(["-o", ",".join(options)] if options else []), kind, place], check=True
            )
            mounted.callback(lambda: subprocess.run(["umount", "--lazy", place], check=True))
            return place

        yield call


@contextmanager
def in_user_space(place: Path) -> Iterator[None]:
    """A file system that is served by this process, as GlusterFS is by its client: an empty folder."""
    place.mkdir()
    with Path("/dev/fuse").open("r+b", buffering=0) as device:
        options = f"fd={device.fileno()},rootmode=40755,user_id=0,group_id=0,allow_other"
        mounting = ["mount", "--internal-only", "-t", "fuse.atoll", "-o", options, "atoll", str(place)]
        subprocess.run(mounting, check=True, pass_fds=[device.fileno()])
        serving = threading.Thread(target=_serve, args=(device.fileno(),), daemon=True)
        serving.start()
        try:
            yield
        finally:
            subprocess.run(["umount", place], check=True)
            serving.join(timeout=10)


def _serve(device: int) -> None:
    """Say who it is and that its only folder is one; everything else it does not know."""
    while True:
        try:
            asked = os.read(device, 1 << 20)
        except OSError:  # unmounted
            return
        _, call, unique = struct.unpack_from("=IIQ", asked)
        answer, error = b"", 0
        if call == INIT:
            answer = struct.pack("=IIIIHHIIHHI28x", 7, 31, 0, 0, 0, 0, 1 << 16, 1, 0, 0, 0)
        elif call == GETATTR:
            attributes = struct.pack("=QQQQQQIIIIIIIIII", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4096, 0)
            answer = struct.pack("=QII", 1, 0, 0) + attributes
        else:
            error = NO_SUCH_CALL
        os.write(device, struct.pack("=IiQ", 16 + len(answer), error, unique) + answer)
