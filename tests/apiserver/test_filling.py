"""How much of etcd, which has two gigabytes for everybody, one object may take."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from atoll.engines.kubernetes import manifests, provisioning
from atoll.engines.specification import MOST_TEXT_BYTES

from tests.apiserver.server import CLUSTER, JOBS, STORAGE, ApiServer, Object, denied_by
from tests.unit.platform.engines.test_kubernetes import submission


def filled(wanted: Object, **more: Any) -> Object:
    return {**copy.deepcopy(wanted), **more}


def with_metadata(wanted: Object, **more: Any) -> Object:
    return filled(wanted, metadata={**wanted["metadata"], **more})


def owned(wanted: Object, name: str) -> Object:
    owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": name, "uid": "1"}
    return with_metadata(wanted, ownerReferences=[owner])


MANY = [f"one/a{number}" for number in range(500)]
VARIABLES = manifests.secret(submission(secrets={"TOKEN": "hunter2"}), "1f0c1fe0-0000-4000-8000-000000000000")
assert VARIABLES is not None
ENTRY = provisioning.entry("default")
IDENTITY = next(
    each
    for each in provisioning.manifests(CLUSTER, cpu_cores=1, memory_bytes=1, machines=1, storage_root=STORAGE)
    if each["metadata"]["name"] == "user-ada"
)
QUEUE = {"kind": "LocalQueue", "apiVersion": "kueue.x-k8s.io/v1beta2", "spec": {"clusterQueue": "vc-default--ada"}}
NOTED = {"name": "ada", "namespace": "vc-default", "annotations": {"note": "~" * 200_000}}
HALF = "~" * (33 << 10)
FILLING: dict[str, tuple[Object, str]] = {
    "long variables": (filled(VARIABLES, stringData={"A": HALF, "B": HALF}), "at most 64 KiB"),
    "variables that change": (filled(VARIABLES, immutable=False), "do not change"),
    "a long entry point": (filled(ENTRY, data={"entry.py": HALF * 2}), "no more than that is long"),
    "a long entry point of few letters": (filled(ENTRY, data={"entry.py": "\U0001f3dd" * 20_000}), "no more than that"),
    "more beside the entry point": (filled(ENTRY, data={**ENTRY["data"], "more": ""}), "no more than that is long"),
    "bytes beside the entry point": (filled(ENTRY, binaryData={"more": "AAAA"}), "no more than that is long"),
    "a long user": (filled(IDENTITY, data={"passwd": HALF}), "no more than that is long"),
    "another ConfigMap": (filled(ENTRY, metadata={"name": "mine", "namespace": "vc-default"}), "no more than that"),
    "owners of variables": (owned(VARIABLES, name=HALF), "one owner at most"),
    "owners of an entry point": (owned(ENTRY, name=HALF), "one owner at most"),
    "whoever waits for variables": (with_metadata(VARIABLES, finalizers=MANY), "nobody waits for them"),
    "a note on a ConfigMap": (filled(ENTRY, metadata={**ENTRY["metadata"], **NOTED, "name": "entry"}), "notes on"),
    "a note on a queue": (filled(QUEUE, metadata=NOTED), "notes on objects"),
}


@pytest.mark.parametrize("what", FILLING)
def test_jobs_does_not_fill_etcd_by_one_object(api_server: ApiServer, what: str) -> None:
    wanted, said = FILLING[what]
    answer = api_server.apply(wanted, JOBS)
    refused = denied_by(answer)
    assert refused.startswith("atoll-jobs-stay-in-virtual-clusters: "), answer.text[:500]
    assert said in answer.text


def test_as_long_as_a_task_may_be_its_variables_are_kept(api_server: ApiServer) -> None:
    given = submission(secrets={"A": "~" * (MOST_TEXT_BYTES - 1)})
    secret = manifests.secret(given, "1f0c1fe0-0000-4000-8000-000000000000")
    assert secret is not None
    answer = api_server.apply(secret, JOBS)
    assert answer.is_success, answer.text[:500]


def test_what_controllers_note_on_an_object_of_jobs_keeps_nobody_from_it(api_server: ApiServer) -> None:
    path = "/api/v1/namespaces/vc-default/configmaps/entry"
    headers = {"Content-Type": "application/merge-patch+json"}

    def note(text: str | None, user: str | None) -> Any:
        return api_server.ask("PATCH", path, user, headers=headers, json={"metadata": {"annotations": {"n": text}}})

    try:
        assert note("bound", None).is_success
        answer = api_server.apply(ENTRY, JOBS)
        assert answer.is_success, answer.text
        assert "notes on objects" in note("another", JOBS).text
    finally:
        note(None, None)
