"""Privileged jobs and opened networks on Kubernetes: what the engine makes of them. Needs nothing.

That a real API server admits just this, tests/apiserver/test_privileged.py tries.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from atoll.engines.base import ClusterProvision, Member
from atoll.engines.kubernetes import manifests, names, provisioning
from atoll.engines.kubernetes.engine import KubernetesEngine
from atoll.engines.kubernetes.security import ROOT_POWERS
from atoll.networks import Opening, Ports, closed

from tests.unit.platform.engines.test_kubernetes import CLUSTER, pod_spec, provisioned, submission
from tests.unit.platform.engines.test_kubernetes_machines import machine
from tests.unit.platform.engines.test_kubernetes_removing import ADA, BOB, Server, cluster

BASELINE = CLUSTER.model_copy(update={"privileged": True})
# Of what `baseline` of the Pod Security Standards lets containers have.
OF_BASELINE = {
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
}
WEB = Opening("203.0.113.0/24", (Ports("tcp", 443, 443),))
WIDE = Opening("10.0.0.0/8", (Ports("udp", 53, 53), Ports("tcp", 8000, 8100)))


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def engine(server: Server) -> KubernetesEngine:
    return KubernetesEngine(server, [], Path("/mnt/atoll"), networks=["10.244.0.0/16"])


def spaces(made: list[dict[str, Any]], kind: str) -> dict[str, list[str]]:
    """The names of objects of a kind by name space."""
    found: dict[str, list[str]] = {}
    for item in made:
        if item["kind"] == kind:
            found.setdefault(item["metadata"].get("namespace", ""), []).append(item["metadata"]["name"])
    return found


def made_of(wanted: ClusterProvision, *own: str) -> list[dict[str, Any]]:
    return provisioning.manifests(
        wanted, cpu_cores=8, memory_bytes=1 << 34, machines=1, storage_root=Path("/mnt/atoll"), shut=closed(own)
    )


def test_a_privileged_job_is_root_of_its_container_in_its_users_group_and_nothing_on_the_node() -> None:
    pod = pod_spec(privileged=True, runtime="registry.atoll.internal:5000/atoll/runtime:0.1.0")
    security = pod["securityContext"]
    assert (security["runAsUser"], security["runAsGroup"], security["runAsNonRoot"]) == (0, 30007, False)
    assert (security["supplementalGroupsPolicy"], security["seccompProfile"]) == ("Strict", {"type": "RuntimeDefault"})
    (container,), (hold,) = pod["containers"], pod["initContainers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": [*ROOT_POWERS]},
    }
    assert {*ROOT_POWERS} <= OF_BASELINE - {"MKNOD", "NET_RAW"}, "it makes devices of the node"
    assert hold["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & {*pod}
    assert not any("hostPath" in volume for volume in pod["volumes"])
    assert pod["automountServiceAccountToken"] is False


def test_it_finds_an_account_that_it_can_change_and_leaves_files_that_its_user_can() -> None:
    pod = pod_spec(privileged=True)
    (container,) = pod["containers"]
    assert not any(mount["mountPath"] in ("/etc/passwd", "/etc/group") for mount in container["volumeMounts"])
    assert not any(volume["name"] == "identity" for volume in pod["volumes"])
    environment = {each["name"]: each["value"] for each in container["env"]}
    assert (environment["USER"], environment["HOME"], environment["ATOLL_UMASK"]) == ("root", "/home/ada", "007")
    usual = {each["name"]: each["value"] for each in pod_spec()["containers"][0]["env"]}
    assert (usual["USER"], "ATOLL_UMASK" in usual) == ("ada", False)


def test_it_has_a_user_namespace_where_there_is_one() -> None:
    made = manifests.job_set(submission(privileged=True), user_namespace=True)
    pod = made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert pod["hostUsers"] is False


def test_all_of_it_is_in_the_name_space_of_privileged_jobs() -> None:
    given = submission(privileged=True, secrets={"TOKEN": "hunter2"})
    made = manifests.job_set(given)
    secret = manifests.secret(given, "a-uid")
    assert secret is not None
    of_all = (made, secret, manifests.network_policy(made))
    assert {each["metadata"]["namespace"] for each in of_all} == {"vc-default-root"}
    assert manifests.job_set(submission())["metadata"]["namespace"] == "vc-default"


def test_a_virtual_cluster_has_room_for_them_only_where_it_is_to_have() -> None:
    assert "Namespace/vc-default-root" not in provisioned()
    assert provisioned()["ClusterQueue/vc-default--ada"]["spec"]["namespaceSelector"] == {
        "matchLabels": {"kubernetes.io/metadata.name": "vc-default"}
    }
    made = provisioned(BASELINE)
    levels = {
        name: made[f"Namespace/{name}"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for name in ("vc-default", "vc-default-root")
    }
    assert levels == {"vc-default": "restricted", "vc-default-root": "baseline"}
    labels = made["Namespace/vc-default-root"]["metadata"]["labels"]
    assert (labels["atoll.io/virtual-cluster"], labels["atoll.io/virtual-cluster-name"]) == ("true", "default")


def test_both_rooms_are_closed_have_the_user_data_and_take_of_one_quota() -> None:
    made = made_of(BASELINE)
    both = {"vc-default", "vc-default-root"}
    for kind in ("NetworkPolicy", "ConfigMap", "PersistentVolumeClaim", "LocalQueue"):
        found = spaces(made, kind)
        assert {*found} == both, kind
        assert found["vc-default"] == found["vc-default-root"], kind
    volumes = {each["metadata"]["name"]: each["spec"] for each in made if each["kind"] == "PersistentVolume"}
    assert volumes["vc-default-root-homes"]["claimRef"]["namespace"] == "vc-default-root"
    assert len(volumes) == 2 * len(names.VOLUME_CLAIMS)
    queues = [each for each in made if each["kind"] == "ClusterQueue"]
    assert [each["metadata"]["name"] for each in queues] == ["vc-default--ada"]
    assert queues[0]["spec"]["namespaceSelector"] == {
        "matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["vc-default", "vc-default-root"]}
        ]
    }
    places = [(each["kind"], each["metadata"].get("namespace")) for each in made]
    first_queue = places.index(("ClusterQueue", None))
    assert all(kind not in ("LocalQueue",) for kind, _ in places[:first_queue]), (
        "who leaves is not found by their queue"
    )


def test_nothing_is_opened_until_somebody_says_so() -> None:
    assert not any(each["metadata"]["name"] == names.ALLOW_LIST for each in made_of(BASELINE))


def test_what_is_opened_is_addresses_and_ports_to_all_tasks_without_what_is_the_clusters() -> None:
    made = made_of(BASELINE.model_copy(update={"egress": (WEB, WIDE)}), "10.244.0.0/16", "10.0.0.7")
    lists = [each for each in made if each["metadata"]["name"] == names.ALLOW_LIST]
    assert [each["metadata"]["namespace"] for each in lists] == ["vc-default", "vc-default-root"]
    assert (
        lists[0]["spec"]
        == lists[1]["spec"]
        == {
            "podSelector": {},
            "policyTypes": ["Egress"],
            "egress": [
                {
                    "to": [{"ipBlock": {"cidr": "203.0.113.0/24"}}],
                    "ports": [{"protocol": "TCP", "port": 443}],
                },
                {
                    "to": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.7/32", "10.244.0.0/16"]}}],
                    "ports": [{"protocol": "UDP", "port": 53}, {"protocol": "TCP", "port": 8000, "endPort": 8100}],
                },
            ],
        }
    )


def test_what_has_become_the_clusters_own_meanwhile_is_not_opened_any_more() -> None:
    """A machine came there: an empty rule would open everything."""
    made = made_of(CLUSTER.model_copy(update={"egress": (WEB,)}), "203.0.113.0/24")
    assert not any(each["metadata"]["name"] == names.ALLOW_LIST for each in made)


async def test_the_engine_closes_what_is_not_opened_any_more_and_keeps_its_own_networks_closed(
    server: Server, engine: KubernetesEngine
) -> None:
    where = ("networkpolicies", "vc-lab", names.ALLOW_LIST)
    assert await engine.provision(cluster("lab", ADA).model_copy(update={"egress": (WIDE,)}))
    rule = server.objects[where]["spec"]["egress"][0]
    assert rule["to"] == [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.244.0.0/16"]}}]
    assert await engine.provision(cluster("lab", ADA))
    assert where not in server.all(), "it is still open"


async def test_room_for_privileged_jobs_goes_with_all_that_is_in_it_and_the_rest_stays(
    server: Server, engine: KubernetesEngine
) -> None:
    assert await engine.provision(cluster("lab", ADA))
    usual = server.all()
    assert await engine.provision(cluster("lab", ADA).model_copy(update={"privileged": True}))
    assert len(server.all() - usual) > 6
    server.busy = {"vc-lab-root"}
    assert not await engine.provision(cluster("lab", ADA)), "what is still going is called gone"
    server.busy = set()
    server.settle()
    assert await engine.provision(cluster("lab", ADA))
    assert server.all() == usual


async def test_who_left_has_no_queue_in_either_room(server: Server, engine: KubernetesEngine) -> None:
    both = cluster("lab", ADA, BOB).model_copy(update={"privileged": True})
    assert await engine.provision(both)
    alone = both.model_copy(update={"members": (Member(name="ada", uid=30007),)})
    await engine.provision(alone)
    assert await engine.provision(alone)
    assert not [where for where in server.all() if "bob" in where[2]]


async def test_nothing_is_left_of_one_that_had_both_rooms(server: Server, engine: KubernetesEngine) -> None:
    await engine.provision(cluster("lab", ADA).model_copy(update={"privileged": True, "egress": (WEB,)}))
    for _ in range(4):
        await engine.remove_cluster("lab")
    assert await engine.remove_cluster("lab")
    assert server.all() == set()


async def test_each_room_has_the_entry_point_of_this_version_and_an_attempt_is_forgotten_where_it_was(
    server: Server, engine: KubernetesEngine
) -> None:
    await engine._keep_entry("lab", privileged=True)
    await engine._keep_entry("lab", privileged=False)
    assert {where[1] for where in server.all()} == {"vc-lab", "vc-lab-root"}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "t-01abc-1", "namespace": "vc-lab-root"}}
    await server.apply(secret)
    await engine.forget("01abc-1", "lab")
    assert ("secrets", "vc-lab-root", "t-01abc-1") in server.all()
    await engine.forget("01abc-1", "lab", privileged=True)
    assert ("secrets", "vc-lab-root", "t-01abc-1") not in server.all()


def seen(engine: KubernetesEngine, *addresses: str) -> None:
    """The engine sees one machine, for the system alone, with these addresses."""
    node = machine("odd", taint="node-role.kubernetes.io/control-plane")
    node["status"]["addresses"] = [
        {"type": "Hostname", "address": "odd"},
        *({"type": "InternalIP", "address": each} for each in addresses),
        {"type": "ExternalIP", "address": "10.99.0.9"},
    ]
    engine._nodes.items["", "odd"] = node


def test_virtual_clusters_are_brought_again_when_a_machine_with_another_address_comes(
    engine: KubernetesEngine,
) -> None:
    """It is closed to all tasks from then on, whatever is opened."""
    before = engine.capacity()
    seen(engine, "192.0.2.1")
    assert engine.capacity() == (*before, "10.99.0.9", "192.0.2.1")
    seen(engine, "192.0.2.1", "192.0.2.9", "2001:db8::1")
    assert engine.capacity() == (*before, "10.99.0.9", "192.0.2.1", "192.0.2.9")


async def test_tasks_are_let_out_to_a_machine_at_none_of_its_addresses(
    server: Server, engine: KubernetesEngine
) -> None:
    seen(engine, "10.77.0.21", "10.88.0.21")
    assert await engine.provision(cluster("lab", ADA).model_copy(update={"egress": (WIDE,)}))
    (to,) = server.objects["networkpolicies", "vc-lab", names.ALLOW_LIST]["spec"]["egress"][0]["to"]
    closed_to_all = ["10.77.0.21/32", "10.88.0.21/32", "10.99.0.9/32", "10.244.0.0/16"]
    assert to["ipBlock"]["except"] == closed_to_all, "a machine is open to tasks at another one of its addresses"
