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
MADE = provisioning.manifests(CLUSTER, cpu_cores=1, memory_bytes=1, machines=1, storage_root=STORAGE)
IDENTITY = next(each for each in MADE if each["metadata"]["name"] == "user-ada")
OF_KUEUE = {each["kind"]: each for each in MADE if each["apiVersion"].startswith("kueue")}
QUEUE = OF_KUEUE["LocalQueue"]
JOB_SET = manifests.job_set(submission())
NOTED = {"name": "ada", "namespace": "vc-default", "annotations": {"note": "~" * 200_000}}
HALF = "~" * (33 << 10)
LONG_NUMBER = "0" * 200_000
QUOTAS = ("ClusterQueue", "Cohort")


def noted(wanted: Object, **more: Any) -> Object:
    """With more in its metadata."""
    return filled(wanted, metadata={**wanted["metadata"], **more})


def of_kueue(kind: str, **fields: Any) -> Object:
    """With other fields in its spec."""
    wanted = OF_KUEUE[kind]
    return filled(wanted, spec={**wanted["spec"], **fields})


def quota(kind: str, groups: int = 1, resources: int = 1, number: str = "0", flavor: str = "default") -> Object:
    """Of so many groups, each with so many resources of which there are so many."""

    def group(of: int) -> Object:
        names = [f"example.com/{of}-{each}" for each in range(resources)]
        each_one = [{"name": name, "nominalQuota": number, "borrowingLimit": "0"} for name in names]
        return {"coveredResources": names, "flavors": [{"name": flavor, "resources": each_one}]}

    return of_kueue(kind, resourceGroups=[group(each) for each in range(groups)])


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
    "many notes on a JobSet": (noted(JOB_SET, annotations={f"n{n}": "~" * 1000 for n in range(200)}), "notes on"),
    "a long note on a JobSet": (noted(JOB_SET, annotations={"n": "~" * 2000}), "notes on"),
    "many who hold a JobSet": (noted(JOB_SET, finalizers=[f"example.com/{n}" for n in range(9_999)]), "notes on"),
    "many who own a JobSet": (
        noted(
            JOB_SET,
            ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": f"p{n}", "uid": str(n)} for n in range(9_999)],
        ),
        "notes on",
    ),
    "many who hold a Cohort": (noted(OF_KUEUE["Cohort"], finalizers=[f"a.b/{n}" for n in range(9_999)]), "notes on"),
    "a queue for many": (
        of_kueue("ClusterQueue", namespaceSelector={"matchLabels": {f"n{n}": "a" * 60 for n in range(9_999)}}),
        "a quota is",
    ),
    "a queue for many others": (
        of_kueue(
            "ClusterQueue",
            namespaceSelector={
                "matchExpressions": [{"key": "a", "operator": "NotIn", "values": [f"n{n}" for n in range(9_999)]}]
            },
        ),
        "a quota is",
    ),
    **{f"a long number of a {kind}": (quota(kind, number=LONG_NUMBER), "a quota is") for kind in QUOTAS},
    **{f"many groups of a {kind}": (quota(kind, groups=16, resources=4), "a quota is") for kind in QUOTAS},
    **{f"another flavor of a {kind}": (quota(kind, flavor="another"), "a quota is") for kind in QUOTAS},
    **{
        f"the weight of a {kind}": (of_kueue(kind, fairSharing={"weight": LONG_NUMBER}), "a quota is")
        for kind in OF_KUEUE
    },
}


@pytest.mark.parametrize("what", FILLING)
def test_jobs_does_not_fill_etcd_by_one_object(api_server: ApiServer, what: str) -> None:
    wanted, said = FILLING[what]
    # A JobSet may be made by `jobs` and not changed.
    answer = (api_server.create if wanted["kind"] == "JobSet" else api_server.apply)(wanted, JOBS)
    refused = denied_by(answer)
    assert refused.startswith("atoll-jobs-stay-in-virtual-clusters: "), answer.text[:500]
    assert said in answer.text


def test_what_jobs_makes_of_quotas_is_taken_beside_what_others_say_of_them(api_server: ApiServer) -> None:
    """An administrator's weight, and a controller's hold."""
    for wanted in OF_KUEUE.values():
        path = f"{api_server.collection(wanted)}/{wanted['metadata']['name']}"
        headers = {"Content-Type": "application/merge-patch+json"}

        def change(weight: str | None, held: list[str], path: str = path, headers: Any = headers) -> None:
            others = {"metadata": {"finalizers": held}, "spec": {"fairSharing": weight and {"weight": weight}}}
            answer = api_server.ask("PATCH", path, headers=headers, json=others)
            assert answer.is_success, answer.text

        try:
            change("2", ["kueue.x-k8s.io/resource-in-use"])
            answer = api_server.apply(wanted, JOBS)
            assert answer.is_success, answer.text
            changed = {**wanted, "spec": {**wanted["spec"], "fairSharing": {"weight": "3"}}}
            assert "a quota is" in api_server.apply(changed, JOBS).text
        finally:
            change(None, [])


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
