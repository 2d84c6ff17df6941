"""What a kubelet, and whoever holds its certificate, may make: its static pods and events of a sensible size."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from tests.apiserver.server import ANSWER_S, ApiServer, Object, denied_by
from tests.apiserver.test_identities import ask
from tests.system.harness import ROOT, wait_for

NODE = "master1"
PODS = "/api/v1/namespaces/{}/pods"
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
OF_KUBEADM = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
Labels = dict[str, str]


def as_node(server: ApiServer, method: str, path: str, **more: Any) -> httpx.Response:
    return ask(server, f"system:node:{NODE}", ("system:nodes",), method, path, **more)


def mirror(node_uid: str, name: str, labels: Labels, namespace: str = "kube-system", **spec: Any) -> Object:
    """As the kubelet makes it of a static pod."""
    owner = {"apiVersion": "v1", "kind": "Node", "name": NODE, "uid": node_uid, "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": labels,
            "annotations": {"kubernetes.io/config.mirror": "x", "kubernetes.io/config.source": "file"},
            "ownerReferences": [owner],
        },
        "spec": {
            "nodeName": NODE,
            "hostNetwork": True,
            "automountServiceAccountToken": False,
            "tolerations": [{"operator": "Exists", "effect": "NoExecute"}],
            "containers": [{"name": "one", "image": "one"}],
            **spec,
        },
    }


def made(server: ApiServer, pod: Object) -> httpx.Response:
    path = PODS.format(pod["metadata"]["namespace"])
    return as_node(server, "POST", path, params={"dryRun": "All"}, json=pod)


@pytest.fixture(scope="module")
def node_uid(api_server: ApiServer) -> Iterator[str]:
    """A node's own object, that its pods belong to, once the policies are in force."""
    wanted = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}
    answer = as_node(api_server, "POST", "/api/v1/nodes", json=wanted)
    assert answer.status_code == 201, answer.text
    uid = answer.json()["metadata"]["uid"]
    lure = mirror(uid, f"lure-{NODE}", {})
    wait_for("the policy of static pods", lambda: denied_by(made(api_server, lure)), ANSWER_S)
    wait_for("the policy of events", lambda: denied_by(told(api_server, event(message="x" * 20_000))), ANSWER_S)
    yield uid
    api_server.ask("DELETE", f"/api/v1/nodes/{NODE}")


def static_pods(server: ApiServer) -> dict[str, Labels]:
    """Those of a master, by what kubeadm and the role write."""
    written = {
        name: yaml.safe_load((server.folder / f"{name}.yaml").read_text("utf-8"))["metadata"]
        for name in OF_KUBEADM
        if name != "etcd"
    }
    found: dict[str, Labels] = {name: metadata["labels"] for name, metadata in written.items()}
    text = (ROOT / "roles/control/templates/control.yaml.j2").read_text("utf-8")
    (line,) = [line for line in text.splitlines() if line.strip().startswith("labels:")]
    found["control"] = yaml.safe_load(line)["labels"]
    # kubeadm writes it in a phase of its own, by the same rule.
    return found | {"etcd": {"component": "etcd", "tier": "control-plane"}}


def test_a_kubelet_tells_of_the_static_pods_of_its_master(api_server: ApiServer, node_uid: str) -> None:
    pods = static_pods(api_server)
    assert pods.keys() == {*OF_KUBEADM, "control"}
    for name, labels in pods.items():
        answer = made(api_server, mirror(node_uid, f"{name}-{NODE}", labels))
        assert answer.is_success, f"{name}: {answer.text}"


API: Labels = {"app.kubernetes.io/name": "api", "atoll.io/uses-database": "true"}
CONTROL: Labels = {"app.kubernetes.io/name": "control", "app.kubernetes.io/part-of": "atoll"}
LURES: dict[str, tuple[str, str, Labels]] = {
    "behind the service api": ("atoll-system", f"api-{NODE}", API),
    "behind the service files": ("atoll-system", f"files-{NODE}", {"app.kubernetes.io/name": "files"}),
    "behind the names of the cluster": ("kube-system", f"dns-{NODE}", {"k8s-app": "kube-dns"}),
    "a known name with a service's labels": ("kube-system", f"control-{NODE}", API),
    "a known name with one label more": ("kube-system", f"control-{NODE}", {**CONTROL, "k8s-app": "kube-dns"}),
    "a known name without labels": ("kube-system", f"control-{NODE}", {}),
    "a known name elsewhere": ("atoll-system", f"control-{NODE}", CONTROL),
    "the labels of another static pod": ("kube-system", f"etcd-{NODE}", CONTROL),
    "another node's": ("kube-system", "control-master2", CONTROL),
    "no known name": ("kube-system", f"more-{NODE}", CONTROL),
}


@pytest.mark.parametrize("what", LURES)
def test_a_kubelet_takes_no_place_behind_a_service_or_a_policy(api_server: ApiServer, node_uid: str, what: str) -> None:
    namespace, name, labels = LURES[what]
    answer = made(api_server, mirror(node_uid, name, labels, namespace))
    assert denied_by(answer).startswith("atoll-static-pods: "), answer.text


def test_a_static_pod_has_no_address_of_its_own(api_server: ApiServer, node_uid: str) -> None:
    for spec in ({"hostNetwork": False}, {"hostNetwork": None}):
        answer = made(api_server, mirror(node_uid, f"control-{NODE}", CONTROL, **spec))
        assert "have the network of their node" in denied_by(answer), answer.text


def test_a_kubelet_changes_no_label_by_the_status_of_a_pod(api_server: ApiServer, node_uid: str) -> None:
    """Who may make a static pod may tell its status; its labels stay those that were admitted."""
    pod = mirror(node_uid, f"control-{NODE}", CONTROL)
    path = PODS.format("kube-system")
    answer = as_node(api_server, "POST", path, json=pod)
    assert answer.status_code == 201, answer.text
    status = f"{path}/control-{NODE}/status"
    for body, allowed in (({"status": {"phase": "Running"}}, True), ({"metadata": {"labels": API}}, False)):
        answer = as_node(api_server, "PATCH", status, headers=STRATEGIC, json=body, params={"dryRun": "All"})
        assert answer.is_success == allowed, answer.text
    removed = as_node(api_server, "DELETE", f"{path}/control-{NODE}", params={"gracePeriodSeconds": "0"})
    assert removed.is_success, removed.text


def test_the_static_pods_that_a_node_makes_and_removes_are_written_down(api_server: ApiServer) -> None:
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    headers = {"Authorization": "Bearer a-node"}
    path = PODS.format("kube-system")
    for method, at in (("POST", path), ("DELETE", f"{path}/none"), ("PATCH", f"{path}/none/status")):
        api_server.client.request(method, at, headers=headers, json={})
    lines = [json.loads(line) for line in api_server.audit_log.read_text("utf-8").splitlines()]
    recent = [line for line in lines if line["requestReceivedTimestamp"] >= since]
    found = [(each["verb"], each["level"]) for each in recent if each["user"]["username"] == "system:node:worker1"]
    assert found == [("create", "Metadata"), ("delete", "Metadata")]


def event(**fields: Any) -> Object:
    """As a kubelet tells of a pod."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "one.1", "namespace": "kube-system", **fields.pop("metadata", {})},
        "involvedObject": {"kind": "Pod", "namespace": "kube-system", "name": "one", **fields.pop("about", {})},
        "reason": "Unhealthy",
        "message": "Readiness probe failed: HTTP probe failed with statuscode: 503",
        "source": {"component": "kubelet", "host": NODE},
        "type": "Warning",
        "count": 1,
        "reportingComponent": "kubelet",
        "reportingInstance": NODE,
        **fields,
    }


def told(server: ApiServer, what: Object, group: str = "/api/v1") -> httpx.Response:
    return as_node(server, "POST", f"{group}/namespaces/kube-system/events", params={"dryRun": "All"}, json=what)


def test_a_kubelet_tells_what_happens(api_server: ApiServer, node_uid: str) -> None:
    assert node_uid
    starved = {"starved_resource": "memory", "offending_containers": "one", "offending_containers_usage": "1Gi"}
    for each in (event(), event(message="x" * 10_400), event(metadata={"annotations": starved})):
        answer = told(api_server, each)
        assert answer.status_code == 201, answer.text


def test_an_event_that_stands_grows_no_further(api_server: ApiServer, node_uid: str) -> None:
    assert node_uid
    stands = api_server.ask("POST", "/api/v1/namespaces/kube-system/events", json=event())
    assert stands.status_code == 201, stands.text
    path = "/api/v1/namespaces/kube-system/events/one.1"
    for body, allowed in (({"count": 2}, True), ({"message": MUCH}, False)):
        answer = as_node(api_server, "PATCH", path, headers=STRATEGIC, params={"dryRun": "All"}, json=body)
        assert answer.is_success == allowed, answer.text[:500]
    assert denied_by(answer).startswith("atoll-events-of-nodes: "), answer.text[:500]
    api_server.ask("DELETE", path)


def written_by(fields: Object) -> Object:
    writer = {"manager": "one", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}
    return event(metadata={"managedFields": [{**writer, "fieldsV1": fields}]})


# What a request may hold at all is three megabytes.
MUCH = "~" * 1_000_000
TOO_MUCH: dict[str, Object] = {
    "a message": event(message=MUCH),
    "a reason": event(reason=MUCH),
    "a source": event(source={"component": "kubelet", "host": MUCH}),
    "what it is about": event(about={"fieldPath": MUCH}),
    "what it has to do with": event(related={"name": MUCH}),
    "annotations": event(metadata={"annotations": {"one": "~" * 200_000}}),
    "many annotations": event(metadata={"annotations": {f"a{number}": "one" for number in range(5000)}}),
    "many labels": event(metadata={"labels": {f"a{number}": "one" for number in range(5000)}}),
    "fields of one writer": written_by({f"f:a{number}": {} for number in range(50_000)}),
    "fields of a field": written_by({"f:metadata": {f"f:a{number}": {} for number in range(50_000)}}),
    "a field below a field": written_by({"f:metadata": {"f:annotations": {"f:one": {f"f:{MUCH}": {}}}}}),
    "a name to be made up": event(metadata={"generateName": MUCH}),
    "finalizers": event(metadata={"finalizers": [f"one/a{number}" for number in range(5000)]}),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_an_event_of_a_node_does_not_fill_etcd(api_server: ApiServer, node_uid: str, what: str) -> None:
    assert node_uid
    answer = told(api_server, TOO_MUCH[what])
    assert denied_by(answer).startswith("atoll-events-of-nodes: "), answer.text[:500]


LARGE = "\U0001f3dd"  # four bytes


def test_no_event_of_a_node_has_more_than_is_counted_with(api_server: ApiServer, node_uid: str) -> None:
    assert node_uid
    admitted = event(message=LARGE * 4096)
    assert told(api_server, admitted).status_code == 201
    for each in (event(message=LARGE * 4097), event(reason=LARGE * 65), event(about={"fieldPath": LARGE * 65})):
        assert denied_by(told(api_server, each)).startswith("atoll-events-of-nodes: ")


def test_a_node_tells_what_110_pods_do_as_they_start_and_then_no_more_than_its_share(
    api_server: ApiServer, node_uid: str
) -> None:
    assert node_uid
    path = "/api/v1/namespaces/default/events"
    start, most = 110 * 12, 4000  # of a pod of three containers: placed, pulled, made, started

    def kept(number: int, node: str) -> int:
        about = {"kind": "Pod", "namespace": "default", "name": f"one-{number}"}
        body = event(metadata={"name": f"{node}-{number}", "namespace": "default"}, involvedObject=about)
        return ask(api_server, f"system:node:{node}", ("system:nodes",), "POST", path, json=body).status_code

    try:
        told_of = next((number for number in range(most) if kept(number, "worker7") != 201), most)
        assert told_of >= start, "a node that comes back loses what it tells"
        assert told_of < most, "a node tells without end"
        assert kept(0, "worker8") == 201, "a node has no share of its own"
    finally:
        api_server.ask("DELETE", path)


def test_a_node_tells_no_events_of_the_other_group_which_are_not_counted(api_server: ApiServer, node_uid: str) -> None:
    assert node_uid
    new: Object = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "one.2", "namespace": "kube-system"},
        "eventTime": "2026-01-01T00:00:00.000000Z",
        "regarding": {"kind": "Pod", "namespace": "kube-system", "name": "one"},
        **{"action": "x", "reason": "x", "type": "Normal", "reportingController": "x", "reportingInstance": "x"},
    }
    answer = told(api_server, new, "/apis/events.k8s.io/v1")
    assert denied_by(answer).startswith("atoll-events-of-nodes"), answer.text[:500]
    # Whoever places pods tells such ones.
    scheduler = api_server.ask("POST", "/apis/events.k8s.io/v1/namespaces/kube-system/events", json=new)
    assert scheduler.status_code == 201, scheduler.text
    api_server.ask("DELETE", "/api/v1/namespaces/kube-system/events/one.2")
