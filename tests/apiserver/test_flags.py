"""What the masters' flags promise, asked of an API server that runs with them (server.py takes them from the role)."""

from __future__ import annotations

import socket
import ssl
from typing import Any

import pytest
import yaml
from atoll.engines.kubernetes import names

from tests.apiserver.server import ApiServer
from tests.apiserver.test_identities import ask

MODERN, OLD = "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA"


def test_a_service_with_external_addresses_is_refused_to_everybody(api_server: ApiServer) -> None:
    service: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "one", "namespace": "vc-default"},
        "spec": {"ports": [{"port": 80}]},
    }
    assert api_server.create(service).status_code == 201
    answer = api_server.create({**service, "spec": {**service["spec"], "externalIPs": ["192.0.2.7"]}})
    assert answer.status_code == 403
    assert "external IPs is denied" in answer.text


@pytest.mark.parametrize("part", ["kube-apiserver", "kube-controller-manager", "kube-scheduler"])
def test_kubeadm_notes_on_each_part_what_it_is_made_of(api_server: ApiServer, part: str) -> None:
    pod = yaml.safe_load((api_server.folder / f"{part}.yaml").read_text("utf-8"))
    assert pod["metadata"]["annotations"]["atoll.io/image"] == f"noted in {part}+merge.json"


def agreed(server: ApiServer, cipher: str) -> str:
    context = ssl.create_default_context(cafile=str(server.authority))
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(cipher)
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as wrapped,
    ):
        chosen = wrapped.cipher()
        return chosen[0] if chosen else ""


def test_a_cipher_that_is_not_on_the_list_is_not_agreed_on(api_server: ApiServer) -> None:
    assert agreed(api_server, MODERN) == MODERN
    with pytest.raises(ssl.SSLError, match="handshake"):
        agreed(api_server, OLD)


# NodeRestriction: what a kubelet may write at all, it may write of itself only.
def test_a_kubelet_changes_its_own_node_and_not_its_place_in_the_cluster(api_server: ApiServer) -> None:
    def node(name: str, **labels: str) -> dict[str, Any]:
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}

    def asked(method: str, path: str, body: dict[str, Any]) -> tuple[int, str]:
        answer = ask(api_server, "system:node:worker1", ("system:nodes",), method, f"/api/v1/{path}", json=body)
        return answer.status_code, answer.text

    assert asked("POST", "nodes?dryRun=All", node("worker1"))[0] == 201
    status, text = asked("POST", "nodes?dryRun=All", node("worker1", **{"node-role.kubernetes.io/control-plane": ""}))
    assert (status, "is not allowed to set the following labels" in text) == (403, True), text
    # What containers of tasks can have there, it does: `atoll_user_namespaces` writes it as the node.
    assert asked("POST", "nodes?dryRun=All", node("worker1", **{names.USER_NAMESPACES: "true"}))[0] == 201
    status, text = asked("POST", "nodes?dryRun=All", node("worker2"))
    assert (status, "is not allowed to modify node" in text) == (403, True), text
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "lure", "namespace": "vc-default"},
        "spec": {"nodeName": "worker1", "containers": [{"name": "main", "image": "registry.atoll.internal:5000/a@b"}]},
    }
    status, text = asked("POST", "namespaces/vc-default/pods?dryRun=All", pod)
    assert (status, "can only create mirror pods" in text) == (403, True), text
