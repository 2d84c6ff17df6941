"""What the database's account may write: Patroni's label and annotations of its pod, and what Patroni keeps."""

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
    wait_for("the policy of its pod", lambda: denied_by(patched(api_server, lure)), ANSWER_S)
    wait_for(
        "the policy of what it makes", lambda: denied_by(api_server.create(config_map("lure"), DATABASE)), ANSWER_S
    )
    yield
    api_server.ask("DELETE", POD, params={"gracePeriodSeconds": "0"})


def config_map(name: str, **more: Any) -> Object:
    """As Patroni's _patch_or_create() makes it: names, labels and annotations alone."""
    metadata = {"namespace": "atoll-system", "name": name, "labels": LABELS, "annotations": {"leader": "database-0"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**metadata, **more}}


def configured() -> Object:
    """What Patroni is told before its first start."""
    text = (ROOT / "roles/database/templates/patroni.yaml.j2").read_text("utf-8").partition("bootstrap:")[0]
    found: Object = yaml.safe_load(text)
    return found


def patronis(role: str) -> Object:
    """As Patroni's touch_member() asks for it, by the label that its configuration names."""
    label = configured()["kubernetes"]["role_label"]
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


# Of `KubernetesDCS` without Endpoints: `config_path`, `leader_path`, `failover_path`, `sync_path`.
KEPT = ("config", "leader", "failover", "sync")


@pytest.mark.parametrize("what", KEPT)
def test_patroni_elects_a_leader_and_keeps_what_it_must(api_server: ApiServer, what: str) -> None:
    wanted = config_map(f"{configured()['scope']}-{what}")
    answer = api_server.create(wanted, DATABASE)
    assert answer.status_code == 201, answer.text
    at = f"{api_server.collection(wanted)}/{wanted['metadata']['name']}"
    assert api_server.apply(wanted, keep=True).is_success
    try:
        assert api_server.ask("GET", at, DATABASE).is_success
        answer = patched(api_server, wanted, at)
        assert answer.is_success, answer.text
    finally:
        api_server.ask("DELETE", at)


def test_patroni_uses_no_endpoints_whose_names_would_be_others() -> None:
    assert configured()["kubernetes"]["use_endpoints"] is False


@pytest.mark.parametrize("name", ["platform", "atoll", "atoll-config-2", "kube-root-ca.crt", "database-config"])
def test_the_database_makes_no_other_configuration(api_server: ApiServer, name: str) -> None:
    found = denied_by(api_server.create(config_map(name), DATABASE))
    assert found.startswith("atoll-database-makes-its-own: the database makes what Patroni keeps, and nothing else")


def test_the_database_has_no_name_made_up_for_it(api_server: ApiServer) -> None:
    wanted = config_map("atoll-config", generateName="atoll-config-")
    del wanted["metadata"]["name"]
    found = denied_by(api_server.create(wanted, DATABASE))
    assert found.startswith("atoll-database-makes-its-own: "), found


def test_others_make_what_they_like(api_server: ApiServer) -> None:
    assert api_server.create(config_map("of-an-administrator")).status_code == 201
