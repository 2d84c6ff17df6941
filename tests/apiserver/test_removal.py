"""What `jobs` may take away: what it has made of virtual clusters, and no more. Asked of a real API server."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from atoll.engines.kubernetes import names, provisioning

from tests.apiserver.server import CLUSTER, JOBS, STORAGE, ApiServer, Object, denied_by

QUEUES = "kueue.x-k8s.io/v1beta2"
DEFAULT = f"/api/v1/namespaces/{names.namespace(CLUSTER.name)}"
OTHER = CLUSTER.model_copy(update={"name": "other"})


def remove(server: ApiServer, path: str, user: str | None = JOBS) -> httpx.Response:
    """Ask for it, and have nothing removed."""
    return server.ask("DELETE", path, user, params={"dryRun": "All"})


def there(server: ApiServer, kind: str, version: str, name: str, labels: dict[str, str], **more: Any) -> str:
    """The address of an object that an administrator has put there."""
    wanted: Object = {"apiVersion": version, "kind": kind, "metadata": {"name": name, "labels": labels}, **more}
    answer = server.apply(wanted, keep=True)
    assert answer.is_success, answer.text
    return f"{server.collection(wanted)}/{name}"


def test_all_that_jobs_takes_away_of_a_virtual_cluster_and_of_a_member_it_may(api_server: ApiServer) -> None:
    volumes = [
        item
        for item in provisioning.manifests(OTHER, cpu_cores=1, memory_bytes=1, machines=1, storage_root=STORAGE)
        if item["kind"] == "PersistentVolume"
    ]
    for volume in volumes:
        assert api_server.apply(volume, JOBS, keep=True).is_success
    paths = [
        *(f"/api/v1/persistentvolumes/{volume['metadata']['name']}" for volume in volumes),
        f"{DEFAULT}/configmaps/user-ada",
        f"/apis/{QUEUES}/namespaces/vc-default/localqueues/ada",
        f"/apis/{QUEUES}/clusterqueues/vc-default--ada",
        f"/apis/{QUEUES}/cohorts/vc-default",
        DEFAULT,
    ]
    assert len(paths) == 8
    assert {path: remove(api_server, path).text for path in paths if not remove(api_server, path).is_success} == {}
    listed = api_server.ask(
        "GET", f"/apis/{QUEUES}/clusterqueues", JOBS, params={"labelSelector": f"{names.CLUSTER_NAME}=default"}
    )
    assert [item["metadata"]["name"] for item in listed.json()["items"]] == ["vc-default--ada"]


def test_jobs_takes_nothing_away_that_is_not_of_a_virtual_cluster(api_server: ApiServer) -> None:
    ours = names.MANAGED_BY
    volume = {"hostPath": {"path": "/srv"}, "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"]}
    foreign = [
        "/api/v1/namespaces/kube-node-lease",
        "/api/v1/namespaces/atoll-system",
        there(api_server, "Cohort", QUEUES, "cluster", ours, spec={}),
        there(api_server, "ClusterQueue", QUEUES, "of-somebody", ours, spec={}),
        there(api_server, "PersistentVolume", "v1", "pvc-of-somebody", ours, spec=volume),
    ]
    for path in foreign:
        answer = remove(api_server, path)
        assert denied_by(answer).startswith("atoll-jobs-stay-in-virtual-clusters: "), f"{path}: {answer.text}"
        assert remove(api_server, path, None).is_success, "nobody could take it away: the test shows nothing"


def test_jobs_takes_nothing_away_that_an_administrator_has_put_beside_it(api_server: ApiServer) -> None:
    foreign = [
        there(api_server, "Cohort", QUEUES, "vc-of-somebody", {}, spec={}),
        there(api_server, "ClusterQueue", QUEUES, "vc-default--of-somebody", {names.CLUSTER_NAME: "default"}, spec={}),
    ]
    for path in foreign:
        answer = remove(api_server, path)
        assert "what Atoll has made is removed" in denied_by(answer), f"{path}: {answer.text}"


@pytest.mark.parametrize("name", ["configmaps/entry", "networkpolicies/default-deny"])
def test_what_a_virtual_cluster_cannot_be_without_stays_while_it_is_there(api_server: ApiServer, name: str) -> None:
    group = "/apis/networking.k8s.io/v1/namespaces/vc-default" if name.startswith("network") else DEFAULT
    answer = remove(api_server, f"{group}/{name}")
    assert denied_by(answer).startswith("atoll-jobs-stay-in-virtual-clusters: "), answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces",
        "/api/v1/persistentvolumes",
        f"{DEFAULT}/configmaps",
        f"{DEFAULT}/secrets",
        f"/apis/{QUEUES}/clusterqueues",
        f"/apis/{QUEUES}/namespaces/vc-default/localqueues",
        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/vc-default/jobsets",
    ],
)
def test_jobs_takes_nothing_away_by_the_heap_and_reads_nothing_that_it_need_not(
    api_server: ApiServer, path: str
) -> None:
    answer = remove(api_server, path)
    assert (answer.status_code, denied_by(answer)) == (403, ""), answer.text
    if "clusterqueues" not in path and "jobsets" not in path:
        assert api_server.ask("GET", path, JOBS).status_code == 403


def test_jobs_takes_no_claim_of_user_data_away(api_server: ApiServer) -> None:
    assert remove(api_server, f"{DEFAULT}/persistentvolumeclaims/homes").status_code == 403
