"""Which API server kubectl is sent to. Needs nothing."""

from __future__ import annotations

import socket

from installer.running.kubectl import reachable


def test_the_first_api_server_that_takes_a_connection_is_asked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = f"https://127.0.0.1:{server.getsockname()[1]}"
        assert reachable(["https://127.0.0.1:1", there, "https://127.0.0.1:2"]) == there


def test_when_none_does_kubectl_itself_says_why() -> None:
    assert reachable(["https://127.0.0.1:1", "https://127.0.0.1:2"]) == "https://127.0.0.1:1"
