"""What the Kubernetes engine makes. Needs nothing; the rest is a system test."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from atoll.engines.base import ClusterProvision, EngineError, Member, Share, Submission, UserShare
from atoll.engines.kubernetes import manifests, provisioning
from atoll.engines.kubernetes.client import KINDS, NODE, POD, WORKLOAD, ApiFailure
from atoll.engines.specification import TaskSpec

ACCESS = Path("roles/platform/templates/access.yaml.j2")
ADMISSION = ACCESS.with_name("admission.yaml.j2")


def submission(**changes: Any) -> Submission:
    """An attempt of ada's; `changes` are of its specification, by the names below."""
    values: dict[str, Any] = {
        "attempt_id": "01abc-1",
        "image": "registry.atoll.internal:5000/engines/numpy:0.1.0",
        "command": ("python3", "train.py", "--epochs", "3"),
        "working_directory": "/home/ada/examples/digits",
        "runtime": None,
        "output": "/home/ada/tasks/01abc/output",
        "devices": 2,
        "nodes": 1,
        **changes,
    }
    program = {name: values.pop(name) for name in ("image", "command", "working_directory", "runtime")}
    output = values.pop("output")
    return Submission(
        attempt_id=values.pop("attempt_id"),
        task_id="01abc",
        task_name="digits_1",
        number=1,
        user_name="ada",
        uid=30007,
        virtual_cluster="default",
        specification=TaskSpec.model_validate(
            {
                "program": program,
                "mounts": [
                    {"kind": "home", "source": "home/ada", "target": "/home/ada"},
                    {"kind": "output", "source": output[1:], "target": output},
                    *values.pop("mounts", ()),
                ],
                "devices": {
                    "type": "nvidia_gpu_amd64",
                    "resource": "nvidia.com/gpu",
                    "architecture": "amd64",
                    "count": values.pop("devices"),
                    "nodes": values.pop("nodes"),
                    **values.pop("of", {}),
                },
                "limits": {"cpu": "2", "memory": "400Mi"},
                "requests": {"cpu": "1", "memory": "200Mi"},
                **values,
            }
        ),
    )


def pod_spec(**changes: Any) -> dict[str, Any]:
    job = manifests.job_set(submission(**changes))["spec"]["replicatedJobs"][0]["template"]["spec"]
    found: dict[str, Any] = job["template"]["spec"]
    return found


def test_a_task_runs_as_its_user_without_rights_and_without_a_token() -> None:
    pod = pod_spec()
    assert pod["securityContext"]["runAsUser"] == pod["securityContext"]["runAsGroup"] == 30007
    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"].get("supplementalGroupsPolicy") == "Strict"  # none of the image's /etc/group
    assert pod["automountServiceAccountToken"] is False
    container = pod["containers"][0]
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert not any("hostPath" in volume for volume in pod["volumes"])
    home = next(mount for mount in container["volumeMounts"] if mount["name"] == "home")
    assert (home["mountPath"], home["subPath"]) == ("/home/ada", "ada")


def test_limits_are_absolute_and_devices_are_asked_for_whole() -> None:
    assert pod_spec()["containers"][0]["resources"] == {
        "limits": {"cpu": "2", "memory": "400Mi", "nvidia.com/gpu": "2", "ephemeral-storage": "20Gi"},
        "requests": {"cpu": "1", "memory": "200Mi", "nvidia.com/gpu": "2", "ephemeral-storage": "0"},
    }
    assert "nvidia.com/gpu" not in pod_spec(devices=0)["containers"][0]["resources"]["limits"]


def test_the_disk_of_its_node_is_limited_and_set_aside_as_the_task_says() -> None:
    resources = pod_spec(local_disk={"limit": "100Gi", "request": "10Gi"})["containers"][0]["resources"]
    assert (resources["limits"]["ephemeral-storage"], resources["requests"]["ephemeral-storage"]) == ("100Gi", "10Gi")
    resources = pod_spec(local_disk={"limit": "5Gi"})["containers"][0]["resources"]
    assert (resources["limits"]["ephemeral-storage"], resources["requests"]["ephemeral-storage"]) == ("5Gi", "0")


def test_without_a_device_type_it_goes_to_any_machine_or_to_those_of_an_architecture() -> None:
    untyped = {"type": None, "resource": None, "architecture": None}
    pod = pod_spec(devices=0, of=untyped)
    assert pod["nodeSelector"] == {}
    assert set(pod["containers"][0]["resources"]["limits"]) == {"cpu", "memory", "ephemeral-storage"}
    made = manifests.job_set(submission(devices=0, of=untyped))
    assert "atoll.io/device-type" not in made["metadata"]["labels"]
    pod = pod_spec(devices=0, of={**untyped, "architecture": "arm64"}, runtime="registry/runtime")
    assert pod["nodeSelector"] == {"kubernetes.io/arch": "arm64"}
    assert any("ld-linux-aarch64" in word for word in pod["containers"][0]["command"])


@pytest.mark.parametrize("architecture", [None, "riscv64"])
def test_an_interpreter_that_cannot_be_chosen_is_refused_for_good_and_not_guessed(architecture: str | None) -> None:
    with pytest.raises(EngineError, match="amd64 or arm64") as refused:
        pod_spec(devices=0, of={"type": None, "resource": None, "architecture": architecture}, runtime="registry/it")
    assert refused.value.permanent


@pytest.mark.parametrize("of", [{"type": None}, {"resource": None}, {"type": None, "resource": None}])
def test_devices_have_a_type_and_a_resource(of: dict[str, None]) -> None:
    with pytest.raises(ValueError, match="type"):
        submission(devices=1, of=of)


def test_the_queue_starts_it_and_it_is_never_restarted_by_kubernetes() -> None:
    made = manifests.job_set(submission())
    assert made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "ada"
    assert made["spec"]["suspend"] is True
    assert made["spec"]["failurePolicy"] == {"maxRestarts": 0}, "a program that crashed is begun again"
    job = made["spec"]["replicatedJobs"][0]["template"]["spec"]
    assert job["backoffLimit"] == 0, "a pod that failed gets another one"
    assert job["template"]["spec"]["restartPolicy"] == "Never"


def test_replicas_of_a_distributed_task_find_each_other_and_lie_on_different_nodes() -> None:
    pod = pod_spec(nodes=2, devices=0)
    environment = {item["name"]: item["value"] for item in pod["containers"][0]["env"]}
    assert environment["WORLD_SIZE"] == "2"
    assert environment["MASTER_ADDR"] == "t-01abc-1-task-0-0.t-01abc-1"
    rule = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][0]
    assert rule["topologyKey"] == "kubernetes.io/hostname"


def test_names_fit_into_what_dns_allows() -> None:
    made = manifests.job_set(submission(attempt_id=f"{'0' * 26}-999"))
    hostname = f"{made['metadata']['name']}-task-0-511"
    assert len(hostname) <= 63
    assert made["metadata"]["name"][0].isalpha()


def test_a_task_reaches_its_replicas_and_dns_and_nothing_else() -> None:
    spec = manifests.network_policy(manifests.job_set(submission()))["spec"]
    own = {"podSelector": {"matchLabels": {"atoll.io/attempt": "01abc-1"}}}
    assert spec["ingress"] == [{"from": [own]}]
    assert spec["egress"][0] == {"to": [own]}
    assert [item["port"] for item in spec["egress"][1]["ports"]] == [53, 53]
    assert len(spec["egress"]) == 2


def test_an_image_of_ones_own_needs_nothing_inside_it_for_the_entry_point() -> None:
    own = submission(
        image="registry.atoll.internal:5000/imported/tool:1@sha256:1",
        runtime="registry.atoll.internal:5000/atoll/runtime:0.1.0",
        command=("/tool", "--fast"),
        working_directory="/app",
    )
    job = manifests.job_set(own)["spec"]["replicatedJobs"][0]["template"]["spec"]
    pod = job["template"]["spec"]
    (runtime,) = (volume for volume in pod["volumes"] if "image" in volume)
    assert runtime["image"]["reference"] == own.specification.program.runtime
    container = pod["containers"][0]
    assert {"name": runtime["name"], "mountPath": "/atoll-runtime", "readOnly": True} in container["volumeMounts"]
    command = container["command"]
    assert command[0] == "/atoll-runtime/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
    assert command[-3:] == ["/atoll/entry.py", "/tool", "--fast"]
    environment = {item["name"]: item["value"] for item in container["env"]}
    assert (environment["ATOLL_CODE_DIR"], environment["ATOLL_START_FILE"]) == ("/app", "")
    assert pod["securityContext"]["runAsUser"] == 30007


def test_a_preset_engine_gets_no_further_interpreter() -> None:
    pod = pod_spec()
    assert not any("image" in volume for volume in pod["volumes"])
    assert pod["containers"][0]["command"] == [
        *("python3", "-I", "-S", "-B", "/atoll/entry.py"),
        *("python3", "train.py", "--epochs", "3"),
    ]


def test_what_a_user_types_is_not_taken_for_a_variable_of_kubernetes() -> None:
    pod = pod_spec(
        command=("run", "--cost", "$(HOME)", "5$"), working_directory="/home/ada/a$(X)", output="/home/ada/$$"
    )
    container = pod["containers"][0]
    assert container["command"][-4:] == ["run", "--cost", "$$(HOME)", "5$$"]
    environment = {item["name"]: item["value"] for item in container["env"]}
    assert environment["ATOLL_CODE_DIR"] == "/home/ada/a$$(X)"
    assert environment["ATOLL_OUTPUT_DIR"] == "/home/ada/$$$$"
    assert environment["ATOLL_HOLD_WHILE_REACHABLE"] == "$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)"


LANDMARKS = manifests.Landmarks(("10.77.0.11", "10.77.0.12"), "10.96.0.10")


def test_a_task_holds_until_every_masters_gateway_is_closed_to_it_and_the_name_service_open() -> None:
    made = manifests.job_set(submission(), landmarks=LANDMARKS)
    (container,) = made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]
    environment = {item["name"]: item["value"] for item in container["env"]}
    assert {name: value for name, value in environment.items() if "HOLD" in name} == {
        "ATOLL_HOLD_WHILE_REACHABLE": "$(KUBERNETES_SERVICE_HOST):$(KUBERNETES_SERVICE_PORT)",
        "ATOLL_HOLD_UNTIL_REJECTED": "10.77.0.11:443 10.77.0.12:443",
        "ATOLL_HOLD_UNTIL_REACHABLE": "10.96.0.10:53",
    }
    # What is rejected is not what the policy of the task lets pass, and what is reached is.
    egress = manifests.network_policy(made)["spec"]["egress"]
    ports = [item["port"] for rule in egress for item in rule.get("ports", ())]
    assert 443 not in ports
    assert 53 in ports


def test_nothing_of_ones_own_image_runs_before_an_image_of_ours_has_held() -> None:
    own = submission(
        image="registry.atoll.internal:5000/imported/tool:1@sha256:1",
        runtime="registry.atoll.internal:5000/atoll/runtime:0.1.0",
        variables={"LD_PRELOAD": "/evil.so"},
        secrets={"LD_AUDIT": "/evil.so"},
    )
    job = manifests.job_set(own, landmarks=LANDMARKS)["spec"]["replicatedJobs"][0]["template"]["spec"]
    pod = job["template"]["spec"]
    assert "initContainers" in pod
    (hold,), (task,) = pod["initContainers"], pod["containers"]
    assert hold["image"] == own.specification.program.runtime
    assert hold["command"] == [
        "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
        *("--inhibit-cache", "--library-path", "/usr/lib/x86_64-linux-gnu"),
        *("/usr/bin/python3", "-I", "-S", "-B", "/atoll/entry.py", "--hold"),
    ]
    # It is told of the network what the task is told, and nothing that its user says.
    told = {item["name"]: item["value"] for item in hold["env"]}
    assert told.items() <= {item["name"]: item["value"] for item in task["env"]}.items()
    assert set(told) == {"ATOLL_OUTCOME_FILE", *(f"ATOLL_HOLD_{name}" for name in HELD)}
    assert "envFrom" not in hold
    assert [mount["name"] for mount in hold["volumeMounts"]] == ["entry"]
    assert hold["securityContext"] == task["securityContext"]
    # A pod asks for the largest of those in front and the sum of the others: nothing of the quota for it.
    for kind in ("limits", "requests"):
        assert hold["resources"][kind].items() <= task["resources"][kind].items()
    assert "initContainers" not in pod_spec()


HELD = ("WHILE_REACHABLE", "UNTIL_REJECTED", "UNTIL_REACHABLE")


@pytest.mark.parametrize(("status", "permanent"), [(403, False), (409, False), (500, False), (400, True), (422, True)])
def test_what_the_cluster_refuses_for_its_content_is_not_asked_again(status: int, permanent: bool) -> None:
    assert ApiFailure(status, "no").permanent is permanent


@pytest.mark.parametrize(
    "message",
    [
        "etcdserver: request is too large",
        "rpc error: code = ResourceExhausted desc = trying to send message larger than max (3145839 vs. 2097152)",
    ],
)
def test_what_is_too_large_for_the_database_of_the_cluster_is_not_asked_again(message: str) -> None:
    assert ApiFailure(500, message).permanent
    assert ApiFailure(413, "Request entity too large: limit is 3145728").permanent
    assert not ApiFailure(500, "etcdserver: request timed out").permanent


CLUSTER = ClusterProvision(
    name="default",
    shares=(
        Share(device_type="nvidia_gpu_amd64", resource="nvidia.com/gpu", count=8, max_per_user=4),
        Share(device_type="huawei_npu_arm64", resource="huawei.com/Ascend910", count=8, max_per_user=8),
        Share(device_type="huawei_npu_amd64", resource="huawei.com/Ascend910", count=8, max_per_user=8),
    ),
    members=(Member(name="ada", uid=30007),),
    user_share=UserShare(percent=50, usual_cpu="2", usual_memory="8Gi"),
)


def provisioned(
    cluster: ClusterProvision = CLUSTER, cpu_cores: int = 64, *, lends: bool = True
) -> dict[str, dict[str, Any]]:
    made = provisioning.manifests(
        cluster,
        cpu_cores=cpu_cores,
        memory_bytes=1 << 38,
        machines=4,
        storage_root=Path("/mnt/atoll"),
        lends=lends,
    )
    return {f"{item['kind']}/{item['metadata']['name']}": item for item in made}


def test_a_virtual_cluster_is_a_quota_that_its_members_borrow_from() -> None:
    made = provisioned()
    quota = made["Cohort/vc-default"]["spec"]
    assert quota["parentName"] == "cluster"
    resources = {item["name"]: item for item in quota["resourceGroups"][0]["flavors"][0]["resources"]}
    assert resources["nvidia.com/gpu"] == {"name": "nvidia.com/gpu", "nominalQuota": "8", "borrowingLimit": "0"}
    assert resources["huawei.com/Ascend910"]["nominalQuota"] == "16"
    member = made["ClusterQueue/vc-default--ada"]["spec"]
    assert member["cohortName"] == "vc-default"
    limits = {item["name"]: item for item in member["resourceGroups"][0]["flavors"][0]["resources"]}
    assert limits["nvidia.com/gpu"] == {"name": "nvidia.com/gpu", "nominalQuota": "0", "borrowingLimit": "4"}
    assert made["LocalQueue/ada"]["spec"] == {"clusterQueue": "vc-default--ada"}


def test_a_virtual_cluster_without_devices_still_admits_cpu_and_memory() -> None:
    made = provisioned(CLUSTER.model_copy(update={"shares": ()}))
    for name, quota in (("Cohort/vc-default", ("64", str(1 << 38))), ("ClusterQueue/vc-default--ada", ("0", "0"))):
        group = made[name]["spec"]["resourceGroups"][0]
        assert group["coveredResources"] == ["cpu", "memory"]
        assert tuple(item["nominalQuota"] for item in group["flavors"][0]["resources"]) == quota
    assert made["LocalQueue/ada"]["spec"] == {"clusterQueue": "vc-default--ada"}


@pytest.mark.parametrize(
    ("cpu_cores", "percent", "cpu"),
    [(64, 50, "32"), (63, 50, "31500m"), (10, 50, "8"), (6, 50, "6"), (64, 100, "64")],
)
def test_one_user_reserves_a_part_of_cpu_and_memory_and_at_least_a_usual_task_on_each_machine(
    cpu_cores: int, percent: int, cpu: str
) -> None:
    share = CLUSTER.user_share.model_copy(update={"percent": percent})
    made = provisioned(CLUSTER.model_copy(update={"user_share": share}), cpu_cores)
    group = made["ClusterQueue/vc-default--ada"]["spec"]["resourceGroups"][0]["flavors"][0]
    limits = {item["name"]: item for item in group["resources"]}
    assert limits["cpu"] == {"name": "cpu", "nominalQuota": "0", "borrowingLimit": cpu}, "one user takes all CPU"
    assert limits["memory"]["borrowingLimit"] == str((1 << 38) * percent // 100), "one user takes all memory"


def test_a_virtual_cluster_is_closed_by_default() -> None:
    made = provisioned()
    labels = made["Namespace/vc-default"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    assert labels["atoll.io/virtual-cluster"] == "true"
    deny = made["NetworkPolicy/default-deny"]["spec"]
    assert deny == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def test_jobs_may_do_to_the_cluster_what_the_engine_does_and_no_more() -> None:
    role = next(yaml.safe_load_all(re.sub(r"{#.*?#}", "", ACCESS.read_text(encoding="utf-8"), flags=re.DOTALL)))
    may = {name: set(rule["verbs"]) for rule in role["rules"] for name in rule["resources"]}
    reads = {"get", "list", "watch"}
    applied = {item["kind"] for item in provisioned().values()} | {"NetworkPolicy"}
    wanted = {kind.plural: {"create", "patch"} for kind in KINDS.values() if kind.kind in applied}
    wanted |= {kind.plural: reads for kind in (POD, NODE, WORKLOAD)}
    for plural in ("namespaces", "configmaps", "persistentvolumes", "cohorts", "clusterqueues", "localqueues"):
        wanted[plural].add("delete")  # `removing`
    wanted["clusterqueues"].add("list")
    wanted["jobsets"] = reads | {"create", "delete"}
    wanted["networkpolicies"] |= {"delete", "list", "watch"}
    wanted["secrets"] = {"create", "patch", "delete"}  # never read
    assert may == {**wanted, "pods/log": {"get"}}
    assert set(wanted) == {kind.plural for kind in KINDS.values()}


def test_volumes_of_jobs_are_those_that_its_admission_rule_lets_pass() -> None:
    volumes = [item for item in provisioned().values() if item["kind"] == "PersistentVolume"]
    places = {volume["spec"]["claimRef"]["name"]: volume["spec"]["hostPath"]["path"] for volume in volumes}
    assert f'expression: "{places}"' in ADMISSION.read_text(encoding="utf-8")
    for volume in volumes:
        assert volume["metadata"]["name"].startswith("vc-")
        assert volume["spec"]["claimRef"]["namespace"].startswith("vc-")


def test_user_data_of_a_virtual_cluster_are_bound_to_its_name_space() -> None:
    made = provisioned()
    volume = made["PersistentVolume/vc-default-homes"]["spec"]
    assert volume["claimRef"]["namespace"] == "vc-default"
    assert volume["persistentVolumeReclaimPolicy"] == "Retain"
    assert made["PersistentVolumeClaim/homes"]["spec"]["volumeName"] == "vc-default-homes"


def test_without_the_mount_of_user_data_a_task_waits_on_any_node() -> None:
    # Masters' kubelets do not wait for the mount. The kubelet checks the type of a volume's path, and makes what is
    # missing of a `subPath`: so the volume has to begin below the mount, and the way from there to be one name.
    assert provisioned()["PersistentVolume/vc-default-homes"]["spec"]["hostPath"] == {
        "path": "/mnt/atoll/home",
        "type": "Directory",
    }
    mounts = pod_spec()["containers"][0]["volumeMounts"]
    assert [mount["subPath"] for mount in mounts if mount["name"] == "home"] == ["ada"]
    role = Path("roles/storage/tasks")
    place, *rest = yaml.safe_load((role / "storage_client.yml").read_text(encoding="utf-8"))
    assert place["ansible.builtin.include_tasks"] == "{{ storage_driver }}/storage_client.yml"
    tasks = [*yaml.safe_load((role / "glusterfs/storage_client.yml").read_text(encoding="utf-8")), *rest]
    names = [task["name"] for task in tasks]
    mounted, filled = (
        names.index("User data is mounted"),
        names.index("The tree of user data has its first directories"),
    )
    assert mounted < filled, "the directories are made in the mounted tree"
    made = [each["path"] for task in tasks[:mounted] for each in task.get("atoll_files", {}).get("directories", [])]
    assert made == [], "a place is made before it is mounted"
