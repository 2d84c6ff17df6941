"""What the database's account may change of its pod: Patroni's label and annotations, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from tests.apiserver.server import ANSWER_S, ApiServer, Object, denied_by
from tests.system.harness import ROOT, wait_for

DATABASE = "system:serviceaccount:atoll-system:database"
POD = "/api/v1/namespaces/atoll-system/pods/database-0"
LABELS = {"app.kubernetes.io/name": "database", "atoll.io/patroni": "atoll"}
IMAGE = "registry.atoll.internal:5000/atoll/database@sha256:1"


def patched(server: ApiServer, body: Object, at: str = POD) -> httpx.Response:
    headers = {"Content-Type": "application/strategic-merge-patch+json"}
    return server.ask("PATCH", at, DATABASE, headers=headers, params={"dryRun": "All"}, json=body)


@pytest.fixture(scope="module", autouse=True)
def pod(api_server: ApiServer) -> Iterator[None]:
    """As it stands once it has begun, and the policy in force."""
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "database", "namespace": "atoll-system"},
    }
    wanted: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "database-0", "namespace": "atoll-system", "labels": LABELS},
        "spec": {"serviceAccountName": "database", "containers": [{"name": "postgresql", "image": IMAGE}]},
    }
    for each in (account, wanted):
        answer = api_server.apply(each, keep=True)
        assert answer.is_success, answer.text
    lure = {"metadata": {"labels": {"app.kubernetes.io/name": "lure"}}}
    wait_for("the policy of the database", lambda: denied_by(patched(api_server, lure)), ANSWER_S)
    yield
    api_server.ask("DELETE", POD, params={"gracePeriodSeconds": "0"})


def patronis(role: str) -> Object:
    """As Patroni's touch_member() asks for it, by the label that its configuration names."""
    text = (ROOT / "roles/database/templates/patroni.yaml.j2").read_text("utf-8").partition("bootstrap:")[0]
    label = yaml.safe_load(text)["kubernetes"]["role_label"]
    metadata = {"namespace": "atoll-system", "name": "database-0", "labels": {label: role}}
    return {"metadata": {**metadata, "annotations": {"status": '{"state": "running"}'}}}


def test_patroni_marks_its_pod_and_marks_it_anew(api_server: ApiServer) -> None:
    for role in ("primary", "replica", "standby_leader"):
        answer = patched(api_server, patronis(role))
        assert answer.is_success, answer.text
    stood = api_server.ask(
        "PATCH", POD, json=patronis("replica"), headers={"Content-Type": "application/merge-patch+json"}
    )
    assert stood.is_success, stood.text
    answer = patched(api_server, patronis("primary"))
    assert answer.is_success, answer.text


NAME = "app.kubernetes.io/name"
CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "the labels of the gateway": ({"metadata": {"labels": {NAME: "gateway"}}}, "the one of its role"),
    "the labels of the API": ({"metadata": {"labels": {NAME: "api"}}}, "the one of its role"),
    "one label less": ({"metadata": {"labels": {NAME: None}}}, "the one of its role"),
    "one label more": ({"metadata": {"labels": {"k8s-app": "kube-dns"}}}, "the one of its role"),
    "another image": (
        {"spec": {"containers": [{"name": "postgresql", "image": "registry.atoll.internal:5000/imported/evil:1"}]}},
        "nothing of what its pod runs",
    ),
    "a deadline": ({"spec": {"activeDeadlineSeconds": 1}}, "nothing of what its pod runs"),
    "a finalizer": ({"metadata": {"finalizers": ["one/more"]}}, "belongs to whom"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_database_does_not_become_another_service(api_server: ApiServer, what: str) -> None:
    body, says = CHANGES[what]
    found = denied_by(patched(api_server, body))
    assert found.startswith("atoll-database-marks-its-pod: "), what
    assert says in found
