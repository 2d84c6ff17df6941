"""Connections to a Kubernetes API that speaks TLS. Needs loopback."""

import asyncio
import json
import select
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from atoll.engines.kubernetes.client import NODE, KubernetesClient

from tests.unit.control.conftest import Authority

EVENT = json.dumps({"type": "ADDED", "object": {"metadata": {"name": "worker1"}}}).encode() + b"\n"


class BusyServer:
    """Answers a watch with one event, reads nothing more, and listens for the end of the connection only."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.hung_up = threading.Event()

    def serve(self) -> None:
        connection, _ = self._listening.accept()
        raw = connection.dup()
        with self._listening, raw, self._context.wrap_socket(connection, server_side=True) as encrypted:
            encrypted.recv(65536)
            encrypted.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            encrypted.sendall(b"%x\r\n%s\r\n" % (len(EVENT), EVENT))
            ends = select.poll()
            ends.register(raw, select.POLLRDHUP | select.POLLHUP)
            if ends.poll(10_000):
                self.hung_up.set()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BusyServer]:
    authority = Authority(tmp_path, "kubernetes")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*authority.issue("server"))
    made = BusyServer(context)
    cluster = {"server": f"https://127.0.0.1:{made.port}", "certificate-authority": str(authority.file)}
    content = {
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": "none"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(content), encoding="utf-8")
    thread = threading.Thread(target=made.serve)
    thread.start()
    yield made
    thread.join()


async def test_a_watch_that_is_left_does_not_wait_for_a_busy_server(server: BusyServer, tmp_path: Path) -> None:
    client = await KubernetesClient.connect(tmp_path / "kubeconfig")
    try:
        async for event, item in client.watch(NODE, "1"):
            assert (event, item["metadata"]["name"]) == ("ADDED", "worker1")
            break
        assert await asyncio.to_thread(server.hung_up.wait, 5)
    finally:
        await client.close()
