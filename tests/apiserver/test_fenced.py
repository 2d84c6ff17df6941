"""A node that is shut out, asked with the policy of the role `fencing`: nothing that its kubelet writes is taken.

Each call is one that a kubelet makes, and that is let through before the policy is there, and from another node.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.apiserver.server import ANSWER_S, ApiServer, Object, denied_by
from tests.apiserver.test_identities import ask
from tests.apiserver.test_joining import REQUESTS, request_of
from tests.system.harness import wait_for
from tests.unit.workloads.conftest import file_of, render

FENCED, OTHER = "worker2", "worker1"
NODES, PODS = "/api/v1/nodes", "/api/v1/namespaces/kube-system/pods"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
ACCOUNTS = "/api/v1/namespaces/kube-system/serviceaccounts"
EVENTS = "/api/v1/namespaces/kube-system/events"
ACCOUNT = "of-a-node"
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
Answers = dict[str, httpx.Response]


def as_node(server: ApiServer, node: str, method: str, path: str, **more: Any) -> httpx.Response:
    """Nothing is kept."""
    dry = {"params": {"dryRun": "All"}}
    return ask(server, f"system:node:{node}", ("system:nodes",), method, path, **dry, **more)


def node_object(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def lease(node: str) -> Object:
    spec = {"holderIdentity": node, "leaseDurationSeconds": 40}
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": node}, "spec": spec}


def pod(node: str) -> Object:
    containers = [{"name": "one", "image": "one"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"on-{node}", "namespace": "kube-system"},
        "spec": {"nodeName": node, "serviceAccountName": ACCOUNT, "containers": containers},
    }


def kept(server: ApiServer, path: str, body: Object) -> Object:
    answer = server.ask("POST", path, json=body)
    assert answer.status_code == 201, answer.text
    found: Object = answer.json()
    return found


def asked(server: ApiServer, node: str) -> Answers:
    """What is answered to each call of a kubelet, with as much there as it is about."""
    found = {
        "its node": as_node(server, node, "POST", NODES, json=node_object(node)),
        "its lease": as_node(server, node, "POST", LEASES, json=lease(node)),
    }
    try:
        kept(server, NODES, node_object(node))
        held = kept(server, LEASES, lease(node))
        uid = kept(server, PODS, pod(node))["metadata"]["uid"]
        one = f"{PODS}/on-{node}"
        # Whose pods a node has, the authorizer learns a moment later.
        wait_for("the pod's node", lambda: as_node(server, node, "GET", one).is_success, ANSWER_S)
        ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
        bound = {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": f"on-{node}", "uid": uid}}
        token = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": bound}
        event = {"metadata": {"name": "one.1"}, "involvedObject": {"kind": "Pod", "namespace": "kube-system"}}
        calls: dict[str, tuple[str, str, dict[str, Any]]] = {
            "the status of its node": ("PATCH", f"{NODES}/{node}/status", {"headers": STRATEGIC, "json": ready}),
            "its lease again": ("PUT", f"{LEASES}/{node}", {"json": held}),
            "the status of its pod": ("PATCH", f"{one}/status", {"headers": STRATEGIC, "json": ready}),
            "no pod any more": ("DELETE", one, {}),
            "a token of its pod": ("POST", f"{ACCOUNTS}/{ACCOUNT}/token", {"json": token}),
            "a new certificate": ("POST", REQUESTS, {"json": request_of(node)}),
            "an event": ("POST", EVENTS, {"json": {**event, "source": {"component": "kubelet", "host": node}}}),
        }
        return found | {
            what: as_node(server, node, method, path, **more) for what, (method, path, more) in calls.items()
        }
    finally:
        for path in (f"{PODS}/on-{node}", f"{LEASES}/{node}", f"{NODES}/{node}"):
            server.ask("DELETE", path, params={"gracePeriodSeconds": "0"})


@pytest.fixture(scope="module")
def answers(api_server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Answers]]:
    """What both nodes were answered before one of them is shut out (`then`), and afterwards (`now`)."""
    policy = render(file_of("fenced"), tmp_path_factory.mktemp("fenced")).objects("fencing")
    assert [item["kind"] for item in policy] == ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]
    kept(api_server, ACCOUNTS, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT}})
    then = {f"{node} then": asked(api_server, node) for node in (FENCED, OTHER)}
    for item in policy:
        assert api_server.apply(item, keep=True).is_success
    try:
        wait_for(
            "the policy",
            lambda: denied_by(as_node(api_server, FENCED, "POST", NODES, json=node_object(FENCED))),
            ANSWER_S,
        )
        yield then | {f"{node} now": asked(api_server, node) for node in (FENCED, OTHER)}
    finally:
        for item in policy:
            api_server.ask("DELETE", f"{api_server.collection(item)}/{item['metadata']['name']}")
        api_server.ask("DELETE", f"{ACCOUNTS}/{ACCOUNT}")


def test_nothing_is_taken_from_the_kubelet_of_a_node_that_is_shut_out(answers: dict[str, Answers]) -> None:
    for who in (f"{FENCED} then", f"{OTHER} then", f"{OTHER} now"):
        assert {what: each.text for what, each in answers[who].items() if not each.is_success} == {}, who
    said = "atoll-fenced-nodes: this node is shut out of the cluster"
    found = answers[f"{FENCED} now"]
    assert [what for what, each in found.items() if not denied_by(each).startswith(said)] == [], "it is taken"
    assert {each.status_code for each in found.values()} == {422}


@pytest.mark.usefixtures("answers")
def test_a_kubelet_evicts_its_own_pods_only(api_server: ApiServer) -> None:
    name = pod(OTHER)["metadata"]["name"]
    evicted = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "kube-system"}}
    kept(api_server, PODS, pod(OTHER))
    try:
        # What there is not yet for who judges, is not found: the authorizer and the admission learn of it together.
        wait_for("the pod's node", lambda: as_node(api_server, OTHER, "GET", f"{PODS}/{name}").is_success, ANSWER_S)
        found = {
            node: as_node(api_server, node, "POST", f"{PODS}/{name}/eviction", json=evicted).status_code
            for node in ("worker3", OTHER)
        }
    finally:
        api_server.ask("DELETE", f"{PODS}/{name}", params={"gracePeriodSeconds": "0"})
    assert found == {"worker3": 403, OTHER: 201}
