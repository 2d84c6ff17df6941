"""Tasks run in user namespaces of their own where every machine that may take them can give one. Needs nothing."""

from typing import Any

import pytest
from atoll.engines.kubernetes import machines, manifests
from atoll.engines.kubernetes.engine import KubernetesEngine

from tests.unit.platform.engines.test_kubernetes import pod_spec, submission
from tests.unit.platform.engines.test_kubernetes_leftovers import Server

CAN = {"atoll.io/user-namespaces": "true"}
CANNOT = {"atoll.io/user-namespaces": "false"}


def machine(name: str, labels: dict[str, str], arch: str = "amd64", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": {"kubernetes.io/arch": arch, **labels}}, "spec": spec}


MASTER: dict[str, Any] = {"taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]}


@pytest.mark.parametrize(
    ("nodes", "arch", "have"),
    [
        ([machine("a", CAN), machine("b", CAN)], "amd64", True),
        ([machine("a", CAN), machine("b", CANNOT)], "amd64", False),
        ([machine("a", CAN), machine("b", {})], "amd64", False),
        ([machine("a", CAN), machine("m", CANNOT, **MASTER)], "amd64", True),
        ([machine("a", CAN), machine("c", CANNOT, arch="arm64")], "amd64", True),
        ([machine("a", CAN), machine("c", CANNOT, arch="arm64")], "arm64", False),
        ([machine("a", CAN), machine("c", CANNOT, arch="arm64")], None, False),
        ([machine("a", CAN)], "arm64", False),
        ([], None, False),
    ],
)
def test_every_machine_that_may_take_the_task_has_to_give_one(
    nodes: list[dict[str, Any]], arch: str | None, have: bool
) -> None:
    assert machines.have_user_namespaces(nodes, arch) is have


def rendered(**options: Any) -> dict[str, Any]:
    job = manifests.job_set(submission(), **options)["spec"]["replicatedJobs"][0]["template"]["spec"]
    found: dict[str, Any] = job["template"]["spec"]
    return found


def test_a_pod_with_one_goes_only_where_it_can_start() -> None:
    pod = rendered(user_namespace=True)
    assert pod["hostUsers"] is False
    assert pod["nodeSelector"] == {"kubernetes.io/arch": "amd64", **CAN}
    assert pod["securityContext"]["runAsUser"] == 30007  # the same inside


def test_without_it_nothing_is_said_of_users() -> None:
    assert "hostUsers" not in pod_spec()
    assert pod_spec()["nodeSelector"] == {"kubernetes.io/arch": "amd64"}


def test_a_user_beyond_the_ids_of_a_pod_runs_without() -> None:
    """The kubelet maps 65536 ids: a container of a later user would not start in them."""
    for uid, has in ((65535, True), (65536, False)):
        made = manifests.job_set(submission().model_copy(update={"uid": uid}), user_namespace=True)
        pod = made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        assert ("hostUsers" in pod, "atoll.io/user-namespaces" in pod["nodeSelector"]) == (has, has)


@pytest.mark.parametrize(("allowed", "labels", "has"), [(True, CAN, True), (True, CANNOT, False), (False, CAN, False)])
async def test_the_engine_looks_at_the_machines_that_there_are(
    allowed: bool, labels: dict[str, str], has: bool
) -> None:
    server = Server()
    nothing: Any = None  # is asked of it
    engine = KubernetesEngine(server, [], nothing, user_namespaces=allowed)
    engine._nodes.items = {("", "a"): machine("a", labels)}
    await engine.submit(submission())
    (made,) = (item for (kind, _), item in server.objects.items() if kind.kind == "JobSet")
    assert ("hostUsers" in made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]) is has
