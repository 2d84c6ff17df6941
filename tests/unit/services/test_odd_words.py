"""What nodes say by way of the API server, the registry and a forwarding: words, and nothing that moves a terminal."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from urllib3 import HTTPResponse

from installer.cluster import TREE, load
from installer.images.registry import Registry, RegistryError
from installer.images.tunnel import forwarded
from installer.services import kubernetes_api
from installer.services import nodes as services_nodes
from installer.services.kubernetes_api import KubernetesUnavailable
from installer.services.observation import pod_trouble

ODD = "gone\x1b[2J"
TOLD = "gone\N{REPLACEMENT CHARACTER}[2J"


def test_what_a_node_says_why_it_is_not_ready_moves_no_terminal() -> None:
    node = load(TREE / "cluster.example.yaml").node("worker1")
    conditions = [{"type": "Ready", "status": "False", "message": ODD}]
    state = services_nodes._state(node, {"status": {"conditions": conditions}}, "")
    assert state.message == TOLD


@pytest.mark.parametrize(
    "status",
    [
        {"containerStatuses": [{"name": "api", "state": {"waiting": {"reason": ODD}}}]},
        {"conditions": [{"type": "PodScheduled", "status": "False", "message": ODD}]},
        {"phase": "Failed", "message": ODD},
    ],
)
def test_what_a_node_says_of_a_pod_moves_no_terminal(status: dict[str, Any]) -> None:
    assert TOLD in pod_trouble({"metadata": {"name": "api-1"}, "status": status})


def test_an_answer_of_the_api_server_moves_no_terminal() -> None:
    with pytest.raises(KubernetesUnavailable) as told:
        kubernetes_api._answer(HTTPResponse(ODD.encode(), status=500), "GET", "/api")
    assert TOLD in str(told.value)


def test_an_answer_of_the_registry_moves_no_terminal() -> None:
    answer = httpx.MockTransport(lambda _: httpx.Response(500, text=ODD))
    registry = Registry(httpx.Client(transport=answer, base_url="http://registry"))
    with pytest.raises(RegistryError) as told:
        registry.digest_of("team/tool", "1")
    assert TOLD in str(told.value)


def test_a_forwarding_that_ends_moves_no_terminal() -> None:
    said = ["sh", "-c", r"printf 'gone\033[2J' >&2; exit 255"]
    with pytest.raises(RegistryError) as told, forwarded(lambda _: said, "worker1"):
        pass
    assert TOLD in str(told.value)
