"""Needs nothing. When a node that is waited for counts as started, and when as ended."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from installer.lab import LabError, nodes
from installer.lab.topology import LabNode


@pytest.fixture
def cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cgroup.controllers").touch()
    monkeypatch.setattr("installer.lab.cgroups._MOUNTED", tmp_path)
    monkeypatch.setattr("installer.lab.topology.LABS", tmp_path / "labs")
    return tmp_path / "atoll-lab/demo/one"


@pytest.fixture
def port() -> Iterator[int]:
    """A server that greets like SSH, 2.5 s from now."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        number: int = server.getsockname()[1]

        def serve() -> None:
            time.sleep(2.5)  # the moment is the point
            server.listen()
            with suppress(OSError):
                while True:
                    with server.accept()[0] as caller:
                        caller.sendall(b"SSH-2.0-test\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield number
        with suppress(OSError):
            server.shutdown(socket.SHUT_RDWR)


def test_a_node_whose_first_process_is_late_has_not_ended(cgroup: Path, port: int) -> None:
    assert not cgroup.exists()
    nodes.wait_for_ssh(LabNode("demo", "one", "127.0.0.1", 24, port=port))


def test_a_node_without_processes_has_ended_and_its_console_is_told(
    cgroup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not cgroup.exists()
    monkeypatch.setattr(nodes, "ENDED_S", 0.3)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        node = LabNode("demo", "one", "127.0.0.1", 24, port=nobody.getsockname()[1])
        node.directory.mkdir(parents=True)
        (node.directory / "console.log").write_text("Failed to mount\n", "utf-8")
        with pytest.raises(LabError, match="ended while it started; its console said last:\nFailed to mount"):
            nodes.wait_for_ssh(node)
