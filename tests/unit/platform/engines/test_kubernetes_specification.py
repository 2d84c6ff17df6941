"""How the Kubernetes engine renders the parts of a specification, and what it makes of their state. Needs nothing."""

from typing import Any

import pytest
from atoll.engines.base import EngineError, Phase
from atoll.engines.kubernetes import manifests, observing
from atoll.engines.kubernetes.engine import KubernetesEngine
from atoll.engines.kubernetes.reflector import key

from tests.unit.platform.engines.test_kubernetes import pod_spec, submission
from tests.unit.platform.engines.test_kubernetes_observing import NOW, ended, running

PORT = {"name": "web", "number": 8080}
HTTP = {"by": "http", "port": "web", "path": "/ready"}


def container(**changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = pod_spec(**changes)["containers"][0]
    return found


def test_secrets_are_in_the_secret_of_the_attempt_and_nowhere_else() -> None:
    given = submission(secrets={"TOKEN": "hunter2"}, variables={"PLAIN": "$(X)"})
    made = manifests.secret(given, "uid-1")
    assert made is not None
    assert made["stringData"] == {"TOKEN": "hunter2"}
    job_set = manifests.job_set(given)
    assert "hunter2" not in str(job_set)
    assert "hunter2" not in repr(given)
    found = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"][0]
    assert found["envFrom"] == [{"prefix": "ATOLL_GIVEN_", "secretRef": {"name": made["metadata"]["name"]}}]
    assert {"name": "ATOLL_GIVEN_PLAIN", "value": "$$(X)"} in found["env"]
    assert manifests.secret(submission(), "uid-1") is None
    assert "envFrom" not in container()


def test_what_lies_in_a_mount_already_is_not_mounted_again() -> None:
    dataset = {"kind": "dataset", "source": "datasets/coco/3", "target": "/data", "read_only": True}
    pod = pod_spec(mounts=[dataset])
    assert [volume["name"] for volume in pod["volumes"] if "persistentVolumeClaim" in volume] == ["home", "datasets"]
    mounts = [mount for mount in pod["containers"][0]["volumeMounts"] if mount["name"] in ("home", "datasets")]
    assert mounts == [
        {"name": "home", "mountPath": "/home/ada", "subPath": "ada"},
        {"name": "datasets", "mountPath": "/data", "subPath": "coco/3", "readOnly": True},
    ]


def test_what_is_no_part_of_the_tree_of_user_data_is_refused_for_good() -> None:
    with pytest.raises(EngineError) as refused:
        pod_spec(mounts=[{"kind": "dataset", "source": "logs/x", "target": "/data"}])
    assert refused.value.permanent


def test_ports_are_told_to_the_program_and_open_for_the_gateway_alone() -> None:
    given = submission(ports=[PORT])
    assert {"name": "ATOLL_PORT_WEB", "value": "8080"} in container(ports=[PORT])["env"]
    ingress = manifests.network_policy(manifests.job_set(given))["spec"]["ingress"]
    assert len(ingress) == 2
    (gateway,) = ingress[1]["from"]
    assert gateway["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "atoll-system"}
    assert gateway["podSelector"]["matchLabels"] == {"app.kubernetes.io/name": "gateway"}
    assert ingress[1]["ports"] == [{"protocol": "TCP", "port": 8080}]


@pytest.mark.parametrize(
    ("readiness", "probe"),
    [
        (HTTP, {"httpGet": {"port": "web", "path": "/ready"}}),
        ({"by": "tcp", "port": "web"}, {"tcpSocket": {"port": "web"}}),
        (
            {"by": "command", "command": ["true"]},
            {"exec": {"command": ["python3", "-I", "-S", "-B", "/atoll/entry.py", "--beside", "true"]}},
        ),
    ],
)
def test_readiness_is_asked_by_the_kubelet(readiness: dict[str, Any], probe: dict[str, Any]) -> None:
    made = container(ports=[PORT], readiness=readiness)["readinessProbe"]
    assert {name: made[name] for name in probe} == probe
    assert "readinessProbe" not in container()


def test_the_grace_is_the_one_that_was_asked_for() -> None:
    assert pod_spec(grace_s=7)["terminationGracePeriodSeconds"] == 7


def service(**conditions: Any) -> dict[str, Any]:
    made = manifests.job_set(submission(mode="service", ports=[PORT], readiness=HTTP))
    made["spec"]["suspend"] = False
    made["status"] = {"conditions": [{"type": kind, "status": "True"} for kind in conditions]}
    return made


def test_a_service_runs_once_its_probe_holds() -> None:
    pod = running(0)
    seen = observing.observation("a", service(), [pod], None, NOW)
    assert (seen.phase, seen.replicas[0].ready) == (Phase.STARTING, False)
    assert seen.reason is not None
    assert seen.reason.code == "not_ready"
    pod["status"]["containerStatuses"][0]["ready"] = True
    seen = observing.observation("a", service(), [pod], None, NOW)
    assert (seen.phase, seen.replicas[0].ready) == (Phase.RUNNING, True)


def test_a_service_whose_program_ends_well_has_failed_all_the_same() -> None:
    seen = observing.observation("a", service(Completed=NOW), [ended(0, 0, reason="Completed")], None, NOW)
    assert seen.phase is Phase.FAILED
    assert seen.reason is not None
    assert seen.reason.code == "service_ended"


def test_ports_of_running_pods_are_told() -> None:
    pod = running(0)
    assert observing.endpoints(service(), [pod]) == []
    pod["status"] |= {"phase": "Running", "podIP": "10.244.1.7"}
    (endpoint,) = observing.endpoints(service(), [pod])
    assert (endpoint.host, endpoint.number, endpoint.port) == ("10.244.1.7", 8080, "web")


class CountedPods(dict[Any, Any]):
    """All pods of a cluster, and how often somebody went through them."""

    scans = 0

    def values(self) -> Any:
        self.scans += 1
        return super().values()


async def test_an_observation_looks_at_the_pods_of_its_attempt_alone() -> None:
    nothing: Any = None  # is asked of the cluster
    engine = KubernetesEngine(nothing, [], nothing)
    pods = engine._pods.items = CountedPods()
    made = manifests.job_set(submission())
    made["metadata"] |= {"uid": "u"}
    made["spec"]["suspend"] = False
    engine._attempt_changed(None, made)
    for number in range(100):
        pod = running(0)
        pod["metadata"] |= {"name": f"p{number}", "namespace": "vc-default", "uid": str(number)}
        pod["metadata"]["labels"]["atoll.io/attempt"] = "01abc-1" if number == 7 else f"other-{number}"
        pods[key(pod)] = pod
        engine._pod_changed(None, pod)
    seen = engine.observe("01abc-1")
    assert (seen.phase, seen.replicas[0].pod) == (Phase.RUNNING, "p7")
    assert pods.scans == 0
    engine._pod_changed(pods[("vc-default", "p7")], None)
    assert engine.observe("01abc-1").replicas[0].pod is None
    assert engine.adopt() == ["01abc-1"]
    engine._attempt_changed(made, None)
    assert engine.observe("01abc-1").phase is Phase.GONE
