"""Privileged jobs and opened networks, asked of a real API server: without the key of the installation nobody is root,
with it root is what the engine makes of it and nothing beside.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from atoll.engines.kubernetes import manifests, provisioning
from atoll.networks import Opening, Ports, closed

from tests.apiserver.server import CLUSTER, CONTROLLER, JOBS, STORAGE, ApiServer, Object, denied_by, running
from tests.apiserver.test_admission import HOSTILE, job_of, pod_of
from tests.unit.platform.engines.test_kubernetes import submission
from tests.unit.workloads import bundle as parts
from tests.unit.workloads.conftest import REFERENCE, file_of, render

ROOT_CLUSTER = CLUSTER.model_copy(update={"privileged": True})
PODS, SERVICES, MASTER = "10.244.0.0/16", "10.96.0.0/16", "192.0.2.11"


@pytest.fixture(scope="module")
def lenient(bundle: Path, installed: list[Object], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    """A server of an installation with `platform.privileged_jobs`, and a virtual cluster with room for such jobs."""
    root = tmp_path_factory.mktemp("lenient")
    wanted = yaml.safe_load(file_of(REFERENCE).read_text(encoding="utf-8"))
    wanted["platform"] = {**(wanted.get("platform") or {}), "privileged_jobs": True}
    file = root / "cluster.yaml"
    file.write_text(yaml.safe_dump(wanted), encoding="utf-8")
    parts.write(root / "bundle")
    policies = [each for each in render(file, root).objects() if each["kind"].startswith("ValidatingAdmissionPolicy")]
    names = {(each["kind"], each["metadata"]["name"]) for each in policies}
    rest = [each for each in installed if (each["kind"], each["metadata"]["name"]) not in names]
    with running(bundle, tmp_path_factory.mktemp("lenient-server"), [*rest, *policies]) as server:
        for each in room_of():
            # Volumes, once there, could not change.
            answer = server.apply(each, JOBS, keep="PersistentVolume" not in each["kind"])
            assert answer.is_success, answer.text
        account = {"name": "default", "namespace": "vc-default-root"}
        made = server.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account}, keep=True)
        assert made.is_success, made.text
        yield server


def room_of(*egress: Opening) -> list[Object]:
    return provisioning.manifests(
        ROOT_CLUSTER.model_copy(update={"egress": egress}),
        cpu_cores=16,
        memory_bytes=1 << 34,
        machines=2,
        storage_root=STORAGE,
        shut=closed([PODS, SERVICES, MASTER]),
    )


def in_root(made: Object) -> Object:
    """A pod or job of a privileged attempt, in its own name space."""
    return {**made, "metadata": {**made["metadata"], "namespace": "vc-default-root"}}


def pod_in(made: Object) -> Object:
    found: Object = made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    return found


@pytest.mark.parametrize("user_namespace", [False, True])
def test_a_privileged_job_is_admitted_as_the_engine_makes_it(lenient: ApiServer, user_namespace: bool) -> None:
    given = submission(privileged=True, secrets={"TOKEN": "hunter2"})
    made = manifests.job_set(given, user_namespace=user_namespace)
    assert lenient.apply(manifests.network_policy(made), JOBS).is_success
    secret = manifests.secret(given, "1f0c1fe0-0000-4000-8000-000000000000")
    assert secret is not None
    assert lenient.apply(secret, JOBS).is_success
    for wanted, user in ((made, JOBS), (job_of(made), CONTROLLER), (in_root(pod_of(made)), CONTROLLER)):
        answer = lenient.create(wanted, user)
        answer = lenient.create(wanted) if answer.status_code == 403 and "RBAC" not in answer.text else answer
        assert answer.is_success, answer.text


def test_other_tasks_stay_as_they_are_beside_it(lenient: ApiServer) -> None:
    made = manifests.job_set(submission())
    assert lenient.create(made, JOBS).is_success
    root = manifests.job_set(submission(privileged=True))
    root["metadata"]["namespace"] = "vc-default"
    assert "its own user" in denied_by(lenient.create(root, JOBS)), "somebody is root where nobody is to be"
    usual = in_root(made)
    assert "its own user" in denied_by(lenient.create(usual, JOBS))


def test_without_the_key_of_the_installation_nobody_is_root_anywhere(api_server: ApiServer) -> None:
    answers = [api_server.apply(each, JOBS) for each in room_of()]
    refused = [denied_by(answer) for answer in answers if not answer.is_success]
    assert any(each.startswith("atoll-virtual-clusters: ") for each in refused), "there is room for root"
    # A name that ends so is no other one's, as long as nobody may be root.
    usual = provisioning.manifests(
        CLUSTER.model_copy(update={"name": "default-root"}),
        cpu_cores=1,
        memory_bytes=1,
        machines=1,
        storage_root=STORAGE,
    )
    answer = api_server.apply(usual[0], JOBS, keep=True)
    assert answer.is_success, answer.text
    made = manifests.job_set(submission(privileged=True))
    there = {**made, "metadata": {**made["metadata"], "namespace": "vc-default"}}
    for wanted, user in ((made, JOBS), (made, None), (job_of(made), None), (there, JOBS), (job_of(there), None)):
        assert denied_by(api_server.create(wanted, user)).startswith("atoll-tasks: "), "somebody is root"
    level = {"apiVersion": "v1", "kind": "Namespace"}
    labels = copy.deepcopy(room_of()[0]["metadata"]["labels"])
    labels |= {f"pod-security.kubernetes.io/{name}": "baseline" for name in ("enforce", "audit", "warn")}
    for name in ("vc-evil", "vc-evil-root"):
        labels["atoll.io/virtual-cluster-name"] = name.removeprefix("vc-")
        answer = api_server.create({**level, "metadata": {"name": name, "labels": labels}})
        assert denied_by(answer).startswith("atoll-virtual-clusters: "), answer.text


def capabilities(*added: str) -> Callable[[Object], None]:
    def change(pod: Object) -> None:
        pod["containers"][0]["securityContext"]["capabilities"]["add"] = [*added]

    return change


def home_of(user: str) -> Callable[[Object], None]:
    def change(pod: Object) -> None:
        for mount in pod["containers"][0]["volumeMounts"]:
            if mount["name"] == "home":
                mount["subPath"] = user

    return change


def user_data(claim: str, path: str, **more: Any) -> Callable[[Object], None]:
    def change(pod: Object) -> None:
        pod["volumes"].append({"name": "else", "persistentVolumeClaim": {"claimName": claim}})
        mount = {"name": "else", "mountPath": "/else", "subPath": path, **more}
        pod["containers"][0]["volumeMounts"].append(mount)

    return change


def seccomp(profile: Object | None) -> Callable[[Object], None]:
    def change(pod: Object) -> None:
        pod["securityContext"].pop("seccompProfile")
        if profile is not None:
            pod["securityContext"]["seccompProfile"] = profile

    return change


BEYOND: dict[str, tuple[Callable[[Object], None], str]] = {
    "devices of the node": (capabilities("MKNOD"), "none of root's powers"),
    "mounts": (capabilities("SYS_ADMIN"), "none of root's powers"),
    "all powers": (capabilities("ALL"), "none of root's powers"),
    "one more beside its own": (capabilities("CHOWN", "NET_ADMIN"), "none of root's powers"),
    "another's home": (home_of("bob"), "directories of its own"),
    "a home that begins alike": (home_of("adam"), "directories of its own"),
    # What lies in a home is its user's to make, links to other homes, too.
    "what somebody put into their own home": (home_of("ada/work"), "directories of its own"),
    "another's home by another name": (user_data("homes", "bob"), "directories of its own"),
    "datasets to write to": (user_data("datasets", "pets"), "directories of its own"),
    "models to write to": (user_data("models", "net", readOnly=False), "directories of its own"),
    "all calls of the kernel": (seccomp(None), "root asks of the kernel"),
    "calls that a file of the node names": (
        seccomp({"type": "Localhost", "localhostProfile": "x.json"}),
        "root asks of the kernel",
    ),
    "calls of one container": (
        lambda pod: pod["containers"][0]["securityContext"].update(seccompProfile={"type": "RuntimeDefault"}),
        "root asks of the kernel",
    ),
    "root's own group": (lambda pod: pod["securityContext"].update(runAsGroup=0), "its own user"),
    "an account of the system": (lambda pod: pod["securityContext"].update(runAsUser=33), "its own user"),
}
# What is no step beside the shape of a privileged job, or is one in another way.
NOT_HERE = {"root", "a capability"}


@pytest.mark.parametrize("step", [*BEYOND, *(step for step in HOSTILE if step not in NOT_HERE)])
def test_root_is_root_of_its_container_and_no_step_further(lenient: ApiServer, step: str) -> None:
    change, said = (BEYOND | HOSTILE)[step]
    made = manifests.job_set(submission(privileged=True))
    change(pod_in(made))
    for wanted, user in ((made, JOBS), (made, None), (job_of(made), None)):
        refused = denied_by(lenient.create(wanted, user))
        assert refused.startswith("atoll-tasks: "), f"{wanted['kind']}: {refused}"
        assert said in refused


def test_the_room_of_privileged_jobs_is_of_its_virtual_cluster_and_of_its_level(lenient: ApiServer) -> None:
    found = next(each for each in room_of() if each["metadata"]["name"] == "vc-default-root")
    for label, value in (
        ("pod-security.kubernetes.io/enforce", "privileged"),
        ("pod-security.kubernetes.io/enforce", "restricted"),
        ("atoll.io/virtual-cluster-name", "default-root"),
        ("atoll.io/virtual-cluster-name", "other"),
    ):
        labels = {**found["metadata"]["labels"], label: value}
        answer = lenient.apply({**found, "metadata": {**found["metadata"], "labels": labels}}, JOBS)
        assert denied_by(answer).startswith("atoll-virtual-clusters: "), f"{label}={value}: {answer.text}"


def test_the_name_that_rooms_of_root_end_with_makes_no_room_of_root(lenient: ApiServer) -> None:
    usual = CLUSTER.model_copy(update={"name": "root"})
    made = provisioning.manifests(usual, cpu_cores=1, memory_bytes=1, machines=1, storage_root=STORAGE)
    answer = lenient.apply(made[0], JOBS, keep=True)
    assert answer.is_success, f"{answer.text}: `vc-root` is taken for a room of privileged jobs"
    wanted = manifests.job_set(submission(privileged=True))
    wanted["metadata"]["namespace"] = "vc-root"
    assert "its own user" in denied_by(lenient.create(wanted, JOBS)), "somebody is root in `vc-root`"


def test_a_quota_is_for_the_rooms_of_one_virtual_cluster(lenient: ApiServer) -> None:
    queue = next(each for each in room_of() if each["kind"] == "ClusterQueue")
    for values in (
        ["vc-default", "vc-other"],
        ["vc-default-root", "vc-default"],
        ["vc-default", "vc-default-root", "x"],
    ):
        wanted = copy.deepcopy(queue)
        wanted["spec"]["namespaceSelector"]["matchExpressions"][0]["values"] = values
        assert denied_by(lenient.apply(wanted, JOBS)).startswith("atoll-jobs-stay-in-virtual-clusters: "), values


WEB = Opening("203.0.113.0/24", (Ports("tcp", 443, 443),))
ALL = Opening("0.0.0.0/0", (Ports("tcp", 1, 65535), Ports("udp", 53, 53)))


def allow_list(*egress: Opening, shut: tuple[str, ...] = (PODS, SERVICES, MASTER)) -> Object:
    made = provisioning.manifests(
        CLUSTER.model_copy(update={"egress": egress}),
        cpu_cores=1,
        memory_bytes=1,
        machines=1,
        storage_root=STORAGE,
        shut=closed(shut),
    )
    return next(each for each in made if each["metadata"]["name"] == "allow-list")


def hosts(server: ApiServer) -> tuple[str, ...]:
    """The masters, registries and storage nodes of the reference topology, as its policies have them."""
    policy = server.ask(
        "GET",
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/atoll-jobs-stay-in-virtual-clusters",
    ).json()
    shut = next(each["expression"] for each in policy["spec"]["variables"] if each["name"] == "shut")
    return tuple(each.removesuffix("/32") for each in yaml.safe_load(shut) if each.endswith("/32"))


def test_what_an_administrator_opens_is_admitted_and_taken_away_again(api_server: ApiServer) -> None:
    own = (PODS, SERVICES, *hosts(api_server))
    assert len(own) > 2
    for egress in ((WEB,), (ALL,), (WEB, ALL)):
        answer = api_server.apply(allow_list(*egress, shut=own), JOBS)
        assert answer.is_success, answer.text
    path = "/apis/networking.k8s.io/v1/namespaces/vc-default/networkpolicies/allow-list"
    assert api_server.ask("DELETE", path, JOBS, params={"dryRun": "All"}).status_code in (200, 404)


BLOCK = {"cidr": "203.0.113.0/24"}
RULE = {"to": [{"ipBlock": BLOCK}], "ports": [{"protocol": "TCP", "port": 443}]}
TOO_WIDE: dict[str, list[Object]] = {
    "nothing said": [{}],
    "every port": [{"to": [{"ipBlock": BLOCK}]}],
    "every address": [{"ports": RULE["ports"]}],
    "the pods": [{**RULE, "to": [{"ipBlock": {"cidr": PODS}}]}],
    "some pods": [{**RULE, "to": [{"ipBlock": {"cidr": "10.244.7.0/24"}}]}],
    "the services": [{**RULE, "to": [{"ipBlock": {"cidr": "10.96.0.1/32"}}]}],
    "all with the pods": [{**RULE, "to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}],
    "all but some": [{**RULE, "to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": [PODS, SERVICES]}}]}],
    "all of IPv6": [{**RULE, "to": [{"ipBlock": {"cidr": "::/0"}}]}],
    "the node itself": [{**RULE, "to": [{"ipBlock": {"cidr": "127.0.0.1/32"}}]}],
    "secrets of a cloud": [{**RULE, "to": [{"ipBlock": {"cidr": "169.254.169.254/32"}}]}],
    "pods by label": [{**RULE, "to": [{"podSelector": {}}]}],
    "another virtual cluster": [{**RULE, "to": [{"namespaceSelector": {}}]}],
    "two at once": [{**RULE, "to": [{"ipBlock": BLOCK}, {"ipBlock": {"cidr": PODS}}]}],
    "a protocol as a whole": [{**RULE, "ports": [{"protocol": "TCP"}]}],
}


@pytest.mark.parametrize("opening", TOO_WIDE)
def test_a_virtual_cluster_is_opened_to_nothing_of_the_cluster(api_server: ApiServer, opening: str) -> None:
    wanted = allow_list(WEB)
    wanted["spec"]["egress"] = TOO_WIDE[opening]
    refused = denied_by(api_server.apply(wanted, JOBS))
    assert refused.startswith("atoll-jobs-stay-in-virtual-clusters: a virtual cluster is let out"), refused


def test_hosts_of_the_cluster_stay_closed_and_nobody_is_let_in(api_server: ApiServer) -> None:
    wanted = yaml.safe_load(file_of(REFERENCE).read_text(encoding="utf-8"))
    known = {"master", "registry", "storage"}
    all_of_them = {each["address"] for each in wanted["nodes"] if known & {*each["roles"]}}
    assert {*hosts(api_server)} == all_of_them
    changes: list[dict[str, Any]] = [
        *({"egress": [{**RULE, "to": [{"ipBlock": {"cidr": f"{each}/32"}}]}]} for each in sorted(all_of_them)),
        {"ingress": [{}], "policyTypes": ["Egress", "Ingress"]},
        {"podSelector": {"matchLabels": {"atoll.io/user": "ada"}}},
        {"policyTypes": ["Ingress", "Egress"]},
        {"egress": []},
    ]
    for change in changes:
        wanted = allow_list(WEB)
        wanted["spec"] |= change
        refused = denied_by(api_server.apply(wanted, JOBS))
        assert refused.startswith("atoll-jobs-stay-in-virtual-clusters: a virtual cluster is let out"), change
